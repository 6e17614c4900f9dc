package import struct FoundationEssentials.URL
package import PawlCore

/// A request whose response is delivered as it arrives instead of being written to a file.
package struct StreamJob: Sendable {
    /// The URL without user and fragment.
    package var url: URL
    package var method = "GET"
    /// The body, which is sent with its length.
    package var body: [UInt8] = []
    /// The settings.
    ///
    /// Only these apply: the fields, the credentials, the connection, the time limits, the retries,
    /// the maximum `Retry-After`, and whether redirects may be insecure.
    package var settings: DownloadSettings
    /// Whether a 4xx or 5xx status is a response like any other instead of an error.
    package var acceptsErrorStatuses = false
    /// Whether the server may encode the body, which is then decoded.
    ///
    /// It does not apply to a request for a range, which cannot be decoded on its own, or with its
    /// own `Accept-Encoding`.
    ///
    /// The default is `false`.
    package var decodesContent = false
    /// The seed for the random delays.
    package var seed: UInt64

    package init(url: URL, settings: DownloadSettings, seed: UInt64) {
        self.url = url
        self.settings = settings
        self.seed = seed
    }

    /// Whether the request has its own `Accept-Encoding`.
    var choosesCodings: Bool { settings.fields.contains { $0.hasName("Accept-Encoding") } }

    /// Whether the request asks for a part of the response.
    private var choosesRange: Bool { settings.fields.contains { $0.hasName("Range") } }

    /// Throws if the request cannot be sent as it is.
    func check() throws(DownloadError) {
        guard RequestMethod.isUsable(method) else {
            throw .usage(
                "cannot send the method '\(method.sanitized(atMost: 40))'",
                advice: "use a method such as GET or POST"
            )
        }
        guard method != "HEAD" || body.isEmpty else {
            throw .usage("a HEAD request has no body", advice: "leave the body out")
        }
        for field in settings.fields {
            let isRight = !field.hasName("Content-Length") || field.value == String(body.count)
            guard isRight, !field.hasName("Transfer-Encoding") else {
                throw .usage(
                    "the field '\(field.name)' contradicts the body, which has \(body.count) bytes",
                    advice: "leave it out: it is sent automatically"
                )
            }
        }
    }

    /// Returns one of the requests that the job needs.
    ///
    /// `decodes`: whether the server's codings can be decoded, as far as it is known.
    func request(
        for next: ExchangePlanner.Request,
        decodes: Bool,
        engine: Engine
    ) -> TransferRequest {
        var request = TransferRequest(next.url, settings: settings, original: url)
        if request.fields.contains(where: { $0.hasName("Accept-Encoding") }) {
            request.codings = .own
        } else if decodes, decodesContent, !choosesCodings, !choosesRange {
            request.codings = .decoded
        }
        request.cookies = engine.cookies(for: settings.connection)
        request.secureHosts = engine.secureHosts(for: settings.connection)
        request.alternatives = engine.alternatives(for: settings.connection)
        request.method = next.method
        if next.sendsBody {
            request.body = body
        } else {
            request.fields = RedirectPolicy.fieldsWithoutBody(request.fields)
        }
        let rate = engine.limit.limitBytesPerSecond.map { Int(clamping: $0 / 16) } ?? .max
        request.bufferBytes = min(StreamExchange.pieceBytes, max(4 * 1024, rate))
        return request
    }
}

/// The complete body of a response.
package struct CollectedBody: Sendable {
    package var bytes: [UInt8]
    package var response: DownloadResponse
}

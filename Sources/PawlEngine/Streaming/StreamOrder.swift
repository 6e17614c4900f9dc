package import struct FoundationEssentials.URL
package import PawlCore

/// A request whose answer is wanted as it comes, not as a file.
package struct StreamOrder: Sendable {
    /// Without user and fragment.
    package var url: URL
    package var method = "GET"
    /// Sent with its length.
    package var body: [UInt8] = []
    /// Of these count: the fields, the credentials, how to connect, the time limits, the retries, the
    /// longest `Retry-After` and whether redirects may be insecure.
    package var settings: DownloadSettings
    /// Whether a 4xx or 5xx is an answer like any other, and no error.
    package var acceptsErrorStatuses = false
    /// Of the random waits.
    package var seed: UInt64

    package init(url: URL, settings: DownloadSettings, seed: UInt64) {
        self.url = url
        self.settings = settings
        self.seed = seed
    }

    /// Throws where it cannot be sent as it is.
    func check() throws(DownloadError) {
        guard RequestMethod.isUsable(method) else {
            throw DownloadError(
                .usage,
                "'\(method.sanitized(atMost: 40))' is no method that can be sent",
                advice: "use one like GET or POST"
            )
        }
        guard method != "HEAD" || body.isEmpty else {
            throw DownloadError(.usage, "a HEAD request has no body", advice: "leave it out")
        }
        for field in settings.fields {
            let isRight = !field.hasName("Content-Length") || field.value == String(body.count)
            guard isRight, !field.hasName("Transfer-Encoding") else {
                throw DownloadError(
                    .usage,
                    "the field '\(field.name)' contradicts the body, which has \(body.count) bytes",
                    advice: "leave it out: it is sent by itself"
                )
            }
        }
    }
}

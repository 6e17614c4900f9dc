internal import Hummingbird
internal import NIOCore
internal import Pawl
package import PawlCore
package import PawlWire

/// Reads and checks the bodies of requests.
package enum RequestBody {
    static let mostBytes = RequestDivision.mostBytes

    static func read<Value: RequestObject>(
        _ request: Request,
        upTo limit: Int = mostBytes
    ) async throws -> Value {
        try check(request, is: .json)
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw DownloadError(
                .tooLarge,
                "the body has more than \(limit) bytes",
                advice: "send several requests"
            )
        }
        return try decode(Value.self, from: buffer.readableBytesView)
    }

    /// Throws unless a body is declared to have a form.
    static func check(_ request: Request, is form: BodyForm) throws(APIFailure) {
        guard !form.isDeclared(by: request.headers[.contentType]) else { return }
        throw APIFailure(.unsupportedMediaType, form.undeclared)
    }

    /// Decodes a body, or a part of it.
    ///
    /// `what`: its name in errors.
    ///
    /// Throws `.usage` if it is not strict JSON, has unknown members, or is not such a value.
    package static func decode<Value: RequestObject>(
        _ type: Value.Type,
        from bytes: some Sequence<UInt8>,
        _ what: String = "the body"
    ) throws(DownloadError) -> Value {
        try check(bytes, what)
        do throws(DownloadError) {
            return try WireJSON.decodeRequest(type, from: bytes)
        } catch {
            throw .usage(
                "\(what): \(error.message)",
                advice: error.guidance.isEmpty
                    ? "see /openapi.yaml, or docs/http-api.md" : error.guidance
            )
        }
    }

    /// Throws `.usage` if a body, or a part of it, is not strict JSON.
    static func check(_ bytes: some Sequence<UInt8>, _ what: String) throws(DownloadError) {
        do throws(JSONCheck.Fault) {
            try JSONCheck.check(bytes)
        } catch {
            throw refusal(error, what)
        }
    }

    private static func refusal(_ fault: JSONCheck.Fault, _ what: String) -> DownloadError {
        switch fault {
        case .notJSON:
            DownloadError(
                .usage,
                "\(what): not valid JSON",
                advice: "send JSON in UTF-8 (RFC 8259)"
            )
        case .tooDeep:
            DownloadError(
                .usage,
                "\(what): lists and objects are nested too deeply",
                advice: "use at most \(JSONCheck.mostLevels) levels"
            )
        case .repeated(let name):
            DownloadError(
                .usage,
                "\(what): '\(name.sanitized(atMost: 100))' is given twice in an object",
                advice: "give each member once"
            )
        case .nul:
            DownloadError(.usage, "\(what): a text contains U+0000", advice: "leave it out")
        }
    }
}

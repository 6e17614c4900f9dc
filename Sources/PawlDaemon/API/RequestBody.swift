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
        guard RequestGuard.isJSON(request.headers[.contentType]) else {
            throw APIFailure(
                .unsupportedMediaType,
                DownloadError.usage(
                    "the body is not declared as application/json",
                    advice: RequestGuard.whatIsJSON
                )
            )
        }
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

    /// Decodes a body.
    ///
    /// Throws `.usage` if it is not strict JSON, has unknown members, or is not such a value.
    package static func decode<Value: RequestObject>(
        _ type: Value.Type,
        from bytes: some Sequence<UInt8>
    ) throws(DownloadError) -> Value {
        do throws(JSONCheck.Fault) {
            try JSONCheck.check(bytes)
        } catch {
            throw refusal(error)
        }
        do throws(DownloadError) {
            return try WireJSON.decodeRequest(type, from: bytes)
        } catch {
            throw .usage(
                "the body: \(error.message)",
                advice: error.guidance.isEmpty
                    ? "see /openapi.yaml, or docs/http-api.md" : error.guidance
            )
        }
    }

    private static func refusal(_ fault: JSONCheck.Fault) -> DownloadError {
        switch fault {
        case .notJSON:
            DownloadError(
                .usage,
                "the body: not valid JSON",
                advice: "send JSON in UTF-8 (RFC 8259)"
            )
        case .tooDeep:
            DownloadError(
                .usage,
                "the body: lists and objects are nested too deeply",
                advice: "use at most \(JSONCheck.mostLevels) levels"
            )
        case .repeated(let name):
            DownloadError(
                .usage,
                "the body: '\(name.sanitized(atMost: 100))' is given twice in an object",
                advice: "give each member once"
            )
        case .nul:
            DownloadError(.usage, "the body: a text contains U+0000", advice: "leave it out")
        }
    }
}

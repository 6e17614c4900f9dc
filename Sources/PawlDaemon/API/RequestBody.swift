internal import Hummingbird
internal import NIOCore
package import PawlCore
package import PawlWire

/// Reads and checks the bodies of requests.
package enum RequestBody {
    static let mostBytes = 1 << 20

    static func read<Value: RequestObject>(
        _ request: Request,
        upTo limit: Int = mostBytes
    ) async throws -> Value {
        guard RequestGuard.isJSON(request.headers[.contentType]) else {
            throw APIFailure(
                .unsupportedMediaType,
                DownloadError(
                    .usage,
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
    /// Throws `.usage` if it is nested too deeply, has unknown members, or is not such a value.
    package static func decode<Value: RequestObject>(
        _ type: Value.Type,
        from bytes: some Sequence<UInt8>
    ) throws(DownloadError) -> Value {
        guard JSONNesting.isAllowed(bytes) else {
            throw DownloadError(
                .usage,
                "the body: lists and objects are nested too deeply",
                advice: "use at most \(JSONNesting.most) levels"
            )
        }
        do throws(DownloadError) {
            return try WireJSON.decodeRequest(type, from: bytes)
        } catch {
            throw DownloadError(
                .usage,
                "the body: \(error.message)",
                advice: error.advice.isEmpty
                    ? "see /openapi.yaml, or docs/http-api.md" : error.advice
            )
        }
    }
}

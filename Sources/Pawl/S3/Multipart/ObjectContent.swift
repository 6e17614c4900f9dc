package import PawlCore

/// The bytes of an object or a part that are to be sent.
package enum ObjectContent: Sendable {
    case memory([UInt8])
    /// Bytes that are read while they are sent, and their number.
    case streamed(any BodySource, bytes: Int64)

    /// The number of bytes.
    package var bytes: Int64 {
        switch self {
        case .memory(let bytes): Int64(bytes.count)
        case .streamed(_, let bytes): bytes
        }
    }

    /// Returns a request with this content and its checksum.
    ///
    /// The checksum is in the head if it is known, and otherwise behind the content.
    func upload(with request: TransferRequest) -> ContentUpload {
        var request = request
        request.fields.append(
            HTTPField(name: "x-amz-sdk-checksum-algorithm", value: ObjectChecksum.algorithm)
        )
        switch self {
        case .memory(let bytes):
            let checksum = ObjectChecksum(of: bytes)
            request.fields.append(HTTPField(name: ObjectChecksum.field, value: checksum.text))
            request.bodySource = MemoryBody(bytes)
            return ContentUpload(request, bytes: self.bytes) { checksum }
        case .streamed(let source, let bytes):
            let body = ChecksummedBody(source, contentLength: bytes)
            request.fields += [
                HTTPField(name: "Content-Encoding", value: "aws-chunked"),
                HTTPField(name: "x-amz-decoded-content-length", value: "\(bytes)"),
                HTTPField(name: "x-amz-trailer", value: ObjectChecksum.field),
                HTTPField(
                    name: "x-amz-content-sha256",
                    value: "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
                ),
            ]
            request.bodySource = body
            // A service that wants the request elsewhere or with another signature then reports that
            // before the content is lost.
            if !source.isRepeatable { request.continueTimeout = .seconds(1) }
            return ContentUpload(request, bytes: bytes) { body.checksum }
        }
    }
}

/// A request that sends the content of an object or a part.
package struct ContentUpload: Sendable {
    package let request: TransferRequest
    /// The number of bytes of the content.
    let bytes: Int64
    private let sum: @Sendable () -> ObjectChecksum?

    init(
        _ request: TransferRequest,
        bytes: Int64,
        checksum: @escaping @Sendable () -> ObjectChecksum?
    ) {
        (self.request, self.bytes, sum) = (request, bytes, checksum)
    }

    /// The checksum of the content; `nil` until all of it was read.
    package var checksum: ObjectChecksum? { sum() }
}

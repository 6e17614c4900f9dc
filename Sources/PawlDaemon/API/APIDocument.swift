internal import CPage
internal import Hummingbird
internal import NIOCore

/// The description of the API in OpenAPI 3.1: openapi.yaml, embedded in the program.
package enum APIDocument {
    package static let bytes: [UInt8] = {
        let file = pawl_openapi()
        return Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }()

    /// The response with its media type (RFC 9512).
    static let response = Response(
        status: .ok,
        headers: [.contentType: "application/yaml"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    )
}

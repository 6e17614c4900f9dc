/// The response with which a server refused a request, and the beginning of its body.
public struct ErrorResponse: Sendable, Hashable {
    /// The maximum number of bytes of the body that are kept: 64 KiB.
    public static let mostBodyBytes = 64 << 10

    /// The response without its body.
    public let response: DownloadResponse
    /// The first bytes of the body, at most ``mostBodyBytes``, as the server sent them.
    public let body: [UInt8]
    /// Whether `body` is the whole body.
    ///
    /// It is `false` if the body is longer, was interrupted, has an impossible length in its head, or
    /// took more than half a second.
    public let isWhole: Bool

    package init(_ response: DownloadResponse, body: [UInt8], isWhole: Bool) {
        (self.response, self.body) = (response, body)
        if case .sound = BodyFraming(of: response.fields) {
            self.isWhole = isWhole
        } else {
            self.isWhole = false
        }
    }
}

/// The beginning of a body that is not the one that was asked for.
package struct ErrorBody: Sendable {
    /// The maximum time for the body after its head.
    package static let longestTime = Duration.milliseconds(500)

    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Adds bytes; returns whether there is room for more.
    package mutating func append(_ more: UnsafeRawBufferPointer) -> Bool {
        bytes.append(contentsOf: more.prefix(ErrorResponse.mostBodyBytes - bytes.count))
        return bytes.count < ErrorResponse.mostBodyBytes
    }
}

/// How far a file may be fetched that is read from its first byte on while it is received.
///
/// The bytes between the reader's position and the end of the window take up space, so the window
/// has a fixed length.
package struct ReaderWindow: Sendable {
    /// The fraction of the window by which its end moves at once, so that no request is short.
    private static let steps: Int64 = 16
    /// The maximum fraction of the window that one request fetches, so that several connections
    /// work near the reader.
    private static let parts: Int64 = 4

    /// The maximum distance between the reader and its end, in bytes.
    package let length: Int64
    /// The end of the bytes that may be requested.
    package private(set) var end: Int64

    /// Creates the window of a reader that has read nothing yet.
    package init(length: Int64) {
        self.length = length
        end = length
    }

    /// The maximum number of bytes of one request.
    package var longestPart: Int64 { length / Self.parts }

    /// Notes that the reader has read the bytes before `offset`.
    package mutating func readerReached(_ offset: Int64) {
        let step = max(1, length / Self.steps)
        end = max(end, offset / step * step + length)
    }
}

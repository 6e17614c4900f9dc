/// A part of a file, in bytes.
public struct FileRange: Hashable, Sendable {
    /// The offset of the first byte.
    public var start: Int64
    /// The offset after the last byte; `nil` for the end of the file.
    public var end: Int64?

    /// Creates a part; `end` is after its last byte.
    public init(from start: Int64, to end: Int64? = nil) {
        self.start = start
        self.end = end
    }

    /// The part as HTTP writes it, with an inclusive end (RFC 9110 §14.1.2).
    package var text: String { "\(start)-" + (end.map { "\($0 - 1)" } ?? "") }

    package var byteRange: ByteRange { ByteRange(start, end ?? .max) }
}

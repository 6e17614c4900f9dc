/// A part of a file, in bytes.
public struct FileRange: Hashable, Sendable {
    /// The offset of the first byte; a negative one counts from the end of the file.
    public var start: Int64
    /// The offset after the last byte; `nil` for the end of the file.
    public var end: Int64?

    /// Creates a part; `end` is after its last byte.
    public init(from start: Int64, to end: Int64? = nil) {
        self.start = start
        self.end = end
    }

    /// Creates the part at the end of a file: its last bytes, or the whole file if it has fewer.
    public init(last count: Int64) { self.init(from: -count) }

    /// Whether the part is known only together with the size of the file.
    package var isFromEnd: Bool { start < 0 }

    /// Returns the part in a file of that size.
    package func resolved(total: Int64) -> FileRange {
        isFromEnd ? FileRange(from: max(0, total + start), to: total) : self
    }

    /// The part as HTTP writes it, with an inclusive end (RFC 9110 §14.1.2).
    package var text: String {
        isFromEnd ? "\(start)" : "\(start)-" + (end.map { "\($0 - 1)" } ?? "")
    }

    package var byteRange: ByteRange { ByteRange(start, end ?? .max) }
}

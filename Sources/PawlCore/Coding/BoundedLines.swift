/// Divides bytes that arrive in pieces into lines, in bounded memory; a line that is too long is
/// reported, and those after it are read.
///
/// `LineSplitter` decodes the lines of a text, and ends with such a line.
package struct BoundedLines: Sendable {
    package enum Line: Sendable, Hashable {
        /// A line without its end, which is LF.
        case text([UInt8])
        /// A line that has more bytes than the limit.
        case tooLong
    }

    private let mostBytes: Int
    private var bytes: [UInt8] = []
    /// Where the next line begins in `bytes`.
    private var start = 0
    /// The index in `bytes` before which the next line does not end.
    private var searched = 0
    /// Whether the beginning of the next line was dropped, because the line is too long.
    private var isTooLong = false
    /// The first byte of the last line that was too long; `nil` if there was none.
    package private(set) var firstOfTooLong: UInt8?

    /// `mostBytes`: the maximum number of bytes of a line.
    package init(mostBytes: Int) { self.mostBytes = mostBytes }

    package mutating func append(_ more: [UInt8]) {
        bytes.removeFirst(start)
        searched -= start
        start = 0
        bytes += more
    }

    /// Returns the next line that has an end; `nil` if more bytes are needed.
    package mutating func next() -> Line? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            if searched - start > mostBytes {
                if !isTooLong { firstOfTooLong = bytes[start] }
                (bytes, start, searched, isTooLong) = ([], 0, 0, true)
            }
            return nil
        }
        defer { (start, searched) = (end + 1, end + 1) }
        return line(upTo: end)
    }

    /// Returns the last line if it has no end; `nil` if nothing is left.
    package mutating func last() -> Line? {
        guard start < bytes.count || isTooLong else { return nil }
        defer { (start, searched) = (bytes.count, bytes.count) }
        return line(upTo: bytes.count)
    }

    private mutating func line(upTo end: Int) -> Line {
        guard !isTooLong, end - start <= mostBytes else {
            if !isTooLong { firstOfTooLong = bytes[start] }
            isTooLong = false
            return .tooLong
        }
        return .text(Array(bytes[start..<end]))
    }
}

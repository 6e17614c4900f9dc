/// Splits a text that arrives in chunks into lines, and decodes them as UTF-8.
///
/// A line ends with `\n` or `\r\n`. What is not valid UTF-8 is decoded as U+FFFD, and a mark at the
/// beginning of the text (BOM) is left out.
package struct LineSplitter: Sendable {
    /// A line that is longer than the limit.
    package struct LineTooLong: Error {}

    /// The limit that suits most texts, in bytes: 1 MiB.
    package static let usualLimit = 1 << 20

    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private let limit: Int
    /// The bytes that were added and not looked at so far.
    private var chunk: ArraySlice<UInt8> = []
    /// The beginning of the line whose end was not added so far.
    private var line: [UInt8] = []
    private var isFirstLine = true

    /// Creates a value for lines of at most `limit` bytes, their ends not counted.
    package init(limit: Int) { self.limit = max(0, limit) }

    /// Adds the next bytes of the text.
    package mutating func append(_ bytes: [UInt8]) {
        if chunk.isEmpty { chunk = bytes[...] } else { chunk += bytes }
    }

    /// Returns the next line without its end; `nil` if its end was not added so far.
    package mutating func next() throws(LineTooLong) -> String? {
        guard let end = chunk.firstIndex(of: Self.newline) else {
            line += chunk
            chunk = []
            // The last byte may be the beginning of the line's end.
            let isAtEnd = line.last == Self.carriageReturn
            guard line.count - (isAtEnd ? 1 : 0) <= limit else { throw LineTooLong() }
            return nil
        }
        line += chunk[..<end]
        chunk = chunk[(end + 1)...]
        if line.last == Self.carriageReturn { line.removeLast() }
        return try takeLine()
    }

    /// Returns the last line of a text that does not end with a line end; `nil` if there is none.
    ///
    /// Call it after all bytes were added and `next()` has returned `nil`.
    package mutating func last() throws(LineTooLong) -> String? {
        let text = try takeLine()
        return text.isEmpty ? nil : text
    }

    private mutating func takeLine() throws(LineTooLong) -> String {
        guard line.count <= limit else { throw LineTooLong() }
        defer {
            line.removeAll(keepingCapacity: true)
            isFirstLine = false
        }
        let mark = isFirstLine ? TextCoding.marked(line) : nil
        let length = mark?.coding == .utf8 ? mark?.count ?? 0 : 0
        return String(decoding: line.dropFirst(length), as: UTF8.self)
    }
}

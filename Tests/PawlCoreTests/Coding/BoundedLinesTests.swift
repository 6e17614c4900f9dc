import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BoundedLinesTests {
    /// The lines of a text that arrives in pieces; `nil` for a line that is too long.
    private func lines(_ text: String, pieces: Int, most: Int = 8) -> [String?] {
        var splitter = BoundedLines(mostBytes: most)
        var lines: [String?] = []
        func add(_ line: BoundedLines.Line) {
            switch line {
            case .text(let bytes): lines.append(String(decoding: bytes, as: UTF8.self))
            case .tooLong: lines.append(nil)
            }
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            splitter.append(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
            while let line = splitter.next() { add(line) }
        }
        if let line = splitter.last() { add(line) }
        #expect(splitter.next() == nil)
        #expect(splitter.last() == nil)
        return lines
    }

    @Test(arguments: 1...12)
    func `lines do not depend on the pieces in which they arrive`(pieces: Int) {
        #expect(lines("", pieces: pieces).isEmpty)
        #expect(lines("\n", pieces: pieces) == [""])
        #expect(lines("a\n\n bé \r\nc", pieces: pieces) == ["a", "", " bé \r", "c"])
        #expect(lines("12345678\n123456789\nx\n", pieces: pieces) == ["12345678", nil, "x"])
        let long = String(repeating: "y", count: 40)
        #expect(lines("\(long)\n\(long)", pieces: pieces) == [nil, nil])
        #expect(lines("a\n\(long)\nb", pieces: pieces) == ["a", nil, "b"])
    }

    @Test(arguments: 1...12)
    func `the first byte of a line that is too long is known`(pieces: Int) {
        var splitter = BoundedLines(mostBytes: 8)
        var rest = Array("a\nbcdefghijklmn\no\n 123456789".utf8)[...]
        var first: [UInt8?] = []
        while !rest.isEmpty {
            splitter.append(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
            while splitter.next() != nil { first.append(splitter.firstOfTooLong) }
        }
        // A later line that is too long may have begun, but has not ended.
        #expect(Array(first.prefix(2)) == [nil, UInt8(ascii: "b")], "\(first)")
        #expect(splitter.last() == .tooLong)
        #expect(splitter.firstOfTooLong == UInt8(ascii: " "))
    }
}

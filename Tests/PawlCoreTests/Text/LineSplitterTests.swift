import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LineSplitterTests {
    /// The lines of a text that is added in chunks of `size` bytes.
    private func lines(
        _ bytes: [UInt8],
        by size: Int = .max,
        limit: Int = LineSplitter.usualLimit
    ) throws -> [String] {
        var splitter = LineSplitter(limit: limit)
        var lines: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            splitter.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
            while let line = try splitter.next() { lines.append(line) }
        }
        if let line = try splitter.last() { lines.append(line) }
        return lines
    }

    @Test(
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]),
            ("\n", [""]), ("a\n\n\nb\n", ["a", "", "", "b"]), ("a\r\nb\r\n", ["a", "b"]),
            ("\r\n\r\n", ["", ""]), ("a\rb\nc\r", ["a\rb", "c\r"]), ("a\r\r\n", ["a\r"]),
            ("grün\n专辑\u{2028}17\n", ["grün", "专辑\u{2028}17"]),
            ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]),
            ("\u{FEFF}", []), ("\u{FEFF}\n", [""]),
        ] as [(String, [String])]
    )
    func `a text has the same lines in chunks of any size`(text: String, expected: [String]) throws
    {
        for size in 1...max(1, text.utf8.count) {
            // Swift compares canonical equivalents as equal, and "\r\n" is one character.
            let found = try lines(Array(text.utf8), by: size).map { Array($0.utf8) }
            #expect(found == expected.map { Array($0.utf8) }, "\(size)")
        }
    }

    @Test func `bytes that are not UTF-8 are replaced, and damage no other line`() throws {
        let bytes: [UInt8] = [0x61, 0xE4, 0x0A, 0xC3, 0x0A, 0xC3, 0xA4, 0x0A]
        for size in 1...bytes.count {
            #expect(try lines(bytes, by: size) == ["a\u{FFFD}", "\u{FFFD}", "ä"])
        }
    }

    @Test(arguments: ["12345\n1234\r\n12345", "\r\n12345\r\n", "12345\r\n"])
    func `a line may be as long as the limit`(text: String) throws {
        for size in 1...text.utf8.count {
            #expect(try !lines(Array(text.utf8), by: size, limit: 5).isEmpty)
        }
    }

    @Test(arguments: ["123456", "123456\n", "12345\n123456\r\n", "12345\r6", "12345\r\r\n"])
    func `a longer line is an error, with its end or without`(text: String) {
        for size in 1...text.utf8.count {
            #expect(throws: LineSplitter.LineTooLong.self) {
                try lines(Array(text.utf8), by: size, limit: 5)
            }
        }
    }

    @Test func `a line without an end is refused before it fills the memory`() {
        var splitter = LineSplitter(limit: 100)
        var count = 0
        #expect(throws: LineSplitter.LineTooLong.self) {
            while count < 1000 {
                count += 1
                splitter.append([UInt8](repeating: 0x61, count: 10))
                let line = try splitter.next()
                #expect(line == nil)
            }
        }
        #expect(count == 11)
    }
}

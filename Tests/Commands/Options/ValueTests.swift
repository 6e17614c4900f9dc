import PawlCLI
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ValueTests {
    @Test(arguments: [
        ("10M", 10_485_760), ("500K", 512_000), ("500k", 512_000), ("1.5M", 1_572_864),
        ("1G", 1_073_741_824), ("4096", 4096), ("1T", 1_099_511_627_776), ("0.5K", 512),
        ("0", 0), ("0K", 0),
    ])
    func `rates are parsed`(text: String, bytes: Int64) throws {
        #expect(try NumberText.rate(text) == bytes)
    }

    @Test(arguments: [
        "", "-5", "-1M", "M", "10X", "10MB", "1e9", "0x10", "inf", "nan", ".5M",
        "1.2.3M",
        "10 M", "99999999999999999999", "9999999T", "１０M", "0.1",
    ])
    func `an invalid rate is an error`(text: String) {
        #expect(throws: ValueError.self) { try NumberText.rate(text) }
    }

    @Test func `seconds may have decimals`() throws {
        #expect(try NumberText.seconds("30") == .seconds(30))
        #expect(try NumberText.seconds("0.5") == .milliseconds(500))
        for text in ["0", "-1", "", "1s", "1e3", "inf", "0.0001", "99999999999"] {
            #expect(throws: ValueError.self) { try NumberText.seconds(text) }
        }
    }

    @Test func `connections are a number up to 64, or auto`() throws {
        #expect(try NumberText.connections("auto") == .automatic)
        #expect(try NumberText.connections("1") == .fixed(1))
        #expect(try NumberText.connections("64") == .fixed(64))
        for text in ["0", "65", "-1", "", "four", "+4", "1.5"] {
            #expect(throws: ValueError.self) { try NumberText.connections(text) }
        }
    }

    @Test(arguments: [
        "md5=d41d8cd98f00b204e9800998ecf8427e", "MD5=D41D8CD98F00B204E9800998ECF8427E",
        "sha256=\(String(repeating: "ab", count: 32))",
        "sha-256=\(String(repeating: "AB", count: 32))",
        "sha-512=\(String(repeating: "0", count: 128))",
        "sha256:\(String(repeating: "ab", count: 32))",
    ])
    func `checksums are parsed`(text: String) throws {
        guard case .digest(let digest) = try ChecksumText.parse(text) else {
            Issue.record("no digest")
            return
        }
        #expect(
            digest.description
                == text.lowercased().replacing("sha-", with: "sha").replacing(":", with: "=")
        )
    }

    @Test func `none is a checksum policy`() throws {
        #expect(try ChecksumText.parse("none") == .none)
    }

    @Test func `the error for a checksum of the wrong length names the expected length`() {
        let error = #expect(throws: ValueError.self) { try ChecksumText.parse("sha256=abc") }
        #expect(error?.reason == "sha256 has 64 hexadecimal digits, not 3")
    }

    @Test func `a checksum without an algorithm is recognized by its length`() {
        let digits = String(repeating: "0f", count: 32)
        let error = #expect(throws: ValueError.self) { try ChecksumText.parse(digits) }
        #expect(error?.advice.text(for: .command).contains("write sha256=\(digits)") == true)
    }

    @Test(arguments: [
        "", "=", "sha256=", "crc32=12345678", "sha256:ab", "md5=d41d8cd98f00b204e9800998ecf8427g",
    ])
    func `an invalid checksum is an error`(text: String) {
        #expect(throws: ValueError.self) { try ChecksumText.parse(text) }
    }

    @Test(arguments: [
        ("X-Token: abc", "X-Token", "abc"), ("A:b", "A", "b"), ("A:", "A", ""),
        ("X-C;", "X-C", ""),
        ("Cookie: a=b; c=d:e ", "Cookie", "a=b; c=d:e"), ("X-Name:\tJörg", "X-Name", "Jörg"),
    ])
    func `headers are parsed`(line: String, name: String, value: String) throws {
        #expect(try HeaderLine.parse(line) == HTTPField(name: name, value: value))
    }

    @Test(arguments: [
        "", "no colon", ": value", ";", "X C;", "Range;", "X-C;x", "Na me: x", "Name : x",
        "A: b\r\nEvil: c", "A: b\nc", "A: \u{0}",
        "Nämé: x", "Range: bytes=0-1", "accept-encoding: gzip", "If-Range: \"x\"",
    ])
    func `an invalid or reserved header is an error`(line: String) {
        #expect(throws: ValueError.self) { try HeaderLine.parse(line) }
    }

    @Test func `an error never contains a header's value or a password`() {
        for line in ["Authorization: s3cret\u{7}", "s3cret without colon", "Range: s3cret"] {
            let error = #expect(throws: ValueError.self) { try HeaderLine.parse(line) }
            #expect(error.map { !"\($0)".contains("s3cret") } == true)
        }
        let error = #expect(throws: ValueError.self) { try UserText.parse("me:s3cret\n") }
        #expect(error.map { !"\($0)".contains("s3cret") } == true)
    }

    @Test func `a password may contain colons or be missing`() throws {
        #expect(try UserText.parse("me:a:b") == UserText(name: "me", password: "a:b"))
        #expect(try UserText.parse("me") == UserText(name: "me", password: nil))
        #expect(try UserText.parse("me:") == UserText(name: "me", password: ""))
        #expect(throws: ValueError.self) { try UserText.parse("") }
    }
}

import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TextCodingTests {
    @Test(
        arguments: [
            (TextCoding.utf8, [0x67, 0xC3, 0xA4] as [UInt8]), (.latin1, [0x67, 0xE4]),
            (.windows1252, [0x67, 0xE4]), (.utf16BigEndian, [0, 0x67, 0, 0xE4]),
            (.utf16LittleEndian, [0x67, 0, 0xE4, 0]),
            (.utf16LittleEndian, [0xFF, 0xFE, 0x67, 0, 0xE4, 0]),
            (.utf8, [0xEF, 0xBB, 0xBF, 0x67, 0xC3, 0xA4]),
        ] as [(TextCoding, [UInt8])]
    )
    func `text is decoded without its byte order mark`(coding: TextCoding, bytes: [UInt8]) {
        #expect(coding.decode(bytes) == "gä")
    }

    @Test(
        arguments: [
            (TextCoding.utf8, [0x67, 0xE4] as [UInt8]), (.ascii, [0x80]),
            (.utf16LittleEndian, [0x67]),
            (.utf16BigEndian, [0xD8, 0, 0, 0x67]),
        ] as [(TextCoding, [UInt8])]
    )
    func `bytes invalid in an encoding are not decoded`(coding: TextCoding, bytes: [UInt8]) {
        #expect(coding.decode(bytes) == nil)
    }

    @Test func `Windows-1252 differs from ISO-8859-1 in 27 places`() {
        let all = Array(UInt8.min...UInt8.max)
        let left = Array((TextCoding.windows1252.decode(all) ?? "").unicodeScalars)
        let right = Array((TextCoding.latin1.decode(all) ?? "").unicodeScalars)
        #expect(left.count == 256)
        #expect(right.map(\.value) == all.map(UInt32.init))
        #expect(zip(left, right).count { $0 != $1 } == 27)
        #expect(TextCoding.windows1252.decode([0x80, 0x99, 0x9F]) == "€™Ÿ")
    }

    @Test(
        arguments: [
            ("UTF-8", TextCoding.utf8), (" utf8 ", .utf8), ("utf-16", .utf16LittleEndian),
            ("UTF-16BE", .utf16BigEndian), ("ISO-8859-1", .windows1252), ("us-ascii", .windows1252),
            ("windows-1252", .windows1252),
        ] as [(String, TextCoding)]
    )
    func `a label names an encoding`(label: String, coding: TextCoding) {
        #expect(TextCoding(label: label) == coding)
    }

    @Test(
        arguments: [
            ("text/html; charset=utf-8", "utf-8"), ("text/html;charset=\"utf-8\"", "utf-8"),
            ("text/html; a=b; Charset = latin1 ; c=d", "latin1"), ("text/html", nil),
            ("text/html; charset", nil), ("text/html; x=\"a;charset=no\"; charset=yes", "yes"),
        ] as [(String, String?)]
    )
    func `the parameter is found`(field: String, value: String?) {
        #expect(MediaTypeParameter.value("charset", in: field) == value)
    }

    @Test func `an unknown label names no encoding`() {
        #expect(TextCoding(label: "klingon") == nil)
    }
}

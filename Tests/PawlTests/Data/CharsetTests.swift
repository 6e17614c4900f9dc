import FoundationEssentials
import Pawl
import PawlCore
import Testing

/// Encodings other than Unicode, which the C library converts.
@Suite(.timeLimit(.minutes(5)))
struct CharsetTests {
    private func fetched(_ bytes: [UInt8], charset: String? = nil) throws -> FetchedData {
        let head = ResponseHead(
            url: try #require(URL(string: "http://example.org/x")),
            status: 200,
            fields: [
                HTTPField(
                    name: "Content-Type",
                    value: "text/plain" + (charset.map { "; charset=\($0)" } ?? "")
                )
            ]
        )
        return FetchedData(bytes, DownloadResponse(head))
    }

    @Test(
        arguments: [
            ("gb18030", [0xD6, 0xD0, 0xCE, 0xC4], "中文"),
            ("GBK", [0xD6, 0xD0, 0xCE, 0xC4], "中文"),
            ("gb2312", [0xD6, 0xD0, 0xCE, 0xC4], "中文"),
            // Four bytes, which GBK does not have.
            ("gbk", [0x81, 0x30, 0x84, 0x36], "\u{A5}"),
            ("Big5", [0xA4, 0xA4, 0xA4, 0xE5], "中文"),
            // The last character waits for a combining one, which does not arrive.
            ("big5", [0x88, 0x66], "\u{CA}"),
            ("Shift_JIS", [0x93, 0xFA, 0x96, 0x7B], "日本"),
            // A character of Windows-31J that Shift_JIS proper does not have.
            ("shift-jis", [0x87, 0x40], "①"),
            ("EUC-JP", [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"),
            ("euc-kr", [0xC7, 0xD1], "한"),
            // A syllable of Windows-949 that EUC-KR proper does not have.
            ("ks_c_5601-1987", [0x81, 0x41], "갂"),
            ("windows-1251", [0xCF, 0xF0], "Пр"), ("koi8-r", [0xF0, 0xD2], "Пр"),
            ("ibm866", [0x8F, 0xE0], "Пр"), ("iso-8859-5", [0xBF, 0xE0], "Пр"),
            ("iso-8859-2", [0xB1], "ą"), ("latin2", [0xB1], "ą"),
            ("iso-8859-9", [0xFD], "ı"), ("iso-8859-15", [0xA4], "€"),
            ("windows-1250", [0x8A], "Š"), ("windows-1253", [0xC1], "Α"),
            ("windows-1255", [0xE0], "א"), ("windows-1256", [0xC7], "ا"),
            ("", [0xC3, 0xA4], "ä"), ("tis-620", [0xA1], "ก"), ("macintosh", [0x8A], "ä"),
        ] as [(String, [UInt8], String)]
    )
    func `the charset of the response is decoded`(
        label: String,
        bytes: [UInt8],
        text: String
    ) throws {
        #expect(try fetched(bytes, charset: label).string() == text)
        #expect(try fetched(bytes, charset: " \"\(label.uppercased())\" ").string() == text)
    }

    @Test(
        arguments: [
            (.shiftJIS, [0x93, 0xFA], "日"), (.japaneseEUC, [0xC6, 0xFC], "日"),
            (.iso2022JP, [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"),
            (.isoLatin2, [0xB1], "ą"), (.windowsCP1251, [0xCF], "П"),
            (.windowsCP1250, [0x8A], "Š"), (.windowsCP1253, [0xC1], "Α"),
            (.windowsCP1254, [0xFD], "ı"), (.macOSRoman, [0x8A], "ä"),
            (.init(rawValue: 0x8000_0632), [0xD6, 0xD0], "中"),
            (.init(rawValue: 0x8000_0631), [0xD6, 0xD0], "中"),
            (.init(rawValue: 0x8000_0A03), [0xA4, 0xA4], "中"),
            (.init(rawValue: 0x8000_0940), [0xC7, 0xD1], "한"),
        ] as [(String.Encoding, [UInt8], String)]
    )
    func `constants of Foundation are decoded`(
        encoding: String.Encoding,
        bytes: [UInt8],
        text: String
    ) throws {
        #expect(try fetched(bytes, charset: "utf-8").string(encoding: encoding) == text)
    }

    @Test(
        arguments: [
            ("gb18030", [0xD6]), ("gb18030", [0xFF, 0xFF]), ("shift_jis", [0x93]),
            ("euc-kr", [0xC7, 0x20]),
        ] as [(String, [UInt8])]
    )
    func `bytes that are not valid are an error`(label: String, bytes: [UInt8]) throws {
        let error = #expect(throws: DownloadError.self) {
            try fetched(bytes, charset: label).string()
        }
        #expect(error?.code == .badResponse)
        #expect(error?.message == "the bytes are not \(label)")
    }

    @Test func `a text longer than any buffer is whole`() throws {
        let count = 1_000_000
        let bytes = Array(repeatElement([0xD6, 0xD0, 0x61] as [UInt8], count: count).joined())
        let text = try fetched(bytes, charset: "gbk").string()
        #expect(text == String(repeating: "中a", count: count))
        #expect(try fetched([], charset: "gbk").string().isEmpty)
    }
}

import FoundationEssentials
import Pawl
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FetchedDataTests {
    private struct User: Decodable, Equatable {
        var name: String
        var age: Int
    }

    private func fetched(
        _ bytes: [UInt8],
        type: String? = nil,
        _ others: [(String, String)] = []
    ) throws -> FetchedData {
        let fields = others + (type.map { [("Content-Type", $0)] } ?? [])
        let head = ResponseHead(
            url: try #require(URL(string: "http://example.org/x?token=secret")),
            status: 200,
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) }
        )
        return FetchedData(bytes, DownloadResponse(head))
    }

    private func fetched(_ text: String, type: String? = nil) throws -> FetchedData {
        try fetched(Array(text.utf8), type: type)
    }

    @Test(
        arguments: [
            ("text/html; Charset=\"UTF-8\"", "utf-8"), ("text/plain;charset= GBK ", "gbk"),
            ("text/plain; charset=", nil), ("text/plain", nil), (nil, nil),
        ] as [(String?, String?)]
    )
    func `a response names the encoding of its text`(type: String?, name: String?) throws {
        #expect(try fetched([], type: type).response.textEncodingName == name)
    }

    @Test func `fetched bytes convert to NSData and String`() throws {
        let fetched = try fetched("grün", type: "Text/HTML; charset=x")
        #expect(fetched.data == Data(fetched.bytes))
        #expect(fetched.mediaType == "text/html")
        #expect(try fetched.string(encoding: .utf8) == "grün")
    }

    @Test(
        arguments: [
            (nil, [0xC3, 0xA4] as [UInt8]), ("text/plain", [0xC3, 0xA4]),
            ("text/plain; charset=utf-8", [0xC3, 0xA4]),
            ("text/plain; charset=ISO-8859-1", [0xE4]), ("text/plain; charset=us-ascii", [0xE4]),
            ("text/plain; charset=\"windows-1252\"", [0xE4]),
            ("text/plain; charset=utf-16", [0xE4, 0]), ("text/plain; charset=utf-16be", [0, 0xE4]),
            ("text/plain; charset=ISO-8859-1", [0xEF, 0xBB, 0xBF, 0xC3, 0xA4]),
            (nil, [0xFE, 0xFF, 0, 0xE4]),
        ] as [(String?, [UInt8])]
    )
    func `a byte order mark decides the encoding, then the charset, then UTF-8`(
        type: String?,
        bytes: [UInt8]
    ) throws {
        #expect(try fetched(bytes, type: type).string() == "ä")
    }

    @Test(
        arguments: [
            (String.Encoding.utf8, [0xC3, 0xA4] as [UInt8]), (.isoLatin1, [0xE4]),
            (.windowsCP1252, [0xE4]), (.utf16, [0xFE, 0xFF, 0, 0xE4]), (.utf16, [0xE4, 0]),
            (.utf16BigEndian, [0, 0xE4]), (.utf16LittleEndian, [0xE4, 0]),
            (.utf32BigEndian, [0, 0, 0, 0xE4]),
        ] as [(String.Encoding, [UInt8])]
    )
    func `an encoding given by the caller overrides all others`(
        encoding: String.Encoding,
        bytes: [UInt8]
    )
        throws
    {
        let fetched = try fetched(bytes, type: "text/plain; charset=klingon")
        #expect(try fetched.string(encoding: encoding) == "ä")
    }

    @Test func `bytes that are not text of that encoding are a clear error`() throws {
        let wrong = try fetched([0xE4, 0x20])
        let error = #expect(throws: DownloadError.self) { try wrong.string() }
        #expect(error?.code == .badResponse)
        #expect(error?.message == "the bytes are not UTF-8")
        #expect(throws: DownloadError.self) { try wrong.string(encoding: .ascii) }
        let unknown = try fetched("x", type: "text/plain; charset=klingon")
        let other = #expect(throws: DownloadError.self) { try unknown.string() }
        #expect(other?.message.contains("unknown encoding 'klingon'") == true)
    }

    @Test func `encoded bytes are not read as text or JSON`() throws {
        let fetched = try fetched(Array("{}".utf8), [("Content-Encoding", "GZIP")])
        #expect(fetched.contentEncoding == "gzip")
        #expect(throws: DownloadError.self) { try fetched.string() }
        #expect(throws: DownloadError.self) { try fetched.json([String: Int].self) }
    }

    @Test func `JSON is decoded into a value`() throws {
        let fetched = try fetched(#"[{"name": "Ä", "age": 3}]"#)
        #expect(try fetched.json([User].self) == [User(name: "Ä", age: 3)])
        let users: [User] = try fetched.json()
        #expect(users.count == 1)
    }

    @Test(arguments: [
        (#"[{"name": "a", "age": 3}, {"name": "b"}]"#, "[1] has no 'age'"),
        (#"[{"name": "a", "age": "old"}]"#, "[0].age is not of type Int"),
        (#"[{"name": null, "age": 3}]"#, "[0].name is null instead of String"),
        (#"{"name": "a"}"#, "the document is not of type Array<Any>"),
        ("[1, ", "not the expected JSON"),
        ("<html>", "not the expected JSON"), ("", "not the expected JSON"),
    ])
    func `JSON of another shape is an error that names the location`(text: String, part: String)
        throws
    {
        let fetched = try fetched(text)
        let error = #expect(throws: DownloadError.self) { try fetched.json([User].self) }
        let description = try #require(error?.description)
        #expect(description.contains(part), "\(description)")
        #expect(!description.contains("secret"))
    }

    @Test func `a body that merely ended is not verified`() throws {
        #expect(try !fetched("x").isLengthVerified)
        #expect(try fetched([1], [("Content-Length", "1")]).isLengthVerified)
        #expect(try fetched([1], [("Transfer-Encoding", "chunked")]).isLengthVerified)
    }
}

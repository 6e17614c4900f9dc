import struct FoundationEssentials.URL
import PawlCore
import PawlLibrary
import Testing

/// Contract: "the index can be rebuilt" from what is stored with the files.
@Suite(.timeLimit(.minutes(5)))
struct FileRecordTests {
    private static func sample(_ key: String = "song/1") throws -> FileRecord {
        let url = try #require(
            URL(string: "https://me:secret@example.com/a.mp3?id=1&access_token=hush#there")
        )
        var record = FileRecord(
            key: StorageKey(key),
            source: url,
            byteCount: 5_000_000_000,
            modified: 1_780_000_000_123_456_789,
            finishedAt: 1_780_000_000
        )
        record.digest = ContentDigest(.md5, bytes: Array(repeating: 7, count: 16))
        record.entityTag = EntityTag(isWeak: true, opaque: "\"v1\"")
        record.lastModified = "Mon, 06 Jul 2026 08:49:37 GMT"
        record.mediaType = "audio/mpeg"
        return record
    }

    @Test(arguments: ["song/1", "", "é", "e\u{301}", "\u{0}\n\"\\", "日本\u{1F680}"])
    func `a record is read as written, to the last scalar of the key`(key: String) throws {
        let record = try Self.sample(key)
        #expect(FileRecord(text: record.text) == record)
        #expect(!record.text.contains("\n"))
        #expect(record.text == FileRecord(text: record.text)?.text)
    }

    @Test func `a record contains no credentials`() throws {
        let text = try Self.sample().text
        #expect(text.contains("https://example.com/a.mp3?id=1&access_token=REDACTED"))
        for secret in ["secret", "hush", "me:", "there"] { #expect(!text.contains(secret)) }
    }

    @Test func `a record of version 1 can always be read`() {
        let text = """
            {"bytes":3,"finished":4,"key":"k","modified":5,"pawl":1,"source":"http://a.example/b"}
            """
        let record = FileRecord(text: text)
        #expect(record?.key == "k")
        #expect(record?.byteCount == 3)
        #expect(record?.finishedAt == 4)
        #expect(record?.modified == 5)
        #expect(record?.source == "http://a.example/b")
        #expect(record?.digest == nil)
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "{\"pawl\":1}",
        "{\"bytes\":3,\"finished\":4,\"key\":\"k\",\"modified\":5,\"pawl\":2,\"source\":\"\"}",
        "{\"bytes\":-3,\"finished\":4,\"key\":\"k\",\"modified\":5,\"pawl\":1,\"source\":\"\"}",
        "{\"bytes\":1e99,\"finished\":4,\"key\":\"k\",\"modified\":5,\"pawl\":1,\"source\":\"\"}",
        "{\"bytes\":3,\"finished\":4,\"key\":7,\"modified\":5,\"pawl\":1,\"source\":\"\"}",
        String(repeating: "[", count: 100_000), String(repeating: " ", count: 300_000),
    ])
    func `an invalid record is ignored`(text: String) {
        #expect(FileRecord(text: text) == nil)
    }

    @Test func `a record fits only a file of its size and time`() throws {
        let record = try Self.sample()
        #expect(record.fits(byteCount: record.byteCount, modified: record.modified))
        #expect(!record.fits(byteCount: record.byteCount + 1, modified: record.modified))
        #expect(!record.fits(byteCount: record.byteCount, modified: record.modified + 1))
    }
}

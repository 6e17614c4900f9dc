import struct FoundationEssentials.Data
import class FoundationEssentials.JSONDecoder
import class FoundationEssentials.JSONEncoder
import class FoundationEssentials.PropertyListDecoder
import class FoundationEssentials.PropertyListEncoder
import PawlCore
import PawlTesting
import Testing

/// Resume data has a version and a checksum; each version has a recorded sample; damage gives a
/// clear error.
@Suite(.timeLimit(.minutes(5)))
struct ResumeDataCodingTests {
    private func code(_ bytes: some Sequence<UInt8>) -> ErrorCode? {
        do throws(DownloadError) {
            _ = try ResumeData(data: bytes)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `each past version has a recorded sample and is read`() throws {
        #expect(Set(ResumeSamples.all.keys) == Set(ResumeFormat.readers.keys))
        #expect(Set(ResumeSamples.all.keys) == Set(1...ResumeFormat.currentVersion))
        for (version, text) in ResumeSamples.all {
            let bytes = try #require([UInt8](base64: text))
            #expect(bytes[8] == UInt8(version))
            #expect(try ResumeData(data: bytes).content == ResumeSamples.content())
        }
    }

    @Test func `the current version writes the recorded sample`() throws {
        let written = ResumeData(try ResumeSamples.content()).data
        let text = ResumeSamples.all[ResumeFormat.currentVersion]
        #expect(written.base64EncodedString() == text)
        #expect(ResumeData.version == Int(ResumeFormat.currentVersion))
    }

    @Test func `a path that is not UTF-8 is never another path`() throws {
        let content = try ResumeSamples.content()
        let data = ResumeData(content)
        #expect(data.partialPath == "/srv/files/disk.iso.part")
        #expect(data.finalPath == nil)
        #expect(try ResumeData(data: data.data).content.finalPath == content.finalPath)
    }

    @Test func `a newer version is refused with a clear error`() throws {
        var writer = ByteWriter(capacity: 100)
        writer.append(ResumeFormat.magic)
        writer.put(ResumeFormat.currentVersion + 1)
        writer.put([1, 2, 3] as [UInt8])
        // The checksum of a newer version is checked, too: otherwise damage would look like a newer
        // version.
        let error = #expect(throws: DownloadError.self) {
            try ResumeData(data: Self.sealed(writer.bytes))
        }
        #expect(error?.code == .invalidResumeData)
        #expect(error?.message.contains("version 2") == true)
        #expect(error?.message.contains("newer") == true)
        let torn = #expect(throws: DownloadError.self) {
            try ResumeData(data: writer.bytes + [UInt8](repeating: 0, count: 8))
        }
        #expect(torn?.message.contains("checksum") == true)
    }

    @Test func `version 0 does not exist`() throws {
        var bytes = Array(ResumeData(try ResumeSamples.content()).data.dropLast(8))
        bytes[8] = 0
        let error = #expect(throws: DownloadError.self) {
            try ResumeData(data: Self.sealed(bytes))
        }
        #expect(error?.message.contains("unknown version 0") == true)
    }

    @Test func `resume data is a string in JSON and is read back`() throws {
        let data = ResumeData(try ResumeSamples.content())
        let json = try JSONEncoder().encode(["resume": data])
        #expect(String(decoding: json, as: UTF8.self).hasPrefix("{\"resume\":\""))
        let read = try JSONDecoder().decode([String: ResumeData].self, from: json)
        #expect(read["resume"] == data)
        #expect(read["resume"]?.hashValue == data.hashValue)
    }

    @Test func `resume data is bytes in a property list and is read back`() throws {
        let data = ResumeData(try ResumeSamples.content())
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let list = try encoder.encode(["resume": data])
        #expect(list.count < data.data.count + 200)
        let read = try PropertyListDecoder().decode([String: ResumeData].self, from: list)
        #expect(read["resume"] == data)
    }

    @Test func `a damaged string in JSON is a clear error`() throws {
        for text in ["[\"!\"]", "[\"UEFXTFJTTUU=\"]", "[\"\"]"] {
            let error = #expect(throws: DownloadError.self) {
                try JSONDecoder().decode([ResumeData].self, from: Data(text.utf8))
            }
            #expect(error?.code == .invalidResumeData)
        }
    }

    @Test func `each flipped bit is detected`() async throws {
        let bytes = Array(ResumeData(try ResumeSamples.content()).data)
        var breath = Breath()
        for offset in bytes.indices {
            await breath.take()
            for bit in 0..<8 {
                var flipped = bytes
                flipped[offset] ^= 1 << bit
                #expect(code(flipped) == .invalidResumeData, "byte \(offset), bit \(bit)")
            }
        }
    }

    @Test func `truncated or extended data is refused`() throws {
        let bytes = Array(ResumeData(try ResumeSamples.content()).data)
        for length in bytes.indices { #expect(code(bytes[..<length]) == .invalidResumeData) }
        #expect(code(bytes + [0]) == .invalidResumeData)
    }

    @Test func `foreign bytes are refused, and a property list is named`() {
        #expect(code([UInt8]()) == .invalidResumeData)
        #expect(code("{}".utf8) == .invalidResumeData)
        let error = #expect(throws: DownloadError.self) {
            try ResumeData(data: [UInt8](base64: AppleSamples.ios9) ?? [])
        }
        #expect(error?.message.contains("property list") == true)
    }

    @Test func `endless bytes are not read to their end`() {
        #expect(code(repeatElement(UInt8(ascii: "P"), count: .max)) == .invalidResumeData)
    }

    /// The checksum is correct, as an attacker would make it.
    @Test func `manipulated payloads are read or refused, and never crash`() async throws {
        var random = TestSeed.generator("manipulated payloads")
        let bytes = Array(ResumeData(try ResumeSamples.content()).data.dropLast(8))
        var refused = 0
        var breath = Breath()
        for _ in 0..<20_000 {
            await breath.take()
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let offset = Int.random(in: 12..<changed.count, using: &random)
                changed[offset] = UInt8.random(in: 0...255, using: &random)
            }
            if code(Self.sealed(changed)) != nil { refused += 1 }
        }
        #expect(refused > 1000)
    }

    @Test func `data that contains a secret is refused`() throws {
        var content = try ResumeSamples.content()
        content.fields = [HTTPField(name: "Authorization", value: "Basic eDp5")]
        #expect(code(ResumeData(content).data) == .invalidResumeData)
    }

    @Test func `secrets of a request are omitted and named`() throws {
        var settings = DownloadSettings()
        settings.fields = [
            HTTPField(name: "Accept", value: "*/*"), HTTPField(name: "cookie", value: "a=hunter2"),
            HTTPField(name: "X-Api-Key", value: "hunter2"),
        ]
        settings.credentials = Credentials(name: "anna", password: "hunter2")
        var content = ResumeContent(url: try ResumeSamples.url("https://example.org/a"))
        content.setRequest(settings)
        let data = ResumeData(content)
        #expect(data.fields == [HTTPField(name: "Accept", value: "*/*")])
        #expect(data.omittedFields == ["cookie", "X-Api-Key", "Authorization"])
        #expect(!String(decoding: data.data, as: UTF8.self).contains("hunter2"))
    }

    @Test func `printing resume data shows no secret of the URL`() throws {
        let url = try ResumeSamples.url("https://example.org/a?X-Amz-Signature=hunter2")
        let data = ResumeData(ResumeContent(url: url))
        var text = "\(data) \(String(reflecting: data))"
        dump(data, to: &text)
        #expect(text.contains("example.org/a"))
        #expect(!text.contains("hunter2"))
    }

    @Test func `the contents of resume data can be queried`() throws {
        let data = ResumeData(try ResumeSamples.content())
        #expect(data.receivedBytes == 1_200_000)
        #expect(data.ranges == [0..<1_000_000, 2_500_000..<2_700_000])
        #expect(data.totalBytes == 5_000_000 && data.method == "GET" && !data.isImported)
        #expect(data.partialPath == "/srv/files/disk.iso.part")
        #expect(data.storageKey == "key/ä 1")
        #expect(data.createdAt?.timeIntervalSince1970 == 1_783_327_777)
    }

    private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(capacity: bytes.count + 8)
        writer.append(bytes)
        writer.put(CyclicChecksum.of(bytes))
        return writer.bytes
    }
}

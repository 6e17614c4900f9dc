import Pawl
import PawlCore
import PawlStorage
import PawlTesting
import Testing

/// The record of an upload in a file.
@Suite(.timeLimit(.minutes(5)))
struct UploadRecordTests {
    private let folder: ScratchFolder
    private let upload: RecordedUpload
    private let parts: [RecordedPart]

    init() throws {
        folder = try ScratchFolder()
        var representation = Representation(total: 30_000_000)
        representation.entityTag = EntityTag(isWeak: false, opaque: "\"v1\"")
        upload = RecordedUpload(
            name: UploadName(id: "upload é", address: "s3://photos/a%20b"),
            mark: "queue:7:abc",
            representation: representation,
            source: "https://example.com/a",
            partBytes: 8 << 20,
            attempt: 3,
            state: .completing
        )
        parts = (0..<3).map { index in
            RecordedPart(
                index: index,
                part: UploadedPart(
                    number: index * 2 + 1,
                    bytes: 8 << 20,
                    tag: "\"\(index)\"",
                    checksum: ObjectChecksum([1, 2, 3, UInt8(index)]),
                    sha256: index == 0 ? nil : [UInt8](repeating: UInt8(index), count: 32)
                )
            )
        }
    }

    private func ledger() -> FilePartLedger { FilePartLedger(path: folder.path("upload")) }

    private func recorded() throws -> (RecordedUpload, [RecordedPart])? {
        guard case .upload(let upload, let parts) = try ledger().recorded() else { return nil }
        return (upload, parts)
    }

    @Test func `another process reads what was recorded`() throws {
        let first = ledger()
        guard case .nothing = try first.recorded() else {
            Issue.record("there is a record")
            return
        }
        try first.record(upload)
        // A part may be acknowledged when its upload is no longer recorded.
        try first.record(parts, of: "former")
        try first.record([parts[2], parts[0]], of: upload.name.id)
        try first.record([parts[1]], of: upload.name.id)
        let found = try #require(try recorded())
        #expect(found.0 == upload)
        #expect(found.1 == parts)
        // A new state keeps the parts, and another upload has none.
        var next = upload
        next.state = .aborting
        try first.record(next)
        #expect(try recorded()?.0.state == .aborting)
        #expect(try recorded()?.1.count == 3)
        next.name.id = "other"
        try first.record(next)
        #expect(try recorded()?.1.isEmpty == true)
        try first.forget()
        #expect(folder.list().isEmpty)
        try first.forget()
    }

    @Test func `a record of version 1, which has no SHA-256 of parts, is read`() throws {
        let writer = ledger()
        try writer.record(upload)
        try writer.record([parts[0]], of: upload.name.id)
        var bytes = try folder.read("upload")
        // The digest of the record, and the length of that of the part.
        bytes.removeLast(32 + 4)
        bytes[8] = 1
        let head = 20 + upload.name.id.utf8.count + upload.name.address.utf8.count
        let headDigest = try #require(SHA256.digest(of: Array(bytes.prefix(head))))
        bytes.replaceSubrange(head..<head + 32, with: headDigest)
        bytes += try #require(SHA256.digest(of: bytes))
        try folder.write("upload", bytes)
        let found = try #require(try recorded())
        #expect(found.0 == upload)
        #expect(found.1 == [parts[0]])
    }

    @Test func `a damaged record is recognized wherever it is damaged`() throws {
        let writer = ledger()
        try writer.record(upload)
        try writer.record(parts, of: upload.name.id)
        let whole = try folder.read("upload")
        var named = 0
        for count in 0..<whole.count {
            try folder.write("upload", Array(whole.prefix(count)))
            try check(&named)
            var changed = whole
            changed[count] ^= 0x40
            try folder.write("upload", changed)
            try check(&named)
        }
        #expect(named > whole.count)
    }

    /// Checks that the record is damaged, and names the right upload or none.
    private func check(_ named: inout Int) throws {
        guard case .damaged(let name) = try ledger().recorded() else {
            Issue.record("a damaged record was read")
            return
        }
        guard let name else { return }
        named += 1
        #expect(name == upload.name)
    }
}

import PawlCore
import PawlStorage
import SystemPackage
import PawlTesting
import Testing

/// The digests of the pieces that are stored with a finished file.
@Suite(.timeLimit(.minutes(5)))
struct PieceRecordTests {
    /// Finishes a file with as many pieces, and returns its folder.
    private func finish(pieces count: Int) throws -> (StorageFolder, PieceRecord) {
        let folder = try StorageFolder()
        let total = Int64(count) * 1_024
        let store = try PartialStore.sample(folder.paths(), total: total)
        try store.write(pattern(Int(total)), at: 0)
        let digests = (0..<count * 20).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let pieces = try #require(PieceDigests(.sha1, length: 1_024, bytes: digests))
        let record = try #require(PieceRecord(pieces, total: total))
        var file = CompleteFile(store: store, total: total, policy: .overwrite)
        file.notes.pieces = record
        file.notes.attributes[TextAttribute.digest.name] =
            "sha1=" + String(repeating: "0", count: 40)
        _ = try file.finish()
        return (folder, record)
    }

    @Test(arguments: [1, 50]) func `the digests of pieces are read again`(count: Int) throws {
        let (folder, record) = try finish(pieces: count)
        guard hasAttributes(folder) else { return }
        #expect(PieceRecord(of: folder.paths().final) == record)
    }

    /// A file system with 4 KiB for all attributes could store about 195 digests, but nothing else.
    @Test(arguments: [140, 190, 192, 194, 196, 198, 1_000, 4_000])
    func `digests that are too long are left out, and nothing else is`(count: Int) throws {
        let (folder, record) = try finish(pieces: count)
        guard hasAttributes(folder) else { return }
        let path = folder.paths().final
        let found = PieceRecord(of: path)
        #expect(found == nil || found == record)
        #expect(TextAttribute.digest.text(of: path) != nil)
        #expect(TextAttribute.representation.text(of: path) != nil)
    }

    @Test func `the pieces of a file of another size are not a record`() throws {
        let pieces = try #require(
            PieceDigests(.sha1, length: 1_024, bytes: [UInt8](repeating: 1, count: 40))
        )
        #expect(PieceRecord(pieces, total: 1_024) == nil)
        #expect(PieceRecord(pieces, total: 2_049) == nil)
        #expect(PieceRecord(pieces, total: 2_000) != nil)
    }

    @Test(arguments: [
        "", "sha1", "sha1:1024:2048", "sha1:1024:2048:", "sha1:1024:2048:short", "x:1024:2048:abc",
        "sha1:-1:2048:aaaaaaaaaaaaaaaaaaaa", "sha1:1024:99999999999999999999:aaaaaaaaaaaaaaaaaaaa",
        "sha1:1024:-5:aaaaaaaaaaaaaaaaaaaa", "sha1:1024:4096:aaaaaaaaaaaaaaaaaaaa",
    ])
    func `a record that makes no sense is ignored`(text: String) throws {
        let folder = try StorageFolder()
        try folder.put([1], "file")
        let path = folder.path.appending("file")
        _ = TextAttribute(name: "user.pawl.pieces").put(text, on: path)
        #expect(PieceRecord(of: path) == nil)
    }
}

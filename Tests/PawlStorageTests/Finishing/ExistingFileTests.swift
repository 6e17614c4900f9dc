import PawlCore
import PawlStorage
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ExistingFileTests {
    private static let abc = ContentDigest(
        .sha256,
        hexadecimal: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )

    private static func finish(
        in folder: ScratchFolder,
        _ representation: Representation
    ) throws -> FilePath {
        let store = try PartialStore.create(
            folder.paths(),
            source: "s",
            representation: representation
        )
        try store.write(pattern(5_000), at: 0)
        return try store.finish(total: 5_000, policy: .fail).path
    }

    @Test func `nothing there is absent, a directory an error`() throws {
        let folder = try ScratchFolder()
        let path = folder.paths().final
        #expect(try ExistingFile.compare(path, .sample(3), digest: nil) == .absent)
        try folder.makeFolder("disk.iso")
        let error = failure { _ = try ExistingFile.compare(path, .sample(3), digest: nil) }
        #expect(error?.code == .fileNotCreatable)
    }

    @Test func `a digest decides`() throws {
        let folder = try ScratchFolder()
        let path = folder.paths().final
        try folder.put(Array("abc".utf8), "disk.iso")
        let digest = try #require(Self.abc)
        #expect(try ExistingFile.compare(path, .sample(3), digest: digest) == .same)
        #expect(try ExistingFile.compare(path, Representation(), digest: digest) == .same)
        #expect(try ExistingFile.compare(path, .sample(4), digest: digest) == .different)
        try folder.put(Array("abd".utf8), "disk.iso")
        #expect(try ExistingFile.compare(path, .sample(3), digest: digest) == .different)
    }

    @Test func `what a piece's turn throws ends the comparison`() throws {
        let folder = try ScratchFolder()
        try folder.put(pattern(3_000_000), "disk.iso")
        var pieces = 0
        let error = failure {
            _ = try ExistingFile.compare(
                folder.paths().final,
                Representation(),
                digest: Self.abc
            ) { () throws(DownloadError) in
                pieces += 1
                if pieces == 3 { throw DownloadError(.interrupted, "enough") }
            }
        }
        #expect(error?.code == .interrupted)
        #expect(pieces == 3)
    }

    @Test func `without a digest and a mark of ours it differs`() throws {
        let folder = try ScratchFolder()
        try folder.put(Array("abc".utf8), "disk.iso")
        #expect(
            try ExistingFile.compare(folder.paths().final, .sample(3), digest: nil) == .different
        )
    }

    @Test func `the validators left on the file tell the same from another`() throws {
        let folder = try ScratchFolder()
        guard hasAttributes(folder) else { return }
        let path = try Self.finish(in: folder, .sample(5_000))
        #expect(ExtendedAttribute.representation.text(of: path)?.contains("\"v1\"") == true)
        #expect(try ExistingFile.compare(path, .sample(5_000), digest: nil) == .same)
        let other = Representation.sample(5_000, tag: "\"v2\"")
        #expect(try ExistingFile.compare(path, other, digest: nil) == .different)
        #expect(try ExistingFile.compare(path, .sample(nil), digest: nil) == .different)
    }

    @Test func `weak validators prove nothing`() throws {
        let folder = try ScratchFolder()
        var weak = Representation(total: 5_000)
        weak.entityTag = EntityTag(isWeak: true, opaque: "\"v1\"")
        let path = try Self.finish(in: folder, weak)
        #expect(try ExistingFile.compare(path, weak, digest: nil) == .different)
    }

    @Test func `a file that was edited since is another one`() throws {
        let folder = try ScratchFolder()
        guard hasAttributes(folder) else { return }
        let path = try Self.finish(in: folder, .sample(5_000))
        try #require(try ExistingFile.compare(path, .sample(5_000), digest: nil) == .same)
        // The clock that stamps files ticks slowly: until it has, the edit is not to be seen.
        repeat {
            try folder.overwrite("disk.iso", at: 0, [99])
        } while try ExistingFile.compare(path, .sample(5_000), digest: nil) == .same
    }

    @Test func `a link that leads nowhere is another file, not an absent one`() throws {
        let folder = try ScratchFolder()
        try folder.makeLink("disk.iso", to: "nowhere")
        #expect(
            try ExistingFile.compare(folder.paths().final, .sample(3), digest: nil) == .different
        )
    }
}

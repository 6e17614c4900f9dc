import PawlCore
import PawlStorage
import SystemPackage
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ExistingFileTests {
    private static let abc = ContentDigest(
        .sha256,
        hexadecimal: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )

    private static func finish(
        in folder: StorageFolder,
        _ representation: Representation
    ) throws -> FilePath {
        let store = try PartialCreation.create(
            folder.paths(),
            source: "s",
            representation: representation
        )
        try store.write(pattern(5_000), at: 0)
        return try store.finish(total: 5_000, policy: .fail).path
    }

    @Test func `a missing file is absent, and a folder is not a file`() throws {
        let folder = try StorageFolder()
        let path = folder.paths().final
        #expect(try ExistingFile.compare(path, .sample(3), digest: nil) == .absent)
        try folder.makeFolder("disk.iso")
        #expect(try ExistingFile.compare(path, .sample(3), digest: nil) == .folder)
    }

    @Test func `a digest decides`() throws {
        let folder = try StorageFolder()
        let path = folder.paths().final
        try folder.put(Array("abc".utf8), "disk.iso")
        let digest = try #require(Self.abc)
        #expect(try ExistingFile.compare(path, .sample(3), digest: digest) == .same)
        #expect(try ExistingFile.compare(path, Representation(), digest: digest) == .same)
        #expect(try ExistingFile.compare(path, .sample(4), digest: digest) == .different)
        try folder.put(Array("abd".utf8), "disk.iso")
        #expect(try ExistingFile.compare(path, .sample(3), digest: digest) == .different)
    }

    @Test func `an error between two pieces ends the comparison`() throws {
        let folder = try StorageFolder()
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

    @Test func `without a digest and Pawl's own attributes a file differs`() throws {
        let folder = try StorageFolder()
        try folder.put(Array("abc".utf8), "disk.iso")
        #expect(
            try ExistingFile.compare(folder.paths().final, .sample(3), digest: nil) == .different
        )
    }

    @Test func `validators stored with the file identify it`() throws {
        let folder = try StorageFolder()
        guard hasAttributes(folder) else { return }
        let path = try Self.finish(in: folder, .sample(5_000))
        #expect(TextAttribute.representation.text(of: path)?.contains("\"v1\"") == true)
        #expect(try ExistingFile.compare(path, .sample(5_000), digest: nil) == .same)
        let other = Representation.sample(5_000, tag: "\"v2\"")
        #expect(try ExistingFile.compare(path, other, digest: nil) == .different)
        #expect(try ExistingFile.compare(path, .sample(nil), digest: nil) == .different)
    }

    @Test func `weak validators prove nothing`() throws {
        let folder = try StorageFolder()
        var weak = Representation(total: 5_000)
        weak.entityTag = EntityTag(isWeak: true, opaque: "\"v1\"")
        let path = try Self.finish(in: folder, weak)
        #expect(try ExistingFile.compare(path, weak, digest: nil) == .different)
    }

    @Test func `a file edited since then is a different file`() throws {
        let folder = try StorageFolder()
        guard hasAttributes(folder) else { return }
        let path = try Self.finish(in: folder, .sample(5_000))
        try #require(try ExistingFile.compare(path, .sample(5_000), digest: nil) == .same)
        // Files get their timestamps from a coarse clock: until it advances, the edit is invisible.
        repeat {
            try folder.overwrite("disk.iso", at: 0, [99])
        } while try ExistingFile.compare(path, .sample(5_000), digest: nil) == .same
    }

    @Test func `a dangling link is a different file, not an absent one`() throws {
        let folder = try StorageFolder()
        try folder.makeLink("disk.iso", to: "nowhere")
        #expect(
            try ExistingFile.compare(folder.paths().final, .sample(3), digest: nil) == .different
        )
    }
}

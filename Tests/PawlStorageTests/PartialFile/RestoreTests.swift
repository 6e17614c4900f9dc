import PawlCore
import PawlStorage
import SystemPackage
import Testing

/// Resuming from resume data: which bytes of a partial file without its checkpoint are trusted.
@Suite(.timeLimit(.minutes(1)))
struct RestoreTests {
    private static let size = 100_000

    /// Leaves a partial file of which half is synced and three quarters are written.
    ///
    /// Returns its checkpoint, whose file was removed.
    private func leave(_ folder: StorageFolder) throws -> Checkpoint {
        let store = try PartialStore.sample(folder.paths(), total: Int64(Self.size))
        try store.write(pattern(75_000), at: 0)
        try store.saveCheckpoint(written: RangeSet((0, 50_000)))
        try store.sync(written: RangeSet((0, 50_000)))
        try store.saveCheckpoint(written: RangeSet((0, 75_000)))
        let checkpoint = try #require(store.latestCheckpoint)
        store.close()
        try folder.remove("disk.iso.part.pawl")
        return checkpoint
    }

    private func restore(
        _ checkpoint: Checkpoint,
        _ folder: StorageFolder,
        at name: String = "disk.iso.part",
        boot: BootIdentity = .firstBoot
    ) throws -> RestoredStore {
        let final = folder.path.appending("disk.iso")
        let place = RestorePlace(partial: folder.path.appending(name), final: final) {
            $0 == 0 ? final : folder.path.appending("disk.\($0).iso")
        }
        return try PartialRestoration.restore(checkpoint, at: place, settings: .on(boot))
    }

    private func have(_ restored: RestoredStore) -> RangeSet? {
        guard case .resumable(_, let recovery) = restored else { return nil }
        return recovery.have
    }

    private func obstacle(_ restored: RestoredStore) -> ResumeObstacle? {
        if case .obstacle(let obstacle) = restored { obstacle } else { nil }
    }

    @Test func `on the same boot written ranges count`() throws {
        let folder = try StorageFolder()
        let restored = try restore(leave(folder), folder)
        #expect(have(restored) == RangeSet((0, 75_000)))
        #expect(folder.names == ["disk.iso.part", "disk.iso.part.pawl"])
    }

    @Test func `after a reboot only synced ranges count`() throws {
        let folder = try StorageFolder()
        let restored = try restore(leave(folder), folder, boot: .secondBoot)
        #expect(have(restored) == RangeSet((0, 50_000)))
    }

    @Test func `a checkpoint made from resume data is equal`() throws {
        let folder = try StorageFolder()
        let checkpoint = try leave(folder)
        var content = ResumeContent(url: try SourceURL.parse("https://example.com/disk.iso").url)
        content.take(checkpoint, of: folder.paths())
        let read = try ResumeData(data: ResumeData(content).data)
        let again = Checkpoint(read.content)
        #expect(again.writtenClaims == checkpoint.writtenClaims)
        #expect(again.durableClaims == checkpoint.durableClaims)
        #expect(again.representation == checkpoint.representation)
        #expect(again.bootIdentity == checkpoint.bootIdentity)
        #expect(read.partialPath == folder.path.appending("disk.iso.part").string)
    }

    @Test func `a moved file replaces none and gets a number`() throws {
        let folder = try StorageFolder()
        let checkpoint = try leave(folder)
        try folder.rename("disk.iso.part", to: "elsewhere")
        try folder.put([1, 2, 3], "disk.iso.part")
        let restored = try restore(checkpoint, folder, at: "elsewhere")
        #expect(have(restored) == RangeSet((0, 75_000)))
        #expect(folder.names == ["disk.1.iso.part", "disk.1.iso.part.pawl", "disk.iso.part"])
        #expect(try folder.bytes("disk.iso.part") == [1, 2, 3])
    }

    @Test func `a file that the checkpoint does not prove stays as it is`() throws {
        let folder = try StorageFolder()
        let checkpoint = try leave(folder)
        try folder.put(pattern(Self.size, version: 1), "disk.iso.part")
        #expect(obstacle(try restore(checkpoint, folder)) == .partialFileChanged)
        #expect(folder.names == ["disk.iso.part"])
        try folder.remove("disk.iso.part")
        try folder.makeLink("disk.iso.part", to: "/dev/zero")
        #expect(obstacle(try restore(checkpoint, folder)) == .partialFileMissing)
    }
}

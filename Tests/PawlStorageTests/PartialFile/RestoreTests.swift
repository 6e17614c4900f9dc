import PawlCore
import PawlStorage
import SystemPackage
import PawlTesting
import Testing

/// Resuming from resume data: which bytes of a partial file without its checkpoint are trusted.
@Suite(.timeLimit(.minutes(5)))
struct RestoreTests {
    private static let size = 100_000

    /// Leaves a partial file of which half is synced and three quarters are written.
    ///
    /// Returns its checkpoint, whose file was removed.
    private func leave(_ folder: StorageFolder, written: Int64 = 75_000) throws -> Checkpoint {
        let store = try PartialStore.sample(folder.paths(), total: Int64(Self.size))
        try store.write(pattern(75_000), at: 0)
        if written > 50_000 {
            try store.saveCheckpoint(written: RangeSet((0, 50_000)))
            try store.sync(written: RangeSet((0, 50_000)))
        }
        try store.saveCheckpoint(written: RangeSet((0, written)))
        let checkpoint = try #require(store.latestCheckpoint)
        store.close()
        try folder.remove("disk.iso.part.pawl")
        return checkpoint
    }

    private func restore(
        _ checkpoint: Checkpoint,
        _ folder: StorageFolder,
        at name: String = "disk.iso.part",
        isGiven: Bool = true,
        boot: BootIdentity = .firstBoot
    ) throws -> RestoredStore {
        let final = folder.path.appending("disk.iso")
        let target = RestoreTarget(
            partial: folder.path.appending(name),
            isGiven: isGiven,
            final: final
        ) { $0 == 0 ? final : folder.path.appending("disk.\($0).iso") }
        return try PartialRestoration.restore(checkpoint, at: target, settings: .on(boot))
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

    /// Resume data could name any file of the user, and claim bytes that anybody can guess.
    @Test(arguments: [("report.pdf", 75_000), ("report.part", 1), ("report.part", 4095)])
    func `a path in resume data takes only a file that is proven to be a partial one`(
        name: String,
        claimed: Int64
    ) throws {
        let folder = try StorageFolder()
        let checkpoint = try leave(folder, written: claimed)
        try folder.rename("disk.iso.part", to: name)
        let bytes = try folder.bytes(name)
        let restored = try restore(checkpoint, folder, at: name, isGiven: false)
        let isPartial = name.hasSuffix(".part")
        #expect(obstacle(restored) == (isPartial ? .partialFileChanged : .partialFileMissing))
        #expect(folder.names == [name])
        #expect(try folder.bytes(name) == bytes)
        // The program may name any file itself.
        #expect(have(try restore(checkpoint, folder, at: name)) == RangeSet((0, claimed)))
    }

    @Test func `a path in resume data finds a partial file without its checkpoint`() throws {
        let folder = try StorageFolder()
        let checkpoint = try leave(folder, written: 4096)
        let restored = try restore(checkpoint, folder, isGiven: false)
        #expect(have(restored) == RangeSet((0, 4096)))
    }

    @Test(arguments: ["report.pdf", "CFNetworkDownload_4711.tmp"])
    func `imported resume data take only a temporary file of Apple's`(name: String) throws {
        let folder = try StorageFolder()
        try folder.put(pattern(Self.size), name)
        let final = folder.path.appending("disk.iso")
        let target = RestoreTarget(
            partial: folder.path.appending(name),
            isGiven: false,
            final: final,
            numbered: { _ in final }
        )
        let restored = try PartialRestoration.takeOver(
            beginning: Int64(Self.size),
            of: .sample(Int64(Self.size)),
            source: "https://example.com/disk.iso",
            at: target,
            settings: .on(.firstBoot)
        )
        let isApples = name.hasSuffix(".tmp")
        #expect((obstacle(restored) == nil) == isApples)
        #expect(folder.names.contains(name) != isApples)
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

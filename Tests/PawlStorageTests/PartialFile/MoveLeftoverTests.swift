import PawlCore
import PawlStorage
import SystemPackage
import PawlTesting
import Testing

/// The files of a download get another download's names.
@Suite(.timeLimit(.minutes(5)))
struct MoveLeftoverTests {
    private func leave(_ folder: StorageFolder) throws {
        let store = try PartialStore.sample(folder.paths(), total: 100_000)
        try store.write(pattern(75_000), at: 0)
        try store.saveCheckpoint(written: RangeSet((0, 75_000)))
        store.close()
    }

    private func move(_ folder: StorageFolder) throws {
        try PartialRelocation.move(folder.paths(), to: folder.paths("copy.iso"))
    }

    @Test func `both files are renamed and can be resumed`() throws {
        let folder = try StorageFolder()
        try leave(folder)
        try move(folder)
        #expect(folder.names == ["copy.iso.part", "copy.iso.part.pawl"])
        let resumed = try resume(folder.paths("copy.iso"))
        #expect(resumed.recovery.have == RangeSet((0, 75_000)))
    }

    @Test func `an interrupted move can be completed`() throws {
        let folder = try StorageFolder()
        try leave(folder)
        try Renaming.withoutReplacing(folder.paths().partial, folder.paths("copy.iso").partial)
        try move(folder)
        #expect(folder.names == ["copy.iso.part", "copy.iso.part.pawl"])
        // A completed move can be repeated without effect.
        try move(folder)
        #expect(try resume(folder.paths("copy.iso")).recovery.have == RangeSet((0, 75_000)))
    }

    @Test func `nothing is replaced`() throws {
        let folder = try StorageFolder()
        try leave(folder)
        try folder.put([1], "copy.iso.part")
        #expect(failure { try move(folder) }?.code == .fileExists)
        #expect(try folder.bytes("copy.iso.part") == [1])
        #expect(folder.names.contains("disk.iso.part"))
        #expect(folder.names.contains("disk.iso.part.pawl"))
    }

    @Test func `files that another process holds stay`() throws {
        let folder = try StorageFolder()
        try leave(folder)
        let owner = try resume(folder.paths())
        #expect(failure { try move(folder) }?.code == .alreadyRunning)
        #expect(folder.names == ["disk.iso.part", "disk.iso.part.pawl"])
        owner.store.close()
    }

    @Test func `another tool's partial file stays, and moving nothing is not an error`() throws {
        let folder = try StorageFolder()
        try move(folder)
        try folder.put([1], "disk.iso.part")
        try move(folder)
        #expect(folder.names == ["disk.iso.part"])
    }
}

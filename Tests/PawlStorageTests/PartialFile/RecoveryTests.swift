import PawlCore
import PawlStorage
import SystemPackage
import PawlTesting
import Testing

/// The rows of "Resume, before the first request".
@Suite(.timeLimit(.minutes(5)))
struct RecoveryTests {
    private static let names = ["disk.iso.part", "disk.iso.part.pawl"]

    /// Leaves 20,000 bytes: the first 8,000 are durable, those from 10,000 to 16,000 only written.
    private static func leave(
        in folder: StorageFolder,
        _ representation: Representation = .sample(20_000)
    ) throws {
        let store = try PartialCreation.create(
            folder.paths(),
            source: "https://example.com/disk.iso",
            representation: representation,
            settings: .on(.firstBoot)
        )
        try store.write(pattern(20_000), at: 0)
        try store.sync(written: RangeSet((0, 8_000)))
        try store.saveCheckpoint(written: RangeSet((0, 8_000), (10_000, 16_000)))
        store.close()
    }

    @Test func `without files there is nothing to recover`() throws {
        let folder = try StorageFolder()
        #expect(notesOfNothing(try PartialRecovery.recover(folder.paths())) == [])
    }

    @Test func `on the same boot written ranges count`() throws {
        let folder = try StorageFolder()
        try Self.leave(in: folder)
        let found = try resume(folder.paths())
        #expect(found.recovery.have == RangeSet((0, 8_000), (10_000, 16_000)))
        #expect(found.store.durable == RangeSet((0, 8_000)))
        #expect(found.recovery.notes == [])
    }

    @Test func `after a reboot only durable ranges count`() throws {
        let folder = try StorageFolder()
        try Self.leave(in: folder)
        let found = try resume(folder.paths(), boot: .secondBoot)
        #expect(found.recovery.have == RangeSet((0, 8_000)))
        #expect(found.recovery.notes.count == 1)
        #expect(found.recovery.notes.first?.contains("6000 bytes") == true)
    }

    @Test func `an unknown boot is never the same`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 10, boot: BootIdentity(""))
        try store.write(pattern(10), at: 0)
        try store.saveCheckpoint(written: RangeSet((0, 10)))
        store.close()
        #expect(try resume(folder.paths(), boot: BootIdentity("")).recovery.have.isEmpty)
    }

    @Test func `a range whose end is not in the file is dropped, the others stay`() throws {
        let folder = try StorageFolder()
        try Self.leave(in: folder)
        try folder.overwrite("disk.iso.part", at: 15_999, [pattern(20_000)[15_999] ^ 1])
        let found = try resume(folder.paths())
        #expect(found.recovery.have == RangeSet((0, 8_000)))
        #expect(found.recovery.notes.first?.contains("10000-15999") == true)
    }

    @Test func `a truncated partial file keeps the ranges it still has`() throws {
        let folder = try StorageFolder()
        try Self.leave(in: folder)
        try folder.cut("disk.iso.part", to: 12_000)
        #expect(try resume(folder.paths()).recovery.have == RangeSet((0, 8_000)))
    }

    @Test func `a durable range is kept if the written one around it is not proven`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 20_000)
        try store.write(pattern(20_000), at: 0)
        try store.sync(written: RangeSet((0, 8_000)))
        try store.saveCheckpoint(written: RangeSet((0, 20_000)))
        store.close()
        try folder.cut("disk.iso.part", to: 9_000)
        let found = try resume(folder.paths())
        #expect(found.recovery.have == RangeSet((0, 8_000)))
        #expect(found.recovery.notes.first?.contains("8000-19999") == true)
    }

    @Test func `another file under the name is not trusted`() throws {
        let folder = try StorageFolder()
        try Self.leave(in: folder)
        try folder.remove("disk.iso.part")
        try folder.put(pattern(20_000, version: 3), "disk.iso.part")
        let found = try resume(folder.paths())
        #expect(found.recovery.have.isEmpty)
        #expect(try folder.bytes("disk.iso.part") == pattern(20_000, version: 3))
    }

    @Test func `files renamed together are resumed, and that is reported`() throws {
        let folder = try StorageFolder()
        try Self.leave(in: folder)
        try folder.rename("disk.iso.part", to: "other.iso.part")
        try folder.rename("disk.iso.part.pawl", to: "other.iso.part.pawl")
        let found = try resume(folder.paths("other.iso"))
        #expect(found.recovery.have == RangeSet((0, 8_000), (10_000, 16_000)))
        #expect(found.recovery.notes.first?.contains("written for disk.iso") == true)
    }

    @Test func `a missing partial file leaves no ranges`() throws {
        let folder = try StorageFolder()
        try Self.leave(in: folder)
        try folder.remove("disk.iso.part")
        let found = try resume(folder.paths())
        #expect(found.recovery.have.isEmpty)
        #expect(found.recovery.notes.count == 1)
        try found.store.write(pattern(20_000), at: 0)
        try found.store.saveCheckpoint(written: RangeSet((0, 20_000)))
        #expect(folder.names == Self.names)
        found.store.close()
        #expect(try resume(folder.paths()).recovery.have == RangeSet((0, 20_000)))
    }

    @Test(arguments: [
        ("torn", [UInt8](repeating: 0, count: 5_000)),
        ("foreign", Array("something else entirely".utf8)),
        ("newer", Array("PAWLCKPT".utf8) + [9, 0, 0, 0] + [UInt8](repeating: 7, count: 100)),
    ])
    func `an unusable checkpoint is set aside with its file`(kind: String, bytes: [UInt8]) throws {
        let folder = try StorageFolder()
        try Self.leave(in: folder)
        try folder.put(bytes, "disk.iso.part.pawl")
        try folder.put([1], "disk.iso.part.1")
        try folder.put([2], "disk.iso.part.pawl.2")
        let notes = notesOfNothing(
            try PartialRecovery.recover(folder.paths(), settings: .on(.firstBoot))
        )
        #expect(notes?.count == 1)
        #expect(notes?.first?.contains("disk.iso.part.3") == true)
        #expect(
            folder.names == [
                "disk.iso.part.1", "disk.iso.part.3", "disk.iso.part.pawl.2",
                "disk.iso.part.pawl.3",
            ]
        )
        #expect(try folder.bytes("disk.iso.part.3") == pattern(20_000))
        #expect(try folder.bytes("disk.iso.part.pawl.3") == bytes)
    }

    @Test func `a damaged checkpoint without a file is removed, a foreign one kept`() throws {
        let folder = try StorageFolder()
        try folder.put([], "disk.iso.part.pawl")
        #expect(notesOfNothing(try PartialRecovery.recover(folder.paths()))?.count == 1)
        #expect(folder.names == [])
        try folder.put([1, 2, 3], "disk.iso.part.pawl")
        #expect(notesOfNothing(try PartialRecovery.recover(folder.paths()))?.count == 1)
        #expect(folder.names == ["disk.iso.part.pawl.1"])
    }

    @Test func `another tool's partial file is not touched`() throws {
        let folder = try StorageFolder()
        try folder.put(pattern(100), "disk.iso.part")
        #expect(isForeign(try PartialRecovery.recover(folder.paths())))
        #expect(folder.names == ["disk.iso.part"])
        #expect(try folder.bytes("disk.iso.part") == pattern(100))
    }

    @Test(arguments: [true, false])
    func `a link or a directory in place of the file is foreign`(isLink: Bool) throws {
        let folder = try StorageFolder()
        try Self.leave(in: folder)
        try folder.rename("disk.iso.part", to: "elsewhere")
        if isLink {
            try folder.makeLink("disk.iso.part", to: "elsewhere")
        } else {
            try folder.makeFolder("disk.iso.part")
        }
        #expect(isForeign(try PartialRecovery.recover(folder.paths(), settings: .on(.firstBoot))))
        #expect(try folder.bytes("elsewhere") == pattern(20_000))
    }

    @Test func `a link in place of the checkpoint is set aside and not followed`() throws {
        let folder = try StorageFolder()
        try Self.leave(in: folder)
        try folder.rename("disk.iso.part.pawl", to: "elsewhere")
        try folder.makeLink("disk.iso.part.pawl", to: "elsewhere")
        #expect(
            notesOfNothing(try PartialRecovery.recover(folder.paths(), settings: .on(.firstBoot)))
                != nil
        )
        #expect(folder.names == ["disk.iso.part.1", "disk.iso.part.pawl.1", "elsewhere"])
    }

    @Test(arguments: ["none", "weak tag", "fresh date"])
    func `without a strong validator a file is resumed only if allowed`(kind: String) throws {
        let folder = try StorageFolder()
        var representation = Representation(total: 20_000)
        if kind == "weak tag" {
            representation.entityTag = EntityTag(isWeak: true, opaque: "\"w\"")
        }
        if kind == "fresh date" { representation.lastModified = "Mon, 06 Jul 2026 08:49:37 GMT" }
        try Self.leave(in: folder, representation)
        do {
            let refused = try resume(folder.paths())
            #expect(refused.recovery.have.isEmpty)
            #expect(refused.recovery.notes.count == 1)
            refused.store.close()
        }
        let allowed = try resume(folder.paths(), allowsWeakResume: true)
        #expect(allowed.recovery.have == RangeSet((0, 8_000), (10_000, 16_000)))
    }

    @Test func `an encoded body is never resumed`() throws {
        let folder = try StorageFolder()
        var representation = Representation.sample(20_000)
        representation.contentEncoding = "gzip"
        try Self.leave(in: folder, representation)
        let found = try resume(folder.paths(), allowsWeakResume: true)
        #expect(found.recovery.have.isEmpty)
        #expect(found.recovery.notes.first?.contains("gzip") == true)
    }

    @Test func `if the newest slot is torn by a kill, the one before is used`() throws {
        let folder = try StorageFolder()
        try Self.leave(in: folder)
        let bytes = try folder.bytes("disk.iso.part.pawl")
        guard case .sound(let newest, let slotSize, let table) = CheckpointImage(bytes) else {
            Issue.record("no sound checkpoint")
            return
        }
        let slot = try #require(table.sequences.firstIndex(of: newest.sequence))
        let offset = Int64(CheckpointHeader.length + slot * slotSize + 100)
        try folder.overwrite("disk.iso.part.pawl", at: offset, [0xFF, 0xFF, 0xFF])
        let found = try resume(folder.paths())
        #expect(found.recovery.have == RangeSet((0, 8_000)))
    }

    @Test func `describing finds what a resume would trust, without the lock`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 20_000)
        try store.write(pattern(20_000), at: 0)
        try store.sync(written: RangeSet((0, 8_000)))
        try store.saveCheckpoint(written: RangeSet((0, 8_000), (10_000, 16_000)))
        for path in [folder.paths().partial, folder.paths().checkpoint] {
            let here = try CheckpointSummary.read(path, boot: .firstBoot)
            #expect(here.isOfThisBoot)
            #expect(here.usable == RangeSet((0, 8_000), (10_000, 16_000)))
            #expect(here.checkpoint.targetName == Array("disk.iso".utf8))
            let later = try CheckpointSummary.read(path, boot: .secondBoot)
            #expect(!later.isOfThisBoot)
            #expect(later.usable == RangeSet((0, 8_000)))
        }
        store.close()
        try folder.remove("disk.iso.part")
        #expect(try CheckpointSummary.read(folder.paths().partial).usable.isEmpty)
    }

    @Test func `describing a file that is not a checkpoint is an error`() throws {
        let folder = try StorageFolder()
        try folder.put([1, 2, 3], "disk.iso.part.pawl")
        for name in ["disk.iso", "other.part", "disk.iso.part"] {
            let path = folder.path.appending(name)
            #expect(failure { _ = try CheckpointSummary.read(path) }?.code == .fileUnreadable)
        }
    }
}

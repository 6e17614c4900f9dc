import PawlCore
import PawlStorage
import SystemPackage
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PartialStoreTests {
    @Test func `nothing appears in the folder before the first claim`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 100)
        try store.write(pattern(100), at: 0)
        #expect(folder.names == [])
        try store.saveCheckpoint(written: RangeSet((0, 100)))
        #expect(folder.names == ["disk.iso.part", "disk.iso.part.pawl"])
        store.close()
        #expect(folder.names == ["disk.iso.part", "disk.iso.part.pawl"])
    }

    @Test func `a store that was never claimed leaves nothing`() throws {
        let folder = try StorageFolder()
        do {
            let store = try PartialStore.sample(folder.paths(), total: 100)
            try store.write(pattern(100), at: 0)
            store.close()
        }
        #expect(folder.names == [])
    }

    @Test func `without unnamed files both files exist from the start`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 100, unnamed: false)
        #expect(folder.names == ["disk.iso.part", "disk.iso.part.pawl"])
        store.close()
        let found = try resume(folder.paths())
        #expect(found.recovery.have.isEmpty)
    }

    @Test(arguments: [true, false])
    func `written ranges are recovered with their representation`(unnamed: Bool) throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 50_000, unnamed: unnamed)
        let bytes = pattern(50_000)
        try store.write(Array(bytes[..<10_000]), at: 0)
        try store.write(Array(bytes[40_000...]), at: 40_000)
        try store.saveCheckpoint(written: RangeSet((0, 10_000), (40_000, 50_000)))
        store.close()

        let found = try resume(folder.paths())
        #expect(found.recovery.have == RangeSet((0, 10_000), (40_000, 50_000)))
        #expect(found.recovery.representation == .sample(50_000))
        #expect(found.recovery.source == "https://example.com/disk.iso")
        #expect(found.recovery.notes == [])
        #expect(found.store.durable.isEmpty)
        try found.store.write(Array(bytes[10_000..<40_000]), at: 10_000)
        let path = try found.store.finish(total: 50_000, policy: .fail).path
        #expect(try readBytes(path) == bytes)
        #expect(folder.names == ["disk.iso"])
    }

    @Test func `bytes are read as they were written`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: nil)
        try store.write(pattern(1_000), at: 5_000)
        var buffer = [UInt8](repeating: 1, count: 2_000)
        let count = try buffer.withUnsafeMutableBytes { try store.read(into: $0, at: 5_000) }
        #expect(count == 1_000)
        #expect(Array(buffer[..<1_000]) == pattern(1_000))
    }

    @Test func `an impossible offset is an error, not a crash`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: nil)
        for offset in [Int64.max, Int64.max - 5, -1, .min] {
            let error = failure { try store.write(pattern(10), at: offset) }
            #expect(error?.code == .fileNotCreatable)
        }
    }

    @Test func `a claim of missing bytes claims less`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 10_000)
        try store.write(pattern(1_000), at: 0)
        try store.saveCheckpoint(written: RangeSet((0, 1_000), (5_000, 6_000)))
        #expect(
            try CheckpointSummary.read(folder.paths().partial).checkpoint.written
                == RangeSet((0, 1_000))
        )
    }

    @Test func `synced ranges are durable and grow`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 10_000)
        try store.write(pattern(10_000), at: 0)
        try store.sync(written: RangeSet((0, 1_000)))
        #expect(store.durable == RangeSet((0, 1_000)))
        try store.saveCheckpoint(written: RangeSet((0, 9_000)))
        #expect(store.durable == RangeSet((0, 1_000)))
        try store.sync(written: RangeSet((2_000, 3_000)))
        #expect(store.durable == RangeSet((0, 1_000), (2_000, 3_000)))
        let checkpoint = try CheckpointSummary.read(folder.paths().partial).checkpoint
        #expect(checkpoint.durable == store.durable)
        #expect(checkpoint.written == RangeSet((0, 9_000)))
    }

    @Test func `a reset empties the file and its claims and sets the representation`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 10_000)
        try store.write(pattern(10_000), at: 0)
        try store.sync(written: RangeSet((0, 10_000)))
        try store.reset(
            representation: .sample(500, tag: "\"v2\""),
            source: "https://mirror.example/disk.iso"
        )
        #expect(store.durable.isEmpty)
        #expect(try folder.bytes("disk.iso.part").isEmpty)
        store.close()
        let found = try resume(folder.paths())
        #expect(found.recovery.have.isEmpty)
        #expect(found.recovery.representation == .sample(500, tag: "\"v2\""))
        #expect(found.recovery.source == "https://mirror.example/disk.iso")
    }

    @Test func `after a reset the same range of other bytes has another checksum`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 10_000)
        try store.write(pattern(10_000), at: 0)
        try store.sync(written: RangeSet((0, 10_000)))
        try store.reset(representation: .sample(10_000, tag: "\"v2\""), source: "s")
        try store.write(pattern(10_000, version: 9), at: 0)
        try store.saveCheckpoint(written: RangeSet((0, 10_000)))
        store.close()
        #expect(try resume(folder.paths()).recovery.have == RangeSet((0, 10_000)))
    }

    @Test func `a representation learned later is in the next claim`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: nil)
        try store.write(pattern(10), at: 0)
        try store.saveCheckpoint(written: RangeSet((0, 10)))
        store.setRepresentation(.sample(77))
        try store.saveCheckpoint(written: RangeSet((0, 10)))
        #expect(
            try CheckpointSummary.read(folder.paths().checkpoint).checkpoint.representation
                == .sample(77)
        )
    }

    @Test func `discarding leaves nothing`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 10)
        try store.write(pattern(10), at: 0)
        try store.sync(written: RangeSet((0, 10)))
        try store.discard()
        #expect(folder.names == [])
    }

    @Test func `discarding does not remove a file that took the name`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 10)
        try store.saveCheckpoint(written: RangeSet())
        try FileDescriptor.replace(folder, "disk.iso.part", pattern(5))
        try store.discard()
        #expect(folder.names == ["disk.iso.part"])
        #expect(try folder.bytes("disk.iso.part") == pattern(5))
    }

    @Test func `after closing nothing more is claimed`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 10)
        try store.write(pattern(10), at: 0)
        try store.saveCheckpoint(written: RangeSet((0, 5)))
        store.close()
        try store.saveCheckpoint(written: RangeSet((0, 10)))
        try store.sync(written: RangeSet((0, 10)))
        #expect(
            try CheckpointSummary.read(folder.paths().partial).checkpoint.written
                == RangeSet((0, 5))
        )
    }

    @Test func `a checkpoint of many ranges grows and stays readable`() throws {
        let folder = try StorageFolder()
        let count: Int64 = 3_000
        let store = try PartialStore.sample(folder.paths(), total: count * 10)
        try store.write(pattern(Int(count * 10)), at: 0)
        var written = RangeSet()
        for index in 0..<count {
            written.insert(ByteRange(index * 10, index * 10 + 5))
            if index.isMultiple(of: 500) { try store.saveCheckpoint(written: written) }
        }
        try store.sync(written: written)
        store.close()
        #expect(folder.names == ["disk.iso.part", "disk.iso.part.pawl"])
        let found = try resume(folder.paths(), boot: .secondBoot)
        #expect(found.recovery.have == written)
        try found.store.saveCheckpoint(written: written)
    }

    @Test func `concurrent claims and syncs leave a valid checkpoint`() async throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 400_000)
        let bytes = pattern(400_000)
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for end in stride(from: 1_000, through: 400_000, by: 1_000) {
                    try store.write(Array(bytes[(end - 1_000)..<end]), at: Int64(end - 1_000))
                    try store.saveCheckpoint(written: RangeSet((0, Int64(end))))
                    _ = try CheckpointSummary.read(folder.paths().partial, boot: .firstBoot)
                }
            }
            group.addTask {
                for _ in 0..<40 {
                    let known = (try? CheckpointSummary.read(folder.paths().partial))?.checkpoint
                    try store.sync(written: known?.written ?? RangeSet())
                }
            }
        }
        try store.sync(written: RangeSet((0, 400_000)))
        #expect(store.durable == RangeSet((0, 400_000)))
        store.close()
        let found = try resume(folder.paths(), boot: .secondBoot)
        #expect(found.recovery.have == RangeSet((0, 400_000)))
        #expect(found.recovery.notes == [])
    }

    @Test func `a directory under the final name is refused at once`() throws {
        let folder = try StorageFolder()
        try FolderPreparation.prepare(folder.path.appending("disk.iso"))
        let error = failure { _ = try PartialStore.sample(folder.paths(), total: 10) }
        #expect(error?.code == .fileNotCreatable)
        #expect(error?.message == "disk.iso is a directory")
    }

    @Test func `a name that is too long is refused at once, the longest possible works`() throws {
        let folder = try StorageFolder()
        let long = String(repeating: "x", count: 256)
        let error = failure { _ = try PartialStore.sample(folder.paths(long), total: 10) }
        #expect(error?.code == .fileNotCreatable)

        let paths = folder.paths(String(repeating: "ü", count: 127) + "z")
        let store = try PartialStore.sample(paths, total: 10)
        try store.write(pattern(10), at: 0)
        try store.saveCheckpoint(written: RangeSet((0, 10)))
        store.close()
        let found = try resume(paths)
        #expect(found.recovery.have == RangeSet((0, 10)))
        #expect(try found.store.finish(total: 10, policy: .fail).path == paths.final)
    }

    @Test func `a missing folder is reported as an error of the folder`() throws {
        let folder = try StorageFolder()
        let paths = DownloadPaths(folder.path.appending("no").appending("disk.iso"))
        #expect(
            failure { _ = try PartialStore.sample(paths, total: 1) }?.code == .directoryNotUsable
        )
    }
}

extension FileDescriptor {
    /// Replaces the file with another one of the same name.
    static func replace(_ folder: StorageFolder, _ name: String, _ bytes: [UInt8]) throws {
        try folder.put(bytes, name + ".other")
        try folder.rename(name + ".other", to: name)
    }
}

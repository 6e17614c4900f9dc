import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import Synchronization
import Testing

/// Disks that fail, and disks that are slow.
@Suite(.timeLimit(.minutes(5)))
struct SyncTests {
    private func store(
        of total: Int64,
        in folder: StorageFolder,
        on disk: FailingDisk
    ) throws -> PartialStore {
        try PartialCreation.create(
            folder.paths(),
            source: "s",
            representation: .sample(total),
            settings: disk.settings
        )
    }

    @Test func `after a failed sync only previously durable ranges are claimed`() throws {
        let folder = try StorageFolder()
        let disk = FailingDisk()
        let store = try store(of: 10_000, in: folder, on: disk)
        try store.write(pattern(10_000), at: 0)
        try store.sync(written: RangeSet((0, 1_000)))
        try store.saveCheckpoint(written: RangeSet((0, 9_000)))

        disk.fails.store(true, ordering: .relaxed)
        let error = failure { try store.sync(written: RangeSet((0, 9_000))) }
        #expect(error?.code == .diskFailure)
        #expect(error?.context?.contains("syncing") == true)
        #expect(store.durable == RangeSet((0, 1_000)))
        // On this boot, too: the kernel may have dropped the pages.
        let summary = try CheckpointSummary.read(folder.paths().partial, boot: .firstBoot)
        #expect(summary.usable == RangeSet((0, 1_000)))

        disk.fails.store(false, ordering: .relaxed)
        try store.write(pattern(10_000), at: 0)
        try store.sync(written: RangeSet((0, 10_000)))
        #expect(store.durable == RangeSet((0, 10_000)))
    }

    @Test func `a file whose last sync fails does not get its name`() throws {
        let folder = try StorageFolder()
        let disk = FailingDisk()
        let store = try store(of: 10, in: folder, on: disk)
        try store.write(pattern(10), at: 0)
        try store.saveCheckpoint(written: RangeSet((0, 10)))
        disk.fails.store(true, ordering: .relaxed)
        #expect(failure { _ = try store.finish(total: 10, policy: .fail) }?.code == .diskFailure)
        #expect(folder.names == ["disk.iso.part", "disk.iso.part.pawl"])
        store.close()
        #expect(try resume(folder.paths()).recovery.have.isEmpty)
    }

    @Test func `a slow sync does not delay claims`() async throws {
        let folder = try StorageFolder()
        let begun = Gate()
        let ended = Gate()
        var settings = StoreSettings.on(.firstBoot)
        settings.syncData = { _ in
            begun.open()
            ended.wait()
            return 0
        }
        let store = try PartialCreation.create(
            folder.paths(),
            source: "s",
            representation: .sample(10_000),
            settings: settings
        )
        try store.write(pattern(10_000), at: 0)
        // The first sync, which also creates the name, is of the other kind and quick.
        try store.sync(written: RangeSet((0, 100)))
        let pool = BlockingPool(threads: 1, name: "slow")
        async let slow: Void = pool.run { () throws(DownloadError) in
            try store.sync(written: RangeSet((0, 5_000)))
        }
        await Task.detached { begun.wait() }.value
        for end in stride(from: Int64(100), through: 10_000, by: 100) {
            try store.saveCheckpoint(written: RangeSet((0, end)))
        }
        let during = try CheckpointSummary.read(folder.paths().partial).checkpoint
        #expect(during.written == RangeSet((0, 10_000)))
        #expect(during.durable == RangeSet((0, 100)))
        ended.open()
        try await slow
        let after = try CheckpointSummary.read(folder.paths().partial).checkpoint
        #expect(after.written == RangeSet((0, 10_000)))
        #expect(after.durable == RangeSet((0, 5_000)))
    }

    @Test func `a sync requested before a reset makes nothing durable`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 10_000)
        try store.write(pattern(10_000), at: 0)
        let epoch = store.trustEpoch
        try store.reset(representation: .sample(10_000, tag: "\"v2\""), source: "s")
        try store.write(pattern(1_000, version: 2), at: 0)
        try store.sync(written: RangeSet((0, 9_000)), epoch: epoch)
        #expect(store.durable.isEmpty)
        try store.sync(written: RangeSet((0, 1_000)), epoch: store.trustEpoch)
        #expect(store.durable == RangeSet((0, 1_000)))
    }

    @Test func `a claim requested before a failed sync claims nothing`() throws {
        let folder = try StorageFolder()
        let disk = FailingDisk()
        let store = try store(of: 10_000, in: folder, on: disk)
        let epoch = store.trustEpoch
        try store.write(pattern(10_000), at: 0)
        try store.sync(written: RangeSet((0, 1_000)))
        disk.fails.store(true, ordering: .relaxed)
        #expect(failure { try store.sync(written: RangeSet((0, 9_000))) }?.code == .diskFailure)
        try store.saveCheckpoint(written: RangeSet((0, 9_000)), epoch: epoch)
        let summary = try CheckpointSummary.read(folder.paths().partial, boot: .firstBoot)
        #expect(summary.usable == RangeSet((0, 1_000)))
        try store.saveCheckpoint(written: RangeSet((0, 2_000)), epoch: store.trustEpoch)
        let later = try CheckpointSummary.read(folder.paths().partial, boot: .firstBoot)
        #expect(later.usable == RangeSet((0, 2_000)))
    }

    @Test func `a sync that failed after the last byte denies the file its name`() throws {
        let folder = try StorageFolder()
        let disk = FailingDisk()
        let store = try store(of: 10, in: folder, on: disk)
        let epoch = store.trustEpoch
        try store.write(pattern(10), at: 0)
        disk.fails.store(true, ordering: .relaxed)
        #expect(failure { try store.sync(written: RangeSet((0, 10))) }?.code == .diskFailure)
        // The kernel reports a failure once: the next sync succeeds.
        disk.fails.store(false, ordering: .relaxed)
        let error = failure { _ = try store.finish(total: 10, policy: .fail, epoch: epoch) }
        #expect(error?.code == .diskFailure)
        #expect(!folder.names.contains("disk.iso"))
        _ = try store.finish(total: 10, policy: .fail, epoch: store.trustEpoch)
        #expect(folder.names == ["disk.iso"])
    }

    @Test func `claims beyond a smaller total are dropped`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: nil)
        try store.write(pattern(10_000), at: 0)
        try store.sync(written: RangeSet((0, 10_000)))
        store.setRepresentation(.sample(6_000))
        try store.saveCheckpoint(written: RangeSet((0, 10_000)))
        let checkpoint = try CheckpointSummary.read(folder.paths().partial).checkpoint
        #expect(checkpoint.representation == .sample(6_000))
        #expect(checkpoint.written == RangeSet((0, 6_000)))
        #expect(checkpoint.durable == RangeSet((0, 6_000)))
    }
}

/// Returns EIO on request.
private final class FailingDisk: Sendable {
    let fails = Atomic(false)

    var settings: StoreSettings {
        var settings = StoreSettings.on(.firstBoot)
        settings.syncData = { self.sync($0, fdatasync) }
        settings.syncAll = { self.sync($0, fsync) }
        return settings
    }

    private func sync(_ descriptor: Int32, _ call: (Int32) -> Int32) -> Int32 {
        guard fails.load(ordering: .relaxed) else { return call(descriptor) }
        errno = EIO
        return -1
    }
}

import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// A partial file moves to the folder of its download, from another file system, too.
@Suite(.timeLimit(.minutes(5)))
struct RelocationTests {
    fileprivate static let size = 100_000
    fileprivate static let have = RangeSet((0, 75_000))

    /// Whether the partial file is on another file system than its download.
    private static let ways = TwoDisks.isAvailable ? [false, true] : [false]

    fileprivate struct Scene {
        let from: ScratchFolder
        let to: ScratchFolder
        let checkpoint: Checkpoint

        /// Leaves a partial file of which three quarters are written.
        init(far: Bool) throws {
            let disks = far ? try TwoDisks() : nil
            to = try disks?.near ?? ScratchFolder()
            from = try disks?.far ?? ScratchFolder()
            let store = try PartialStore.sample(
                DownloadPaths(from.file("left")),
                total: Int64(RelocationTests.size)
            )
            try store.write(pattern(75_000), at: 0)
            try store.saveCheckpoint(written: RelocationTests.have)
            checkpoint = try #require(store.latestCheckpoint)
            store.close()
        }

        func restore(
            onPiece: @escaping @Sendable () throws(DownloadError) -> Void = {}
        ) throws -> (PartialStore, Recovery) {
            let (to, final) = (to, to.file("disk.iso"))
            let target = RestoreTarget(
                partial: from.file("left.part"),
                final: final,
                numbered: { $0 == 0 ? final : to.file("disk.\($0).iso") },
                onPiece: onPiece
            )
            let restored = try PartialRestoration.restore(
                checkpoint,
                at: target,
                settings: .on(.firstBoot)
            )
            guard case .resumable(let store, let recovery) = restored else {
                throw DownloadError(.unknown, "\(restored)")
            }
            return (store, recovery)
        }
    }

    @Test(arguments: ways, [true, false])
    func `a partial file moves to the download's folder and can be finished`(
        far: Bool,
        hasCheckpoint: Bool
    ) throws {
        let scene = try Scene(far: far)
        if !hasCheckpoint { try scene.from.file("left.part.pawl").remove() }
        let (store, recovery) = try scene.restore()
        #expect(recovery.have == Self.have)
        #expect(scene.from.list().isEmpty)
        #expect(scene.to.list() == ["disk.iso.part", "disk.iso.part.pawl"])
        // The store holds the lock of the file under its new path.
        #expect(failure { _ = try scene.restoreAgain() }?.code == .alreadyRunning)
        try store.write(Array(pattern(Self.size)[75_000...]), at: 75_000)
        let path = try store.finish(total: Int64(Self.size), policy: .fail).path
        #expect(path == scene.to.file("disk.iso"))
        #expect(try scene.to.read("disk.iso") == pattern(Self.size))
        #expect(scene.to.list() == ["disk.iso"])
    }

    @Test(arguments: ways)
    func `a partial file gets a number if the name is taken`(far: Bool) throws {
        let scene = try Scene(far: far)
        try scene.to.write("disk.iso.part", [1])
        let (store, recovery) = try scene.restore()
        #expect(recovery.have == Self.have)
        #expect(scene.to.list() == ["disk.1.iso.part", "disk.1.iso.part.pawl", "disk.iso.part"])
        #expect(try scene.to.read("disk.iso.part") == [1])
        store.close()
    }

    @Test(.enabled(if: TwoDisks.isAvailable))
    func `a copy that is stopped leaves everything in place`() throws {
        let scene = try Scene(far: true)
        let error = failure {
            _ = try scene.restore { () throws(DownloadError) in
                throw DownloadError(.interrupted, "stopped")
            }
        }
        #expect(error?.code == .interrupted)
        #expect(scene.to.list().isEmpty)
        let (store, recovery) = try scene.restore()
        #expect(recovery.have == Self.have)
        store.close()
    }

    @Test func `in the download's folder a partial file keeps its name`() throws {
        let folder = try ScratchFolder()
        let final = folder.file("disk.iso")
        let store = try PartialStore.sample(DownloadPaths(folder.file("left")), total: 10)
        try store.write(pattern(5), at: 0)
        try store.saveCheckpoint(written: RangeSet((0, 5)))
        let checkpoint = try #require(store.latestCheckpoint)
        store.close()
        // Another path to the same folder.
        try folder.file("way").makeLink(to: folder.path)
        let target = RestoreTarget(
            partial: folder.file("way/left.part"),
            final: final,
            numbered: { _ in final }
        )
        let restored = try PartialRestoration.restore(
            checkpoint,
            at: target,
            settings: .on(.firstBoot)
        )
        guard case .resumable(let again, _) = restored else {
            Issue.record("\(restored)")
            return
        }
        #expect(folder.list() == ["left.part", "left.part.pawl", "way"])
        try again.write(pattern(10), at: 0)
        _ = try again.finish(total: 10, policy: .fail)
        #expect(folder.list() == ["disk.iso", "way"])
    }
}

extension RelocationTests.Scene {
    /// Restores as another process would, which knows the new path.
    func restoreAgain() throws -> RestoredStore {
        let final = to.file("disk.iso")
        let target = RestoreTarget(
            partial: to.file("disk.iso.part"),
            final: final,
            numbered: { _ in final }
        )
        return try PartialRestoration.restore(checkpoint, at: target, settings: .on(.firstBoot))
    }
}

import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Contract: "purging rules kept: caches can be cleaned, documents are never touched".
@Suite(.timeLimit(.minutes(5)))
struct CacheCleanerTests {
    private static let second: Int64 = 1_000_000_000

    private static func cleaner(_ folder: ScratchFolder, documents: String? = nil) -> CacheCleaner {
        CacheCleaner(FilePath(folder.path), documents: documents.map { FilePath($0) })
    }

    /// Writes a file of `bytes` bytes, with its times in seconds after 1970.
    private static func put(
        _ folder: ScratchFolder,
        _ name: String,
        bytes: Int = 1_000,
        read: Int = 0,
        changed: Int = 0
    ) throws {
        try folder.write(name, [UInt8](repeating: 1, count: bytes))
        try setTimes(folder.path(name), read: read, changed: changed)
    }

    private static func setTimes(_ path: String, read: Int, changed: Int) throws {
        let times = [timespec(tv_sec: read, tv_nsec: 0), timespec(tv_sec: changed, tv_nsec: 0)]
        guard utimensat(AT_FDCWD, path, times, 0) == 0 else { throw Errno(rawValue: errno) }
    }

    @Test func `an age limit uses the later of the last read and the last change`() throws {
        let folder = try ScratchFolder()
        try Self.put(folder, "old", bytes: 123, read: 10, changed: 20)
        try Self.put(folder, "read", read: 90, changed: 20)
        try Self.put(folder, "changed", read: 10, changed: 90)
        let result = try Self.cleaner(folder).clean(
            CleaningPolicy(maximumAge: .seconds(50)),
            now: 100 * Self.second
        )
        #expect(result.removed == [folder.path("old")])
        #expect(result.removedBytes == 123)
        #expect(result.remainingFiles == 2)
        #expect(result.remainingBytes == 2_000)
        #expect(result.kept == [])
        #expect(folder.list() == ["changed", "read"])
    }

    @Test func `a size limit removes the least recently used files, in folders, too`() throws {
        let folder = try ScratchFolder()
        try folder.makeFolder("deep")
        try Self.put(folder, "3", changed: 3)
        try Self.put(folder, "deep/1", changed: 1)
        try Self.put(folder, "2", changed: 2)
        try Self.put(folder, "deep/4", changed: 4)
        let result = try Self.cleaner(folder).clean(CleaningPolicy(maximumTotalBytes: 2_500))
        #expect(result.removed == [folder.path("deep/1"), folder.path("2")])
        #expect(result.removedBytes == 2_000)
        #expect(result.remainingBytes == 2_000)
        #expect(folder.list() == ["3", "deep"])
    }

    @Test func `a free-space limit removes as many files as necessary`() throws {
        let folder = try ScratchFolder()
        for number in 1...4 { try Self.put(folder, "\(number)", bytes: 100_000, changed: number) }
        let result = try Self.cleaner(folder).clean(
            CleaningPolicy(minimumFreeBytes: 1_000_000),
            freeBytes: 850_000
        )
        #expect(folder.list() == ["3", "4"])
        #expect(result.removedBytes == 200_000)
    }

    @Test(.enabled(if: MemoryDisk.isAvailable))
    func `the free space is read from the disk itself`() throws {
        let disk = try #require(try MemoryDisk(bytes: 1 << 20))
        let folder = try ScratchFolder(in: disk.path)
        for number in 1...4 { try Self.put(folder, "\(number)", bytes: 200_000, changed: number) }
        try Self.cleaner(folder).clean(CleaningPolicy(minimumFreeBytes: 600_000)).expectRemoved(2)
        try Self.cleaner(folder).clean(CleaningPolicy(minimumFreeBytes: 600_000)).expectRemoved(0)
    }

    @Test func `a running download stays; an ended one is removed with its checkpoint`() throws {
        let folder = try ScratchFolder()
        let running = DownloadPaths(FilePath(folder.path("running.iso")))
        let store = try PartialStore.sample(running, total: 5_000, boot: .current)
        try store.write(pattern(5_000), at: 0)
        try store.saveCheckpoint(written: RangeSet((0, 5_000)))
        let ended = try PartialStore.sample(
            DownloadPaths(FilePath(folder.path("ended.iso"))),
            total: 5_000
        )
        try ended.write(pattern(5_000), at: 0)
        try ended.saveCheckpoint(written: RangeSet((0, 5_000)))
        ended.close()
        let now = CacheCleaner.currentTime + 100 * Self.second
        let policy = CleaningPolicy(maximumAge: .seconds(50))
        let result = try Self.cleaner(folder).clean(policy, now: now)
        #expect(
            result.removed == ["ended.iso.part", "ended.iso.part.pawl"].map { folder.path($0) }
        )
        #expect(folder.list() == ["running.iso.part", "running.iso.part.pawl"])
        #expect(result.remainingFiles == 2)
        store.close()
        try Self.cleaner(folder).clean(policy, now: now).expectRemoved(2)
    }

    @Test(arguments: [Place.documents, .preferences, .applicationSupport, .resources, .home])
    func `a place whose files cannot be fetched again is never cleaned`(place: Place) throws {
        let folder = try ScratchFolder()
        let error = failure {
            _ = try CacheCleaner(place, folder: FilePath(folder.path), for: "test")
        }
        #expect(error?.code == .usage)
        #expect(failure { _ = try CacheCleaner(place, for: "test") }?.code == .usage)
    }

    @Test(arguments: [Place.caches, .temporary, .directory("/srv/films")])
    func `a folder in any other place is cleaned`(place: Place) throws {
        let folder = try ScratchFolder()
        try Self.put(folder, "file")
        let cleaner = try CacheCleaner(place, folder: FilePath(folder.path), for: "test")
        try cleaner.check()
        try cleaner.clean(CleaningPolicy(maximumTotalBytes: 0)).expectRemoved(1)
    }

    @Test func `documents are never touched, wherever they are`() throws {
        let folder = try ScratchFolder()
        try folder.makeFolder("documents")
        try folder.makeFolder("documents/deep")
        try Self.put(folder, "documents/deep/letter")
        try Self.put(folder, "cache")
        let documents = folder.path("documents")
        for inside in ["documents", "documents/deep"] {
            let cleaner = CacheCleaner(
                FilePath(folder.path(inside)),
                documents: FilePath(documents)
            )
            let error = failure { _ = try cleaner.clean(CleaningPolicy(maximumTotalBytes: 0)) }
            #expect(error?.code == .usage)
        }
        let other = try ScratchFolder()
        symlink(documents, other.path("way"))
        let way = CacheCleaner(FilePath(other.path("way")), documents: FilePath(documents))
        #expect(failure { _ = try way.clean(CleaningPolicy(maximumTotalBytes: 0)) }?.code == .usage)
        let cleaner = Self.cleaner(folder, documents: documents)
        try cleaner.clean(CleaningPolicy(maximumTotalBytes: 0)).expectRemoved(1)
        #expect(folder.exists("documents/deep/letter"))
    }

    @Test func `targets of links stay`() throws {
        let folder = try ScratchFolder(), other = try ScratchFolder()
        try Self.put(other, "kept")
        symlink(other.path, folder.path("folder"))
        symlink(other.path("kept"), folder.path("file"))
        try Self.cleaner(folder).clean(CleaningPolicy(maximumTotalBytes: 0)).expectRemoved(0)
        #expect(other.exists("kept"))
        #expect(folder.list() == ["file", "folder"])
    }

    @Test func `a missing folder has nothing to clean`() throws {
        let folder = try ScratchFolder()
        let cleaner = CacheCleaner(FilePath(folder.path("absent")), documents: nil)
        try cleaner.clean(CleaningPolicy(maximumTotalBytes: 0)).expectRemoved(0)
    }

    @Test func `a file marked as used is removed late`() throws {
        let folder = try ScratchFolder()
        try Self.put(folder, "a", read: 1, changed: 1)
        try Self.put(folder, "b", read: 2, changed: 2)
        try FileFolder(FilePath(folder.path)).markUsed("a")
        let result = try Self.cleaner(folder).clean(CleaningPolicy(maximumTotalBytes: 1_000))
        #expect(result.removed == [folder.path("b")])
    }
}

extension CleaningResult {
    fileprivate func expectRemoved(_ count: Int) {
        #expect(removed.count == count)
        #expect(kept == [])
    }
}

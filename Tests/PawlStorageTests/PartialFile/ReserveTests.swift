import Glibc
import PawlCore
import PawlStorage
import SystemPackage
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ReserveTests {
    @Test func `reserved space is taken from the disk, and the bytes stay`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: 1 << 20)
        try store.write(pattern(1_000), at: 0)
        try store.reserve(total: 1 << 20)
        try store.saveCheckpoint(written: RangeSet((0, 1_000)))
        var status = stat()
        #expect(stat(folder.paths().partial.string, &status) == 0)
        #expect(status.st_size == 1 << 20)
        #expect(status.st_blocks * 512 >= 1 << 20)
        #expect(Array(try folder.bytes("disk.iso.part")[..<1_000]) == pattern(1_000))
    }

    @Test(arguments: [Int64.max, 1 << 60])
    func `no disk is large enough for an absurd length`(total: Int64) throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: total)
        let error = failure { try store.reserve(total: total) }
        #expect(error?.code == .diskFull)
        #expect(error?.message.contains("bytes of space are missing in \(folder.path)") == true)
        // The server announces the length, and the disk may have much free space.
        #expect(error?.message.contains("for a file of \(total) bytes") == true)
        #expect(error?.message.contains("full") == false)
    }

    @Test func `a length of zero or less reserves nothing`() throws {
        let folder = try StorageFolder()
        let store = try PartialStore.sample(folder.paths(), total: nil)
        try store.reserve(total: 0)
        try store.reserve(total: -1)
    }

    @Test(.enabled(if: SmallDisk.isPossible, "mounting a small disk needs root"))
    func `on a full disk the error states the missing bytes, and nothing is lost`() throws {
        let disk = try SmallDisk()
        defer { disk.unmount() }
        let paths = DownloadPaths(disk.path.appending("disk.iso"))
        let store = try PartialStore.sample(paths, total: 6 << 20)
        let half = pattern(1 << 20)
        try store.write(half, at: 0)
        try store.saveCheckpoint(written: RangeSet((0, 1 << 20)))

        let refused = failure { try store.reserve(total: 6 << 20) }
        #expect(refused?.code == .diskFull)
        let missing = refused.flatMap {
            Int64($0.message.split(separator: " ").first { Int64($0) != nil } ?? "")
        }
        // 5 of 6 MiB are missing; one of the disk's 4 MiB and the checkpoint are in use.
        #expect((2 << 20)...((2 << 20) + 200_000) ~= missing ?? 0)

        let full = failure {
            for offset in stride(from: Int64(1 << 20), to: 6 << 20, by: 1 << 20) {
                try store.write(half, at: offset)
            }
        }
        #expect(full?.code == .diskFull)
        #expect(full?.message.contains("bytes of space are missing in \(disk.path)") == true)
        try store.sync(written: RangeSet((0, 2 << 20)))
        store.close()
        #expect(try resume(paths).recovery.have == RangeSet((0, 2 << 20)))
    }
}

/// A tmpfs of 4 MiB.
private struct SmallDisk {
    static let isPossible = geteuid() == 0 && (try? SmallDisk()).map { $0.unmount() } != nil

    private let folder: StorageFolder
    var path: FilePath { folder.path }

    init() throws {
        folder = try StorageFolder()
        guard mount("tmpfs", folder.path.string, "tmpfs", 0, "size=4m") == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    func unmount() { umount2(path.string, 2) }
}

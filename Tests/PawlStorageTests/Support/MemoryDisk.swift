import Glibc
import PawlTesting

/// A file system in memory, of a size of its own, over a folder of a test's own: only root can make one.
final class MemoryDisk: Sendable {
    let path: String
    private let folder: PawlTesting.ScratchFolder

    /// Nil where nothing may be mounted.
    init?(bytes: Int) throws {
        folder = try PawlTesting.ScratchFolder()
        path = try folder.makeFolder("disk")
        guard mount("pawl-test", path, "tmpfs", 0, "size=\(bytes)") == 0 else { return nil }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    /// False where it is in use.
    func unmount() -> Bool { umount2(path, 0) == 0 }

    /// For `.enabled(if:)`: whether this process may mount at all.
    static let isAvailable: Bool = {
        // Whatever keeps the folder from being made keeps the tests from running.
        guard let disk = try? MemoryDisk(bytes: 1 << 20) else { return false }
        return disk.path.hasSuffix("disk")
    }()
}

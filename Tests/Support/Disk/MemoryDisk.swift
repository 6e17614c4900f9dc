import Glibc

/// A file system in memory of a given size, mounted on a folder of the test.
///
/// Only root can mount one.
package final class MemoryDisk: Sendable {
    package let path: String
    private let folder: ScratchFolder

    /// `nil` if mounting is not allowed.
    ///
    /// `inodes` is the maximum number of files and folders, the root folder included.
    package init?(bytes: Int, inodes: Int? = nil) throws {
        folder = try ScratchFolder()
        path = try folder.makeFolder("disk")
        let limits = "size=\(bytes)" + (inodes.map { ",nr_inodes=\($0)" } ?? "")
        guard mount("pawl-test", path, "tmpfs", 0, limits) == 0 else { return nil }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    /// Unmounts the disk.
    ///
    /// Returns false if it is in use.
    package func unmount() -> Bool { umount2(path, 0) == 0 }

    /// For `.enabled(if:)`: whether this process may mount at all.
    package static let isAvailable: Bool = {
        // If the folder cannot be created, for whatever reason, the tests do not run.
        guard let disk = try? MemoryDisk(bytes: 1 << 20) else { return false }
        return disk.path.hasSuffix("disk")
    }()
}

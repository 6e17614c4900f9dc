import Glibc
import PawlTesting

/// A file system in memory over a folder of a test's own: only root can make one.
final class SmallDisk: Sendable {
    let path: String
    private let folder: ScratchFolder

    /// `nil` if mounting is not permitted.
    init?(bytes: Int) throws {
        folder = try ScratchFolder()
        path = try folder.makeFolder("disk")
        guard mount("pawl-test", path, "tmpfs", 0, "size=\(bytes)") == 0 else { return nil }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    /// Waits until a file is on it.
    func wait(for name: String) async throws { try await folder.wait(for: "disk/\(name)") }

    /// Nothing can be written on it any more.
    func makeReadOnly() -> Bool {
        mount("pawl-test", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
    }

    /// For `.enabled(if:)`: whether this process may mount at all.
    static let isAvailable: Bool = {
        // Whatever keeps the folder from being made keeps the tests from running.
        guard let disk = try? SmallDisk(bytes: 1 << 20) else { return false }
        return disk.path.hasSuffix("disk")
    }()
}

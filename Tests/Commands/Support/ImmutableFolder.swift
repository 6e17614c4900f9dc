import Glibc
import PawlTesting

/// A folder that is made immutable for a time: only root can, on some file systems.
enum ImmutableFolder {
    private static let getFlags: UInt = 0x8008_6601  // FS_IOC_GETFLAGS
    private static let setFlags: UInt = 0x4008_6602  // FS_IOC_SETFLAGS
    private static let immutable: Int32 = 0x10  // FS_IMMUTABLE_FL

    /// Returns whether the folder is now immutable, or no longer.
    @discardableResult
    static func set(_ path: String, isImmutable: Bool) -> Bool {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        var flags: Int32 = 0
        guard ioctl(folder, getFlags, &flags) == 0 else { return false }
        flags = isImmutable ? flags | immutable : flags & ~immutable
        return ioctl(folder, setFlags, &flags) == 0
    }

    /// For `.enabled(if:)`.
    static let isAvailable: Bool = {
        // Without a folder, there is nothing to test.
        guard let folder = try? ScratchFolder() else { return false }
        defer { set(folder.path, isImmutable: false) }
        return set(folder.path, isImmutable: true)
    }()
}

import Glibc

/// A folder on each of two file systems: the usual one and one in memory.
package struct TwoDisks {
    package let near: ScratchFolder
    package let far: ScratchFolder

    package init() throws {
        near = try ScratchFolder()
        far = try ScratchFolder(in: Self.memory)
    }

    /// For `.enabled(if:)`.
    package static let isAvailable: Bool = {
        var memory = stat(), usual = stat()
        // Whatever keeps the folder from being made keeps the tests from running.
        guard let folder = try? ScratchFolder(),
            access(Self.memory, W_OK) == 0, stat(Self.memory, &memory) == 0,
            stat(folder.path, &usual) == 0
        else { return false }
        return memory.st_dev != usual.st_dev
    }()

    private static let memory = "/dev/shm"
}

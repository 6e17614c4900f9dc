import Glibc

/// A folder on each of two file systems: the usual one and one in memory.
package struct TwoDisks {
    package let near: ScratchFolder
    package let far: ScratchFolder

    package init() throws {
        near = try ScratchFolder()
        far = try ScratchFolder(in: Self.memory)
    }

    /// Whether the two folders are on separate file systems, for `.enabled(if:)`.
    package static let isAvailable: Bool = {
        var memory = stat(), usual = stat()
        // Any error that prevents the folder also prevents the tests.
        guard let folder = try? ScratchFolder(),
            access(Self.memory, W_OK) == 0, stat(Self.memory, &memory) == 0,
            stat(folder.path, &usual) == 0
        else { return false }
        return memory.st_dev != usual.st_dev
    }()

    private static let memory = "/dev/shm"
}

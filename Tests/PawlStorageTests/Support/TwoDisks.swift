import Glibc
import PawlStorage
import PawlTesting
import SystemPackage

/// A folder on each of two file systems: the usual one and one in memory.
struct TwoDisks {
    let near: PawlTesting.ScratchFolder
    let far: PawlTesting.ScratchFolder

    init() throws {
        near = try PawlTesting.ScratchFolder()
        far = try PawlTesting.ScratchFolder(in: Self.memory)
    }

    /// For `.enabled(if:)`.
    static let isAvailable: Bool = {
        var memory = stat(), usual = stat()
        // Whatever keeps the folder from being made keeps the tests from running.
        guard let folder = try? PawlTesting.ScratchFolder(),
            access(Self.memory, W_OK) == 0, stat(Self.memory, &memory) == 0,
            stat(folder.path, &usual) == 0
        else { return false }
        return memory.st_dev != usual.st_dev
    }()

    private static let memory = "/dev/shm"
}

extension PawlTesting.ScratchFolder {
    func file(_ name: String) -> FilePath { FilePath(path(name)) }

    func status(_ name: String) -> stat {
        var status = stat()
        lstat(path(name), &status)
        return status
    }
}

import Glibc
import PawlCore
import PawlLibrary
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// A folder of the test that is watched, and what a reader knows about it.
final class WatchedFolder {
    let folder: ScratchFolder
    private(set) var watcher: (any FolderWatching)?
    /// The files according to the reported changes.
    private(set) var files: [ExactText: FileStamp]
    /// All reported changes.
    private(set) var told: [FolderChange] = []

    init(
        _ folder: ScratchFolder? = nil,
        before: @escaping @Sendable (WatchStep) -> Void = { _ in }
    ) throws {
        self.folder = try folder ?? ScratchFolder()
        let watcher = try InotifyWatcher(FilePath(self.folder.path), before: before)
        self.watcher = watcher
        files = watcher.baseline
    }

    func snapshot() throws -> [ExactText: FileStamp] {
        try FolderSnapshot.take(FilePath(folder.path))
    }

    /// Reads until the reader knows the contents of the folder.
    ///
    /// Ends with the watching, and with the test's time limit.
    func catchUp() async throws {
        while files != (try snapshot()) {
            guard let changes = await watcher?.next() else { return }
            try follow(changes)
        }
    }

    /// The next batch of changes.
    func next() async throws -> [FolderChange]? {
        guard let changes = await watcher?.next() else { return nil }
        try follow(changes)
        return changes
    }

    func stopWatching() { watcher = nil }

    private func follow(_ changes: [FolderChange]) throws {
        told += changes
        // A file that has changed again since then is reported again.
        let now = (try? snapshot()) ?? [:]
        for change in changes {
            switch change {
            case .added(let name), .modified(let name): files[name] = now[name]
            case .removed(let name): files[name] = nil
            case .renamed(let old, let new):
                files[new] = files[old] == now[new] ? files[old] : now[new]
                files[old] = nil
            case .overflowed, .ended: break
            }
        }
    }
}

import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// A folder of a test's own that is watched, and what a reader knows of it.
final class WatchedFolder {
    let folder: PawlTesting.ScratchFolder
    private(set) var watcher: (any FolderWatching)?
    /// The files as they are by what was told.
    private(set) var files: [String: FileStamp]
    /// All that was told.
    private(set) var told: [FolderChange] = []

    init(
        _ folder: PawlTesting.ScratchFolder? = nil,
        beforeReading: @escaping @Sendable () -> Void = {}
    ) throws {
        self.folder = try folder ?? PawlTesting.ScratchFolder()
        let watcher = try InotifyWatcher(
            FilePath(self.folder.path),
            beforeReading: beforeReading
        )
        self.watcher = watcher
        files = watcher.baseline
    }

    func snapshot() throws -> [String: FileStamp] {
        try FolderSnapshot.take(FilePath(folder.path))
    }

    /// Reads until the reader knows what is in the folder.
    ///
    /// Ends as well with the watching, and with the test's time.
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

    func letGo() { watcher = nil }

    private func follow(_ changes: [FolderChange]) throws {
        told += changes
        // A file that has changed again since is told of again.
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

package import PawlCore
package import SystemPackage

/// Tells what happens to the files of one folder, not of those below it.
///
/// Only regular files count, and only those whose names are UTF-8.
package protocol FolderWatching: AnyObject, Sendable {
    /// What was in the folder when watching began; all changes are told from there.
    var baseline: [String: FileStamp] { get }

    /// Waits for changes, and returns those that came since the last call, in an order in which they
    /// can be followed.
    ///
    /// Each name comes once at most, with its newest state: how long the caller takes costs no memory.
    /// The last change is `ended`; after it, after `stop()`, and in a task that is cancelled, nil.
    func next() async -> [FolderChange]?

    /// Ends the watching, which ends with its owner in any case.
    func stop()
}

/// Where watching folders begins.
package enum FolderWatch {
    /// Begins to watch a folder, which must be there.
    package static func begin(_ folder: FilePath) throws(DownloadError) -> any FolderWatching {
        #if os(Linux)
        return try InotifyWatcher(folder)
        #else
        throw DownloadError(
            .directoryNotUsable,
            "folders can be watched on Linux only",
            advice: "look into the folder when you need to know",
            context: "watching the folder \(folder)"
        )
        #endif
    }
}

/// The changes of a watched folder, one by one.
package struct FolderChanges: AsyncSequence, Sendable {
    package typealias Element = FolderChange
    package typealias Failure = Never

    private let watcher: any FolderWatching

    package init(_ watcher: any FolderWatching) { self.watcher = watcher }

    package func makeAsyncIterator() -> Iterator { Iterator(watcher: watcher) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let watcher: any FolderWatching
        private var batch: ArraySlice<FolderChange> = []

        fileprivate init(watcher: any FolderWatching) { self.watcher = watcher }

        package mutating func next() async -> FolderChange? {
            await next(isolation: #isolation)
        }

        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> FolderChange? {
            while batch.isEmpty {
                guard let changes = await watcher.next() else { return nil }
                batch = changes[...]
            }
            return batch.popFirst()
        }
    }
}

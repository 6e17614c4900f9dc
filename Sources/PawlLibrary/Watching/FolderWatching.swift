package import PawlCore
package import SystemPackage

/// Watches the files of one folder, not those of folders below it.
///
/// Only regular files with names in UTF-8 count.
package protocol FolderWatching: AnyObject, Sendable {
    /// The content of the folder when the watching began.
    ///
    /// All changes are relative to it.
    var baseline: [ExactText: FileStamp] { get }

    /// Waits for changes.
    ///
    /// Returns those since the last call, in an order in which they can be followed.
    ///
    /// Each name occurs at most once, with its newest state, so a slow caller costs no memory. The
    /// last change is `ended`. After it, after `stop()`, and in a cancelled task, this returns
    /// `nil`.
    func next() async -> [FolderChange]?

    /// Ends the watching, which also ends with its owner.
    func stop()
}

/// Creates watchers of folders.
package enum FolderWatch {
    /// Starts watching a folder, which must exist.
    package static func begin(_ folder: FilePath) throws(DownloadError) -> any FolderWatching {
        #if os(Linux)
        return try InotifyWatcher(folder)
        #else
        throw DownloadError(
            .directoryNotUsable,
            "folders can be watched only on Linux",
            advice: "list the folder when needed",
            context: "watching the folder \(folder)"
        )
        #endif
    }
}

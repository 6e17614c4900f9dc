package import PawlCore

/// A change of a file in a watched folder.
package enum FolderChange: Hashable, Sendable {
    case added(ExactText)
    case removed(ExactText)
    /// The file was renamed.
    ///
    /// A file that had the name `to` before is gone.
    case renamed(from: ExactText, to: ExactText)
    /// The file was written to and closed, replaced by another file, or its time was set.
    case modified(ExactText)
    /// There were more changes than the system keeps.
    ///
    /// The following changes are the difference between the last reported state and the current
    /// one.
    case overflowed
    /// The last event: there is nothing to watch any more.
    case ended(FolderEnd)
}

/// The reason why a folder is not watched any more.
package enum FolderEnd: String, Hashable, Sendable {
    case removed
    /// The folder or a folder above it was renamed, or another folder has its name.
    case moved
    case unmounted
    /// The folder may not be read any more, or the disk fails.
    case unreadable
}

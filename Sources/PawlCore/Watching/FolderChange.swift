/// What happened to a file in a watched folder.
package enum FolderChange: Hashable, Sendable {
    case added(String)
    case removed(String)
    /// A file that was under `to` before is gone.
    case renamed(from: String, to: String)
    /// Written to and closed, replaced by another file, or its time was set.
    case modified(String)
    /// There were more changes than the system keeps: what follows is the difference between what was
    /// told before and what is there now.
    case overflowed
    /// The last one: there is nothing to watch any more.
    case ended(FolderEnd)
}

/// Why a folder is not watched any more.
package enum FolderEnd: String, Hashable, Sendable {
    case removed
    /// It, or a folder above it, has another name; or another folder has its name.
    case moved
    case unmounted
    /// It may not be read any more, or the disk fails.
    case unreadable
}

/// What tells whether a file under a name is still the same.
package struct FileStamp: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    /// Nanoseconds since 1970.
    package var modified: Int64

    package init(device: UInt64, inode: UInt64, size: Int64, modified: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
    }
}

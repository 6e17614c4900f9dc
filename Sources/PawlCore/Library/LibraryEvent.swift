/// What happens in a library.
public enum LibraryEvent: Sendable {
    /// A download of that key has begun, or goes on.
    case started(StorageKey)
    /// It stands still, and keeps what came.
    case paused(StorageKey)
    /// Its file is there.
    case finished(LibraryFile)
    /// It ended with an error, and keeps what came.
    case failed(StorageKey, DownloadError)
    /// It was thrown away.
    case cancelled(StorageKey)
    /// It goes on from another URL.
    case urlReplaced(StorageKey)
    /// A file came into the folder that this library did not fetch; of a key where it carries one.
    case fileAdded(name: String, key: StorageKey?)
    /// A file is gone.
    case fileRemoved(name: String, key: StorageKey?)
    /// A file has another name.
    case fileRenamed(from: String, to: String, key: StorageKey?)
    /// A file was written to, or replaced by another one.
    case fileChanged(name: String, key: StorageKey?)
    /// What was kept of a file or a download cannot be read; the file itself is not touched.
    case recordDamaged(name: String, reason: String)
    /// A verification found that a file is not what was fetched.
    case damageFound(LibraryFault)
    /// The downloads of a file in the drop folder have begun.
    case dropTaken(name: String, keys: [StorageKey])
    /// A file in the drop folder makes no sense, and was set aside.
    case dropRejected(name: String, reason: String)
    /// Changes of the folder are not told any more.
    case watchingEnded(reason: String)
    /// This reader was so slow that events were thrown away: look at the entries anew.
    case eventsLost
}

/// What is wrong with a finished file.
public struct LibraryFault: Sendable, Hashable {
    /// What was found.
    public enum Kind: Sendable, Hashable {
        /// There is no file.
        case missing
        /// Its size, or the time of its last change, is another one.
        case changed
        /// Its bytes have another digest than when it was fetched.
        case damaged(expected: ContentDigest, found: ContentDigest)
        /// It cannot be read, for that reason.
        case unreadable(String)
    }

    /// Of which file.
    public let key: StorageKey
    /// Its name in the library's folder.
    public let name: String
    /// What was found.
    public let kind: Kind

    package init(key: StorageKey, name: String, kind: Kind) {
        self.key = key
        self.name = name
        self.kind = kind
    }
}

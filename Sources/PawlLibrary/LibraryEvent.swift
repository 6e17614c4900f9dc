public import PawlCore

/// An event in a library.
public enum LibraryEvent: Sendable, Hashable {
    /// The download of this key has started or resumed.
    case started(StorageKey)
    /// The download is paused and keeps the bytes received so far.
    case paused(StorageKey)
    /// The file is complete.
    case finished(LibraryFile)
    /// The download failed with an error and keeps the bytes received so far.
    case failed(StorageKey, DownloadError)
    /// The download was cancelled, and its bytes were deleted.
    case cancelled(StorageKey)
    /// The download continues from another URL.
    case urlReplaced(StorageKey)
    /// A file that this library did not fetch was added to the folder.
    ///
    /// The key is present if the file's record names one.
    case fileAdded(name: String, key: StorageKey?)
    /// A file was removed, by this library or by others.
    case fileRemoved(name: String, key: StorageKey?)
    /// A file was renamed.
    case fileRenamed(from: String, to: String, key: StorageKey?)
    /// A file was written to or replaced by another one.
    case fileChanged(name: String, key: StorageKey?)
    /// The record of a file or a download cannot be read; the file itself is not changed.
    case recordDamaged(name: String, reason: String)
    /// A verification found that a file differs from the fetched file.
    case damageFound(LibraryFault)
    /// The downloads listed by a file in the drop folder have started.
    case dropTaken(name: String, keys: [StorageKey])
    /// A file in the drop folder is not valid and was set aside.
    case dropRejected(name: String, reason: String)
    /// Changes of the folder are no longer reported.
    case watchingEnded(reason: String)
    /// This reader was too slow, so events were lost: read the entries again.
    case eventsLost

    /// Returns the bounds of a reader with at most `limit` unread events.
    static func bounds(_ limit: Int) -> EventFeed<LibraryEvent>.Bounds {
        var bounds = EventFeed<LibraryEvent>.Bounds()
        bounds.limit = max(1, limit)
        bounds.lost = { _ in .eventsLost }
        return bounds
    }
}

/// A fault of a finished file.
public struct LibraryFault: Sendable, Hashable {
    /// The kinds of faults.
    public enum Kind: Sendable, Hashable {
        /// The file is missing.
        case missing
        /// The file's size or modification time has changed.
        case changed
        /// The file's bytes have another digest than when it was fetched.
        case damaged(expected: ContentDigest, found: ContentDigest)
        /// The file cannot be read, for this reason.
        case unreadable(String)
    }

    /// The key of the file.
    public let key: StorageKey
    /// The file's name in the library's folder.
    public let name: String
    /// The kind of the fault.
    public let kind: Kind

    package init(key: StorageKey, name: String, kind: Kind) {
        self.key = key
        self.name = name
        self.kind = kind
    }
}

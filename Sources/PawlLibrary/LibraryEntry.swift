public import PawlCore

/// What a library knows about one key.
public struct LibraryEntry: Sendable, Hashable, Identifiable {
    /// The user's own name for the download.
    public let key: StorageKey
    /// The state of the download or its file.
    public let state: LibraryState
    /// The finished file.
    ///
    /// It is also present while a newer one is fetched, and if it was changed since.
    public let file: LibraryFile?
    /// The URL of an unfinished download, with its secrets hidden.
    ///
    /// For a finished file see `file?.source`.
    public let source: String?
    /// The number of bytes present: of the unfinished download, otherwise of the file.
    public package(set) var receivedBytes: Int64
    /// The total number of bytes; `nil` if it is not known.
    public package(set) var totalBytes: Int64?

    /// The key.
    public var id: StorageKey { key }

    package init(
        key: StorageKey,
        state: LibraryState,
        file: LibraryFile?,
        source: String?,
        receivedBytes: Int64 = 0,
        totalBytes: Int64? = nil
    ) {
        self.key = key
        self.state = state
        self.file = file
        self.source = source
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
    }
}

/// The state of a key of a library.
public enum LibraryState: Sendable, Hashable {
    /// This library is fetching it.
    case running
    /// Another library or process is fetching it.
    ///
    /// The process identifier is present if the system reports it. It is `nil` if the daemon fetches
    /// the file for a background session that this library does not have.
    case runningElsewhere(processIdentifier: Int32?)
    /// The download is paused, and part of the file may exist.
    ///
    /// Requesting the key resumes it.
    case paused
    /// The download ended with this error.
    ///
    /// Requesting the key retries it.
    case failed(DownloadError)
    /// The file exists as it was fetched.
    case finished
    /// The file exists, but has been changed or replaced since it was fetched.
    case changed
}

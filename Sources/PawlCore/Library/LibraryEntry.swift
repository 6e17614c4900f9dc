/// What a library knows of one key.
public struct LibraryEntry: Sendable, Identifiable {
    /// The user's own name for it.
    public let key: StorageKey
    /// Where it stands.
    public let state: LibraryState
    /// The finished file; also while a newer one is fetched, and where it was changed since.
    public let file: LibraryFile?
    /// The URL of a download that has not finished, its secrets hidden; a finished file's is
    /// `file?.source`.
    public let source: String?
    /// How many bytes are there: of an unfinished download, otherwise of the file.
    public package(set) var receivedBytes: Int64
    /// How many there will be; nil where that is not known.
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

/// Where a key of a library stands.
public enum LibraryState: Sendable {
    /// It is fetched, by this library.
    case running
    /// It is fetched by another library or process; its number where the system tells it.
    case runningElsewhere(processIdentifier: Int32?)
    /// A part of it may be there; asking for it goes on.
    case paused
    /// It ended with that error; asking for it tries again.
    case failed(DownloadError)
    /// The file is there as it was fetched.
    case finished
    /// The file is there, but was written to since, or replaced.
    case changed
}

internal import PawlCore

/// Work for the runner of a library.
enum LibraryWork: Sendable {
    case run(LibraryRun)
    /// Ask the user for another URL, after this error.
    case renew(StorageKey, LibraryIndex.RunID, DownloadError)
    /// Carry out this action on the disk.
    case disk(LibraryIndex.Action)
    /// Check which files have these names now.
    case check([ExactText])
    /// A run has reported its end.
    case ended(LibraryIndex.RunID)
    /// A run was stopped that may still wait for its turn.
    case stopped
    case end
    /// The library no longer follows its background session, so that no further runs start.
    case detached
}

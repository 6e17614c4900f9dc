public import PawlCore

/// Detecting damage.
extension DownloadLibrary {
    /// Checks whether finished files are still as they were fetched.
    ///
    /// By default all bytes are read, which detects damage of any kind; otherwise the size and the
    /// modification time are compared. A key with a fault gets the state `.changed`:
    /// `refetch(_:from:)` replaces its file, and requesting the key fetches another file beside it.
    /// A removed file is a fault only until the library has detected the removal, because its entry
    /// is then removed, too. Give the keys that you expect; those without a file are in `absent`.
    /// Cancelling the task ends the verification.
    ///
    /// - Throws: `DownloadError` if it was ended early.
    public func verify(
        _ keys: [StorageKey]? = nil,
        reading: Bool = true
    ) async throws(DownloadError) -> LibraryVerification {
        let stop = CancellationToken()
        let context = context
        return try await cancellable { () async throws(DownloadError) in
            try await LibraryVerifier(context, reads: reading, stop).run(keys)
        } onCancel: {
            stop.cancel()
        }
    }
}

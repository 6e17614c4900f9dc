internal import PawlCore
internal import SystemPackage

/// What a driver takes over from a download in the lane for small files.
package struct Handover: Sendable {
    let parts: DownloadParts
    /// What was found before the server was asked; `nil` if nothing was looked for.
    var found: Result<TargetResolver.Found, DownloadError>?
    /// The running first transfer, whose messages are in the mailbox; `nil` if there is none.
    var transfer: (any Transfer)?
    /// The moment at which the transfer was started; `nil` if there is none.
    var requestedAt: Moment?
    /// The position of the transfer.
    var cursor: TransferCursor?
    /// The error with which the download ends; `nil` if it continues.
    var failure: DownloadError?

    /// Returns the transfer if it is the planned one; afterwards it is the caller's.
    mutating func takeTransfer(
        of planned: PlannedTransfer
    ) -> (transfer: any Transfer, cursor: TransferCursor)? {
        guard planned == .first(parts.job.url), let transfer, let cursor else { return nil }
        (self.transfer, self.cursor, requestedAt) = (nil, nil, nil)
        return (transfer, cursor)
    }

    /// A path at which no file existed before the server was asked.
    var absent: FilePath? {
        guard case .success(.nothing(_, let absent))? = found else { return nil }
        return absent
    }
}

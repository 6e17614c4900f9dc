internal import PawlCore
internal import PawlWire

/// What new downloads are completed and admitted with, as the settings are at a moment; any thread
/// may use it.
struct AdditionRules: Sendable {
    let labels: LabelDefaults
    let network: NetworkRules

    /// Returns the downloads as they may be added: with what their labels supply, and confined to
    /// an allowed folder if that is demanded.
    ///
    /// - Throws: `.notAllowed`, and `.usage` for a destination that is not a valid path.
    func admitted(
        _ new: [NewDownload],
        by authority: Authority
    ) throws(DownloadError) -> [NewDownload] {
        let completed = try new.map { (download) throws(DownloadError) in
            try labels.completed(download)
        }
        return try QueueAccess.admitted(completed, by: authority, network)
    }
}

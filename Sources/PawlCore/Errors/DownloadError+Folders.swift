extension DownloadError {
    /// Returns the error for a path relative to the current folder, which was removed.
    ///
    /// `option` is the option that takes an absolute path.
    package static func currentFolderRemoved(
        option: Advice = "\(.folder)"
    ) -> DownloadError {
        DownloadError(
            .directoryNotUsable,
            "the current folder does not exist: it was removed",
            advice: "change to an existing folder, or give \(option) with an absolute path"
        )
    }
}

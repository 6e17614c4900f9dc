extension DownloadSettings {
    /// The settings of a request for a document about the file, which must not delay the download.
    package func forDocument(within duration: Duration) -> DownloadSettings {
        var settings = self
        settings.retries = min(retries, 2)
        settings.maximumDuration = duration
        return settings
    }
}

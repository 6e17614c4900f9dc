package import PawlCore

extension NewDownload {
    /// Changes the URL or the settings of the download; omitted values stay as they are.
    ///
    /// If the new URL has another origin, the secrets given for the old one are dropped, unless
    /// `changes` gives them again.
    ///
    /// Throws `.usage` for a URL that is not valid.
    package mutating func change(
        url new: String?,
        settings changes: SettingsDocument<DownloadSettings>
    ) throws(DownloadError) {
        var settings = settings ?? SettingsDocument()
        if let new {
            // A stored URL that is no longer valid has no origin.
            let old = try? SourceURL.parse(url).url
            let kept = OriginSecrets.kept(
                settings[\.fields] ?? [],
                settings[\.credentials] ?? nil,
                from: old,
                to: try SourceURL.parse(new).url
            )
            settings[\.fields] = kept.fields.isEmpty ? nil : kept.fields
            settings[\.credentials] = kept.credentials.map { .some($0) }
            url = new
        }
        self.settings = settings.merging(changes)
    }
}

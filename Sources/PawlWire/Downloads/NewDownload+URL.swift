package import PawlCore

extension NewDownload {
    /// Gives the download another URL or other settings; what is left out stays.
    ///
    /// If the URL is of another origin, the secrets that were given for the old one are dropped, unless
    /// `changes` gives them again.
    ///
    /// Throws `.usage` for a URL that is not valid.
    package mutating func change(
        url new: String?,
        settings changes: SettingsDocument<DownloadSettings>
    ) throws(DownloadError) {
        var settings = settings ?? SettingsDocument()
        if let new {
            // A URL that can no longer be read has no origin.
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

package import PawlCore

extension NewDownload {
    /// Gives the download another URL, other fields or other credentials; what is nil stays.
    ///
    /// Secrets that were given for another origin go, unless `fields` and `credentials` give them again.
    ///
    /// Throws `.usage` for what is no URL.
    package mutating func change(
        url new: String?,
        fields: [WireSettings.Field]?,
        credentials: WireSettings.SignIn?
    ) throws(DownloadError) {
        var settings = settings ?? WireSettings()
        if let new {
            // One that cannot be read any more has no origin.
            let old = try? SourceURL.parse(url).url
            let kept = OriginSecrets.kept(
                (settings.fields ?? []).map { HTTPField($0) },
                settings.credentials.map { Credentials(name: $0.name, password: $0.password) },
                from: old,
                to: try SourceURL.parse(new).url
            )
            settings.fields = kept.fields.map { WireSettings.Field($0) }
            settings.credentials = kept.credentials.map {
                WireSettings.SignIn(name: $0.name, password: $0.password)
            }
            if settings.fields?.isEmpty == true { settings.fields = nil }
            url = new
        }
        if let fields { settings.fields = fields.isEmpty ? nil : fields }
        if let credentials { settings.credentials = credentials }
        self.settings = settings
    }
}

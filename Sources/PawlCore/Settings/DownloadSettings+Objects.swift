extension DownloadSettings {
    /// The settings that are about a file, and so cannot be used if the download becomes an object.
    package var fileSettings: [Setting<DownloadSettings>] {
        Self.table.settings.filter { $0.needsFile(self) }
    }

    /// Replaces the values that are about a file by the defaults.
    package mutating func removeFileSettings() {
        let usual = DownloadSettings()
        for setting in fileSettings { setting.copy(&self, usual) }
    }

    /// Checks whether the download can become an object.
    ///
    /// Throws `.usage`.
    package func checkForObject() throws(DownloadError) {
        guard let setting = fileSettings.first else { return }
        throw .usage(
            "'\(setting.member ?? setting.name)' cannot be used for an object: it is about a file",
            advice: "leave it out, or save to a file"
        )
    }
}

/// How the service of an object is reached.
extension DownloadSettings {
    /// The settings of a download that also apply to the service of the object that it becomes.
    ///
    /// Everything else, such as names, passwords and cookies, is for the sources of the download.
    private static let serviceNames: Set = [
        "s3-endpoint", "s3-region", "s3-profile", "s3-anonymous", "insecure", "cacert",
        "connect-timeout", "proxy", "proxy-auth", "ip-version", "interface", "resolve",
        "dns-over-https",
    ]

    /// The settings for the service of the object, and the defaults for everything else.
    package var ofService: DownloadSettings {
        var settings = DownloadSettings()
        for setting in Self.table.settings where Self.serviceNames.contains(setting.name) {
            setting.copy(&settings, self)
        }
        return settings
    }
}

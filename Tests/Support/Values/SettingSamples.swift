package import PawlCore

/// A value for each setting of a table that differs from its default.
package enum SettingSamples {
    /// The settings with sample values for these names, and the default for all others.
    ///
    /// - Throws: `ValueError` if no candidate is a valid value other than the default.
    package static func settings<Root: TabledSettings>(
        _ names: some Sequence<String>,
        of type: Root.Type = DownloadSettings.self
    ) throws(ValueError) -> Root {
        var settings = Root()
        for name in names {
            guard let setting = Root.table[name: name] else {
                throw ValueError("no setting '\(name)'", advice: "use one of the table")
            }
            try setting.parse(&settings, try text(for: setting))
        }
        return settings
    }

    /// What a user could type for a setting; JSON accepts the value, too.
    package static func text<Root: TabledSettings>(for setting: Setting<Root>) throws(ValueError)
        -> String
    {
        for candidate in candidates(for: setting.input) {
            var settings = Root()
            // A text of another form is not a value of this setting: the next one may be.
            do throws(ValueError) {
                try setting.parse(&settings, candidate)
            } catch {
                continue
            }
            if !SettingsDocument(settings).isEmpty { return candidate }
        }
        throw ValueError(
            "no sample for '\(setting.name)'",
            advice: "add a candidate to SettingSamples"
        )
    }

    private static func candidates(for input: SettingInput) -> [String] {
        switch input {
        case .number(let range): [range.lowerBound, range.upperBound].map { "\($0)" }
        case .rate: ["2M"]
        case .seconds: ["90"]
        case .choice(let words): words
        case .flag: ["true", "false"]
        case .field: ["X-A: secret"]
        case .credentials: ["me:secret"]
        case .text:
            [
                "/sample", "https://me:secret@host.example/secret",
                "md5=d41d8cd98f00b204e9800998ecf8427e", "socks5://me:secret@proxy.example:1080",
                "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
                "host.example:443:192.0.2.1",
                "eth0", "0-999", "firefox:work",
                "sha1:262144:AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
                "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
                "name=*.iso -> /images",
            ]
        }
    }
}

package import PawlCore

/// A value for each setting of a download that differs from its default.
package enum SettingSamples {
    /// By the setting's name, as a user types it.
    package static let texts = [
        "if-exists": "fail", "checksum": "md5=d41d8cd98f00b204e9800998ecf8427e",
        "mirror": "https://me:secret@mirror.example/a", "header": "X-A: b",
        "redirect-header": "X-C: d", "user-agent": "me", "referer": "https://p.example/secret",
        "user": "me:secret", "insecure": "true", "cacert": "/etc/ca.pem", "connect-timeout": "1.5",
        "connections": "3", "retries": "2", "max-retry-after": "60", "stall-timeout": "5",
        "min-speed": "1K", "max-time": "90", "limit": "2M", "wait-for-network": "true",
        "metered": "false", "no-resume": "true", "resume-without-validator": "false",
        "adopt": "true", "insecure-redirects": "true",
    ]

    /// The settings with these values, and the default for all others.
    ///
    /// - Throws: `ValueError` if there is no sample for one of the names.
    package static func settings(
        _ names: some Sequence<String>
    ) throws(ValueError) -> DownloadSettings {
        var settings = DownloadSettings()
        for name in names {
            guard let setting = DownloadSettings.table[name: name], let text = texts[name] else {
                throw ValueError("no sample for '\(name)'", advice: "add one to SettingSamples")
            }
            try setting.parse(&settings, text)
        }
        return settings
    }
}

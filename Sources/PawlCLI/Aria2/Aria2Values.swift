internal import PawlCore
internal import PawlWire

/// Checks values of aria2's options (pure).
enum Aria2Values {
    /// Throws `.usage` for the first value that Pawl cannot use.
    ///
    /// As in aria2, that is an error even if a later value replaces it.
    static func check(_ options: [Aria2Launch.Option]) throws(DownloadError) {
        for option in options {
            do throws(ValueError) {
                try check(option)
            } catch {
                throw .usage(
                    "--\(option.name): \(error.reason)",
                    advice: "see docs/aria2.md for the options of aria2"
                )
            }
        }
    }

    private static func check(_ option: Aria2Launch.Option) throws(ValueError) {
        if let known = Aria2Option.byName[option.name],
            let row = DownloadSettings.table[name: known.setting],
            let text = known.text(option.value)
        {
            var settings = SettingsDocument<DownloadSettings>()
            do throws(ValueError) {
                try settings.parse(text, of: row)
            } catch  where text.isEmpty {
                let value = option.value.sanitized(atMost: 40)
                throw ValueError("'\(value)' is not valid", advice: error.advice)
            }
        } else if let setting = Aria2Option.ofDaemon[option.name],
            let row = DaemonSettings.table[name: setting]
        {
            var change = DaemonSettingsChange()
            try change.parse(option.value, of: row)
        }
    }
}

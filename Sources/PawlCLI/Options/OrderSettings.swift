package import PawlCore

/// What the options say of one download.
///
/// The command line's hold for all; a list's come on top.
package struct OrderSettings: Sendable {
    package var settings = DownloadSettings()
    package var output: String?
    package var directory: String?
    /// Whether a name was given without its password.
    package var passwordIsMissing = false

    package init() {}

    private static let output = "output"
    private static let directory = "directory"

    /// The keys of a list, in the order in which they are shown.
    package static let names = names(in: DownloadSettings.table)

    package static func names(in table: SettingTable<DownloadSettings>) -> [String] {
        [output, directory] + table.settings.filter { $0.entries.contains(.list) }.map(\.name)
    }

    static func isName(_ name: String) -> Bool { names.contains(name) }

    /// Whether an option can be given more than once.
    static func isRepeatable(_ name: String) -> Bool {
        DownloadSettings.table[name: name]?.isRepeatable ?? false
    }

    /// Takes over one option.
    ///
    /// Changes no file, but checks whether the named files are there.
    package mutating func apply(_ option: OptionAssignment) throws(DownloadError) {
        let text = option.value
        switch option.name {
        case Self.output:
            try OutputPath.checkFile(text, place: option.place)
            output = text
        case Self.directory:
            try OutputPath.checkDirectory(text, place: option.place)
            directory = text
        default:
            try applySetting(option)
        }
    }

    private mutating func applySetting(_ option: OptionAssignment) throws(DownloadError) {
        guard let setting = DownloadSettings.table[name: option.name] else {
            throw DownloadError(
                .usage,
                "'\(option.name)' is no option of a download",
                advice: "use one of \(Self.names.joined(separator: ", "))"
            )
        }
        var changed = settings
        try usage(option.place) { () throws(ValueError) in
            try setting.parse(&changed, option.value)
        }
        if changed.connection.authoritiesFile != settings.connection.authoritiesFile {
            try OutputPath.checkReadable(option.value, place: option.place)
        }
        if changed.credentials != settings.credentials {
            passwordIsMissing = !option.value.contains(":")
        }
        settings = changed
        introduce()
    }

    /// A User-Agent that is given as a header takes the place of Pawl's own.
    private mutating func introduce() {
        guard let field = settings.fields.last(where: { $0.hasName("User-Agent") }) else { return }
        settings.connection.userAgent = field.value
        settings.fields.removeAll { $0.hasName("User-Agent") }
    }
}

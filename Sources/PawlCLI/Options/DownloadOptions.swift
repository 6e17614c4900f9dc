internal import Glibc
package import PawlCore

/// The options of one download: those of the command line, replaced by those of a list's entry.
package struct DownloadOptions: Sendable {
    package private(set) var settings = DownloadSettings()
    package private(set) var output: String?
    package private(set) var directory: String?
    /// Whether a user name was given without its password.
    package private(set) var isPasswordMissing = false

    package init() {}

    /// Creates options with the file of the user's passwords for hosts.
    package init(netrcFile: String?) { settings.connection.netrcFile = netrcFile }

    private static let output = "output"
    private static let directory = "directory"
    private static let headerFile = "header-file"

    /// The keys of a list in the order of the documentation.
    package static let names = names(in: DownloadSettings.table)

    package static func names(in table: SettingTable<DownloadSettings>) -> [String] {
        [output, directory, headerFile]
            + table.settings.filter { $0.entries.contains(.list) }.map(\.name)
    }

    static func isName(_ name: String) -> Bool { names.contains(name) }

    /// Whether an option can be given more than once.
    static func isRepeatable(_ name: String) -> Bool {
        DownloadSettings.table[name: name]?.isRepeatable ?? (name == headerFile)
    }

    /// Applies one option.
    ///
    /// Changes no file, but checks whether the named files exist.
    package mutating func apply(_ option: OptionAssignment) throws(DownloadError) {
        let text = option.value
        switch option.name {
        case Self.output:
            try OutputPath.checkFile(text, location: option.location)
            output = text
        case Self.directory:
            try OutputPath.checkDirectory(text, location: option.location)
            directory = text
        case Self.headerFile:
            for (number, line) in try HeaderFile.lines(of: text, location: option.location) {
                let location = "\(option.location), line \(number)"
                try applySetting(OptionAssignment("header", line, location: location))
            }
        case "data" where text.hasPrefix("@"), "json" where text.hasPrefix("@"):
            let path = String(text.dropFirst())
            let body = try InputFile.text(of: path, location: option.location, form: "the body")
            try applySetting(OptionAssignment(option.name, body, location: option.location))
        default:
            try applySetting(option)
        }
    }

    private mutating func applySetting(_ option: OptionAssignment) throws(DownloadError) {
        guard let setting = DownloadSettings.table[name: option.name] else {
            throw .usage(
                "'\(option.name)' is not an option of a download",
                advice: "use one of \(Self.names.joined(separator: ", "))"
            )
        }
        if option.name == "json", !settings.body.isEmpty {
            throw .usage(
                "\(option.location): there is already a body",
                advice: "give --json once, without --data"
            )
        }
        var changed = settings
        try usage(option.location) { () throws(ValueError) in
            try setting.parse(&changed, option.value)
        }
        for file in ConnectionSettings.files {
            guard let path = changed.connection[keyPath: file.path],
                path != settings.connection[keyPath: file.path]
            else { continue }
            // A file of cookies is created when it is first written.
            let isCookies = option.name == "cookies"
            guard !isCookies || access(path, F_OK) == 0 else { continue }
            try OutputPath.checkReadable(path, location: option.location)
            if isCookies { try InputFile.checkCookies(path, location: option.location) }
        }
        if changed.credentials != settings.credentials {
            isPasswordMissing = !option.value.contains(":")
        }
        settings = changed
        // An empty body is one, too.
        if ["data", "json"].contains(option.name) { settings.method = settings.method ?? "POST" }
        if option.name == "json" { settings.describeBodyAsJSON() }
        replaceUserAgent()
    }

    /// Removes the body, because another one replaces it.
    mutating func removeBody() { settings.body = [] }

    /// Uses a User-Agent that is given as a header instead of Pawl's own.
    private mutating func replaceUserAgent() {
        guard let field = settings.fields.last(where: { $0.hasName("User-Agent") }) else { return }
        settings.connection.userAgent = field.value
        settings.fields.removeAll { $0.hasName("User-Agent") }
    }
}

internal import Glibc
package import PawlCore

/// The options of one download: those of the config file, replaced by those of the command line, and
/// these by those of a list's entry.
package struct DownloadOptions: Sendable {
    package private(set) var settings = DownloadSettings()
    package private(set) var output: String?
    package private(set) var directory: String?

    private var level = Level.typed
    private var directoryLevel = Level.typed
    private var credentialsLevel = Level.typed
    /// Whether the field that signs in comes from the config file.
    private var isSigningInConfigured = false
    /// The name in the latest `user` option, to which the command belongs.
    private var earlierName: String?
    /// The option that gave a name without a password.
    private var nameOption: OptionAssignment?
    /// The command that prints the password for a name of the config file.
    private var passwordCommand: SecretCommand?
    /// Whether the command is at the level whose options are being applied.
    private var hasOwnCommand = false
    /// The addresses of hosts that earlier levels and the current one give.
    private var (earlierAddresses, ownAddresses) = ([FixedAddress](), [FixedAddress]())
    /// The number of header fields of earlier levels.
    private var earlierFields = 0
    /// Where the settings are given that are not those of the config file, by their names.
    private var ownLocations: [String: String] = [:]
    /// The values that the current level has set.
    private var setPaths: [any PartialKeyPath<DownloadSettings> & Sendable] = []

    /// Whether the folders are those of another machine.
    let isForRemoteDaemon: Bool

    package init() { isForRemoteDaemon = false }

    /// Creates options with the file of the user's passwords for hosts.
    ///
    /// `isForRemoteDaemon`: whether a daemon over TCP saves the files.
    package init(netrcFile: String?, isForRemoteDaemon: Bool = false) {
        self.isForRemoteDaemon = isForRemoteDaemon
        settings.connection.netrcFile = netrcFile
    }

    /// Where options are given; later ones replace earlier ones.
    package enum Level {
        /// The config file and environment variables.
        case configured
        case typed
        case listed
    }

    /// Whether the folder is given for the download, and not only in the config file.
    var hasOwnFolder: Bool {
        directory != nil && directoryLevel != .configured
            || output.map(ObjectAddress.isComplete) == true
    }

    /// Returns where a setting is given; `nil` if only the config file gives it.
    func ownLocation(of name: String) -> String? { ownLocations[name] }

    package static let output = "output"
    package static let directory = "directory"
    package static let headerFile = "header-file"

    /// The keys of a list in the order of the documentation.
    package static let names = names(in: DownloadSettings.table)

    package static func names(in table: SettingTable<DownloadSettings>) -> [String] {
        [output, directory, headerFile]
            + table.settings.filter { $0.entries.contains(.list) }.map(\.name)
    }

    /// The keys of the config file.
    package static let configNames = configNames(in: DownloadSettings.table)

    package static func configNames(in table: SettingTable<DownloadSettings>) -> [String] {
        [directory, headerFile]
            + table.settings.filter { $0.entries.contains(.config) }.map(\.name)
    }

    static func isName(_ name: String) -> Bool { names.contains(name) }

    /// Whether it is an option of one download; some of them cannot be given in a list.
    static func isOption(_ name: String) -> Bool {
        isName(name) || DownloadSettings.table[name: name]?.entries.contains(.command) == true
    }

    /// Whether an option can be given more than once.
    static func isRepeatable(_ name: String) -> Bool {
        DownloadSettings.table[name: name]?.isRepeatable ?? (name == headerFile)
    }

    /// Applies options that are given at one level, and so do not replace each other.
    ///
    /// They replace the values of earlier levels, but only those headers that have the same name,
    /// and only those addresses that are for the same host.
    package mutating func apply(
        _ options: [OptionAssignment],
        _ level: Level
    ) throws(DownloadError) {
        self.level = level
        setPaths = []
        hasOwnCommand = false
        (earlierAddresses, ownAddresses) = (settings.connection.fixedAddresses, [])
        earlierFields = settings.fields.count
        for option in options { try apply(option) }
    }

    /// Applies one option.
    ///
    /// Changes no file, but checks whether the named files exist.
    package mutating func apply(_ option: OptionAssignment) throws(DownloadError) {
        switch option.name {
        case Self.output:
            if try !ObjectOutput.check(option) {
                try OutputPath.checkFile(option.value, location: option.location)
            }
            output = option.value
            // A path on the command line is relative to the current folder.
            if directoryLevel == .configured,
                level == .typed || ObjectAddress.isComplete(option.value)
            {
                directory = nil
            }
        case Self.directory:
            if try !ObjectOutput.check(option), !isForRemoteDaemon {
                try OutputPath.checkDirectory(option.value, location: option.location)
            }
            (directory, directoryLevel) = (option.value, level)
        case UserConfig.password:
            passwordCommand = SecretCommand(option.value, location: option.location)
            hasOwnCommand = true
        default:
            for option in try Self.content(of: option) { try applySetting(option) }
        }
    }

    /// Returns the settings that an option stands for: reads the file that it names, or runs its
    /// command.
    private static func content(
        of option: OptionAssignment
    ) throws(DownloadError) -> [OptionAssignment] {
        guard option.form == .command else { return try OptionFiles.read(option) }
        var option = option
        option.value = try SecretCommand(option.value, location: option.location).output()
        option.form = .content
        return [option]
    }

    private mutating func applySetting(_ option: OptionAssignment) throws(DownloadError) {
        guard let setting = DownloadSettings.table[name: option.name] else {
            throw .usage(
                "'\(option.name)' is not an option of a download",
                advice: "use one of \(Self.names.joined(separator: ", "))"
            )
        }
        if isForRemoteDaemon, !setting.entries.contains(.network) {
            // Such options in the config file are meant for downloads on this machine.
            guard level != .configured else { return }
            throw .usage(
                "\(option.location): the daemon does not accept this option over TCP",
                advice: "leave it out, or add the download on the daemon's machine"
            )
        }
        var changed = settings
        // Values of one level are joined, but not with those of another.
        if !hasSet(setting.path) {
            setPaths.append(setting.path)
            if setting.path != \DownloadSettings.fields {
                setting.copy(&changed, DownloadSettings())
            }
        }
        if option.name == "referer", option.value.hasPrefix("robots=") {
            throw .usage(
                "\(option.location): '\(option.value.sanitized(atMost: 40))' is not a URL",
                advice: "for wget's -e robots=off: use 'pawl mirror' with --no-robots"
            )
        }
        if option.name == "json", !changed.body.isEmpty {
            throw .usage(
                "\(option.location): there is already a body",
                advice: "give --json once, without --data"
            )
        }
        try usage(option.location) { () throws(ValueError) in
            try parse(option.value, of: setting, &changed)
        }
        guard level != .configured || !changed.checksum.isGiven else {
            throw .usage(
                "\(option.location): this would be the checksum of every file",
                advice: "use none here, and give the checksum of a file on the command line"
            )
        }
        try checkFiles(of: changed.connection, option)
        replaceFields(of: &changed)
        settings = changed
        if level != .configured { ownLocations[option.name] = option.location }
        if setting.path == \DownloadSettings.credentials { setCredentials(from: option) }
        // An empty body is also a body.
        if ["data", "json"].contains(option.name) { settings.method = settings.method ?? "POST" }
        if option.name == "json" { settings.describeBodyAsJSON() }
        replaceUserAgent()
    }

    /// Whether the current level has set the value.
    private func hasSet(_ path: PartialKeyPath<DownloadSettings>) -> Bool {
        setPaths.contains { $0 == path }
    }

    /// Adds a value to the settings.
    ///
    /// Addresses of hosts are joined with those of earlier levels: the first that fits is used.
    private mutating func parse(
        _ text: String,
        of setting: Setting<DownloadSettings>,
        _ changed: inout DownloadSettings
    ) throws(ValueError) {
        guard setting.path == \DownloadSettings.connection.fixedAddresses else {
            return try setting.parse(&changed, text)
        }
        changed.connection.fixedAddresses = ownAddresses
        try setting.parse(&changed, text)
        ownAddresses = changed.connection.fixedAddresses
        changed.connection.fixedAddresses += earlierAddresses
    }

    private func checkFiles(
        of changed: ConnectionSettings,
        _ option: OptionAssignment
    ) throws(DownloadError) {
        for file in ConnectionSettings.files {
            guard let path = changed[keyPath: file.path],
                path != settings.connection[keyPath: file.path]
            else { continue }
            // Some files are created when they are first written.
            let isCreated = ["cookies", "hsts", "alt-svc", "known-hosts"].contains(option.name)
            let isInput = path == "-" && isCreated && option.name != "known-hosts"
            guard isInput || !isCreated || access(path, F_OK) == 0 else {
                if option.name == "cookies", path.contains("://") {
                    throw Self.urlAsCookieFile(option)
                }
                // curl's option with this letter also accepts the cookies themselves.
                if option.name == "cookies", path.contains("=") { throw Self.noCookieFile(option) }
                continue
            }
            if !isInput { try OutputPath.checkReadable(path, location: option.location) }
            switch option.name {
            case "cookies": try InputFile.checkCookieFile(path, location: option.location)
            case "hsts": try InputFile.checkSecureHosts(path, location: option.location)
            case "alt-svc": try InputFile.checkAlternatives(path, location: option.location)
            default: break
            }
        }
    }

    /// The error for a URL instead of a file, which follows wget's option with this letter.
    private static func urlAsCookieFile(_ option: OptionAssignment) -> DownloadError {
        .usage(
            "\(option.location): -b and --cookies take the name of a cookie file, not a URL",
            advice: "for wget's -b: use 'pawl --background URL'"
        )
    }

    /// The error for cookies instead of a file; it does not contain them.
    private static func noCookieFile(_ option: OptionAssignment) -> DownloadError {
        .usage(
            "\(option.location): there is no such cookie file",
            advice: "to send a cookie, use --header 'Cookie: name=value'; the name of a new cookie "
                + "file must not contain '='"
        )
    }

    /// Removes the headers of earlier levels that have the name of an added one.
    private mutating func replaceFields(of changed: inout DownloadSettings) {
        let added = changed.fields.dropFirst(settings.fields.count)
        guard !added.isEmpty else { return }
        removeEarlierFields(from: &changed) { field in added.contains { $0.hasName(field.name) } }
        let signsIn = added.contains { $0.hasName(Self.authorization) }
        if signsIn { isSigningInConfigured = level == .configured }
        guard signsIn else { return }
        if !hasOwnCommand { passwordCommand = nil }
        guard !hasSet(\DownloadSettings.credentials) else { return }
        changed.credentials = nil
        nameOption = nil
    }

    private mutating func removeEarlierFields(
        from changed: inout DownloadSettings,
        where isReplaced: (HTTPField) -> Bool
    ) {
        let earlier = changed.fields.prefix(earlierFields)
        let kept = earlier.filter { !isReplaced($0) }
        changed.fields.replaceSubrange(..<earlier.endIndex, with: kept)
        earlierFields = kept.count
    }

    private static let authorization = "Authorization"

    private mutating func setCredentials(from option: OptionAssignment) {
        credentialsLevel = level
        let hasPassword = option.value.contains(":")
        nameOption = hasPassword ? nil : option
        let name = settings.credentials?.name
        // A command from another level belongs to the user name of that level.
        let isOther = earlierName.map { $0 != name } ?? false
        if !hasOwnCommand, hasPassword || isOther { passwordCommand = nil }
        earlierName = name
        var changed = settings
        removeEarlierFields(from: &changed) { $0.hasName(Self.authorization) }
        settings = changed
    }

    /// The password that was left out; `nil` if none was.
    package var missingPassword: MissingPassword? {
        guard let nameOption, let name = settings.credentials?.name else { return nil }
        return MissingPassword(name: name, of: nameOption, command: passwordCommand)
    }

    /// Sets the name and password of a URL, which replace those of the config file.
    mutating func setCredentials(_ credentials: Credentials) {
        guard settings.credentials == nil || credentialsLevel == .configured else { return }
        // The password of the file belongs to the name.
        let isName = credentials.password.isEmpty && credentials.name == settings.credentials?.name
        guard !isName else { return }
        settings.credentials = credentials
        nameOption = nil
        if isSigningInConfigured { settings.fields.removeAll { $0.hasName(Self.authorization) } }
    }

    /// Uses a User-Agent that is given as a header instead of Pawl's own.
    private mutating func replaceUserAgent() {
        guard let field = settings.fields.last(where: { $0.hasName("User-Agent") }) else { return }
        settings.connection.userAgent = field.value
        settings.fields.removeAll { $0.hasName("User-Agent") }
    }
}

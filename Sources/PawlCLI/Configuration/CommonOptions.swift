internal import PawlCore

/// The options of all downloads of a command: those of the config file, which may depend on the
/// host, and those of the command line.
struct CommonOptions {
    /// Those of the command line alone.
    let typed: DownloadOptions

    private let config: UserConfig
    private let assignments: [OptionAssignment]
    private let netrcFile: String?
    private let isForRemoteDaemon: Bool
    private var known: [String: DownloadOptions] = [:]

    init(
        typed: [OptionAssignment],
        config: UserConfig,
        netrcFile: String?,
        isForRemoteDaemon: Bool = false
    ) throws(DownloadError) {
        self.config = config
        self.netrcFile = netrcFile
        self.isForRemoteDaemon = isForRemoteDaemon
        assignments = try OptionFiles.read(typed)
        var options = DownloadOptions(netrcFile: nil, isForRemoteDaemon: isForRemoteDaemon)
        try options.apply(assignments, .typed)
        self.typed = options
    }

    /// Returns the options for a URL.
    ///
    /// `listed`: those of a list's entry.
    mutating func options(
        for url: String,
        listed: [OptionAssignment] = []
    ) throws(DownloadError) -> DownloadOptions {
        let listed = try OptionFiles.read(listed)
        var options = try common(for: url, listed: listed)
        if !listed.isEmpty { try options.apply(listed, .listed) }
        return options
    }

    /// Returns the options of the config file and the command line for a URL.
    ///
    /// The commands for secrets that `listed` options or the URL replace are not run.
    private mutating func common(
        for url: String,
        listed: [OptionAssignment]
    ) throws(DownloadError) -> DownloadOptions {
        let address = config.dependsOnHost ? AddressParts(url) : AddressParts("")
        let key = "\(address.scheme ?? "")://\(address.host ?? ""):\(address.port ?? "")"
            .lowercased()
        let login = config.hasCommands ? config.login(of: url) : []
        let isAlone = config.hasCommands && !(login.isEmpty && listed.isEmpty)
        if !isAlone, let options = known[key] { return options }
        var options = DownloadOptions(netrcFile: netrcFile, isForRemoteDaemon: isForRemoteDaemon)
        var levels: [[OptionAssignment]] = []
        for level in config.levels(for: address) { levels.append(try OptionFiles.read(level)) }
        if config.hasCommands {
            let found = OptionLevels(levels + [login, assignments, listed])
            levels = Array(found.needed.prefix(levels.count))
        }
        for level in levels { try options.apply(level, .configured) }
        try options.apply(assignments, .typed)
        if !isAlone { known[key] = options }
        return options
    }
}

internal import PawlCore

/// The options of all downloads of a command: those of the config file, which may depend on the
/// host, and those of the command line.
struct CommonOptions {
    /// Those of the command line alone.
    let typed: DownloadOptions

    private let config: UserConfig
    private let assignments: [OptionAssignment]
    private let netrcFile: String?
    private var known: [String: DownloadOptions] = [:]

    init(
        typed: [OptionAssignment],
        config: UserConfig,
        netrcFile: String?
    ) throws(DownloadError) {
        self.config = config
        self.netrcFile = netrcFile
        // Standard input can be read once.
        var read: [OptionAssignment] = []
        for option in typed { read += try DownloadOptions.read(option) }
        assignments = read
        var options = DownloadOptions()
        try options.apply(read, .typed)
        self.typed = options
    }

    /// Returns the options for a URL.
    mutating func options(for url: String) throws(DownloadError) -> DownloadOptions {
        let address = config.dependsOnHost ? AddressParts(url) : AddressParts("")
        let key = "\(address.scheme ?? "")://\(address.host ?? ""):\(address.port ?? "")"
            .lowercased()
        if let options = known[key] { return options }
        var options = DownloadOptions(netrcFile: netrcFile)
        for level in config.levels(for: address) { try options.apply(level, .configured) }
        try options.apply(assignments, .typed)
        known[key] = options
        return options
    }
}

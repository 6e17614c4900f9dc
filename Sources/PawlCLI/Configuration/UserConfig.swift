internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
package import PawlCore
internal import PawlWire
internal import Synchronization

/// The options that a user has set for all commands: in the config file, then in environment
/// variables, which replace those of the file.
package struct UserConfig: Sendable {
    private let file: ConfigFile?
    private let variables: [OptionAssignment]
    /// Whether the URLs come from the user; a server's list may name any host.
    private var trustsURLs = true
    /// The `PAWL_` variables that belong to no option.
    private(set) var unknownVariables: [String] = []

    /// No options.
    package static let empty = UserConfig(file: nil, variables: [])

    package init(file: ConfigFile?, variables: [OptionAssignment]) {
        (self.file, self.variables) = (file, variables)
    }

    /// Reads the file that is named, or the user's usual one, and the variables.
    ///
    /// - Parameters:
    ///   - choice: The value of `--config`: a file or `none`, which also ignores the variables.
    package static func read(_ choice: String?) throws(DownloadError) -> UserConfig {
        let variables = takeVariables()
        let environment = ProcessInfo.processInfo.environment
        let named = choice ?? fileInVariable(environment)
        var config = UserConfig.empty
        if named?.lowercased() != none {
            config = UserConfig(file: try ConfigLocation(named).read(), variables: variables)
            config.unknownVariables = ConfigVariables.unknown(in: environment)
        }
        known.withLock { [config] in $0 = config }
        return config
    }

    /// What this process has read.
    private static let known = Mutex<UserConfig?>(nil)

    /// Returns the options that choose the daemon, at each level: of the file, and of the variables.
    ///
    /// Mistakes in other options of the file are not reported, so that they do not prevent a command
    /// that uses none of them.
    static func levelsOfDaemon() throws(DownloadError) -> [[OptionAssignment]] {
        if let config = known.withLock({ $0 }) { return config.levelsOfDaemon }
        if let levels = readForDaemon.withLock({ $0 }) { return levels }
        let variables = takeVariables()
        let named = fileInVariable(ProcessInfo.processInfo.environment)
        var levels: [[OptionAssignment]] = []
        if named?.lowercased() != none {
            let file = try ConfigLocation(named).read(only: daemonNames)
            levels = UserConfig(file: file, variables: variables).levelsOfDaemon
        }
        readForDaemon.withLock { [levels] in $0 = levels }
        return levels
    }

    /// The options that choose the daemon, if only these were read.
    private static let readForDaemon = Mutex<[[OptionAssignment]]?>(nil)

    /// The options of the variables that were taken out of the environment.
    private static let taken = Mutex<[OptionAssignment]?>(nil)

    /// Takes the variables of options out of the environment, and returns the options.
    ///
    /// Programs that this one starts would keep the secrets. Only the store's variable stays: it is
    /// for the daemon, which any command may start, and which takes the variable itself.
    @discardableResult
    static func takeVariables() -> [OptionAssignment] {
        taken.withLock { taken in
            if let taken { return taken }
            let variables = ConfigVariables.options(in: ProcessInfo.processInfo.environment)
            for name in Set(variables.map(\.name)) where name != store {
                unsetenv(ConfigVariables.variable(name))
            }
            taken = variables
            return variables
        }
    }

    /// Returns the option in the config file that chooses the daemon's store.
    ///
    /// Mistakes in other options of the file are not reported.
    static func storeInFile() throws(DownloadError) -> OptionAssignment? {
        let named = fileInVariable(ProcessInfo.processInfo.environment)
        guard named?.lowercased() != none else { return nil }
        let file = try ConfigLocation(named).read(only: [store])
        return UserConfig(file: file, variables: []).option(store, unless: nil)
    }

    private static let none = "none"

    private static func fileInVariable(_ environment: [String: String]) -> String? {
        environment["PAWL_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the file that a user has named; `nil` if the usual one is meant.
    ///
    /// - Throws: `.usage` for `none`.
    static func file(_ choice: String?) throws(DownloadError) -> String? {
        let named = choice ?? fileInVariable(ProcessInfo.processInfo.environment)
        guard named?.lowercased() != none else {
            throw .usage("there is no file with '--config none'", advice: "name a file")
        }
        return named
    }

    /// Checks the values of all sections, but runs no command.
    func check() throws(DownloadError) {
        if let limits = try? LimitOptions.parse([]), let progress = try? ProgressOptions.parse([]) {
            _ = try limits.configuration(self)
            _ = try progress.mode(self)
        }
        _ = try DaemonChoice(levelsOfDaemon)
        for option in common where option.name == Self.store { _ = try ChosenStore.choice(option) }
        for section in all {
            var options = DownloadOptions()
            let values = Self.ofDownloads(section.options).filter { $0.form != .command }
            try options.apply(values, .configured)
        }
    }

    /// The options for all downloads, and those of the sections that apply to a host, where later
    /// ones replace earlier ones.
    func levels(for address: AddressParts) -> [[OptionAssignment]] {
        let sections = (file?.sections ?? []).filter { $0.hosts?.matches(address) ?? true }
        let options = sections.map { section in
            let mayHaveSecrets =
                trustsURLs || section.hosts?.isOne == true && address.isSecureSource
            return section.options.filter { mayHaveSecrets || !$0.mayBeSecret }
        }
        return (options + [variables]).map(Self.ofDownloads)
    }

    /// The options for URLs in a list from a server: secrets only for a host that is named
    /// completely, and only with TLS or SSH.
    var forListFromServer: UserConfig {
        var config = self
        config.trustsURLs = false
        return config
    }

    /// The options that are not secrets.
    var withoutSecrets: UserConfig {
        UserConfig(
            file: file?.keeping { !$0.mayBeSecret },
            variables: variables.filter { !$0.mayBeSecret }
        )
    }

    private static func ofDownloads(_ options: [OptionAssignment]) -> [OptionAssignment] {
        options.filter { !runNames.contains($0.name) }
    }

    /// Whether commands print secrets.
    var hasCommands: Bool {
        file?.sections.contains { $0.options.contains { $0.form == .command } } ?? false
    }

    /// The name and password of a URL, as an option that replaces those of the sections for it.
    func login(of url: String) -> [OptionAssignment] {
        // A URL that is not valid is reported elsewhere.
        guard let credentials = try? SourceURL.parse(url).credentials else { return [] }
        guard credentials.password.isEmpty else {
            return [OptionAssignment("user", "\(credentials.name):\(credentials.password)")]
        }
        let user = levels(for: AddressParts(url)).joined().last { $0.name == "user" }
        // A password in a section belongs to the user name in that section.
        let isKnown = user.map { $0.form == .command || $0.userName == credentials.name } ?? false
        return isKnown ? [] : [OptionAssignment("user", credentials.name)]
    }

    /// Whether the options depend on the host.
    var dependsOnHost: Bool { file?.sections.contains { $0.hosts != nil } ?? false }

    /// The options that apply to every host.
    var common: [OptionAssignment] {
        (file?.sections.filter { $0.hosts == nil }.flatMap(\.options) ?? []) + variables
    }

    /// The options that choose the daemon: those of the file, then those of the variables.
    var levelsOfDaemon: [[OptionAssignment]] {
        let ofFile = file?.sections.filter { $0.hosts == nil }.flatMap(\.options) ?? []
        return [ofFile, variables].map { level in
            level.filter { Self.daemonNames.contains($0.name) }
        }
    }

    /// The value for a whole run, such as `--jobs`, unless the command line has one.
    func option(_ name: String, unless typed: String?) -> OptionAssignment? {
        if let typed { return OptionAssignment(name, typed) }
        return common.last { $0.name == name }
    }

    /// Whether the file contains secrets, and not only commands that print them.
    var hasSecrets: Bool {
        file?.sections.contains { section in
            section.options.contains { $0.form != .command && $0.mayBeSecret }
        } ?? false
    }

    /// All sections with their options; `nil` stands for all.
    var all: [(hosts: HostPattern?, options: [OptionAssignment])] {
        (file?.sections.map { ($0.hosts, $0.options) } ?? []) + [(nil, variables)]
    }
}

extension UserConfig {
    static let jobs = "jobs"
    static let totalLimit = "total-limit"
    static let progress = "progress"
    static let password = "password"

    static let daemon = "daemon"
    static let daemonToken = "daemon-token"
    static let daemonTokenFile = "daemon-token-file"
    static let daemonCacert = "daemon-cacert"
    static let daemonUnencrypted = "daemon-unencrypted"

    static let store = StoreChoice.name

    /// The options that choose the daemon.
    static let daemonNames = [
        daemon, daemonToken, daemonTokenFile, daemonCacert, daemonUnencrypted,
    ]

    /// The options of a whole run, which no host can change.
    static let runNames = Set([jobs, totalLimit, progress, store] + daemonNames)

    /// The names of all options that the file can contain, also as variables.
    static let names =
        DownloadOptions.configNames + [jobs, totalLimit, progress, store] + daemonNames

    /// The options whose values are paths.
    static let pathNames: Set = Set(ConnectionSettings.files.map(\.name)).union([
        DownloadOptions.directory, DownloadOptions.headerFile, daemonTokenFile, daemonCacert,
    ])

    /// The secret that the output of a command sets: `user-command` sets `user`, and
    /// `password-command` the password of `user`.
    static func secretOfCommand(_ key: String) -> String? {
        let suffix = "-command"
        guard key.hasSuffix(suffix) else { return nil }
        let name = String(key.dropLast(suffix.count))
        guard name != password else { return name }
        guard names.contains(name), name != daemonToken else {
            return name == daemonToken ? name : nil
        }
        return DownloadSettings.table[name: name]?.isSecret == true ? name : nil
    }
}

extension AddressParts {
    /// Whether nobody on the way to the server can read what is sent.
    fileprivate var isSecureSource: Bool {
        [.https, .ftpes, .ftps, .sftp, .s3].contains(URLScheme(of: scheme))
    }
}

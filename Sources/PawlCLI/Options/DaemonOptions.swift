package import ArgumentParser
package import PawlCore
package import PawlWire

/// The options of a daemon.
package struct DaemonOptions: ParsableArguments {
    @Option(daemonSetting: "jobs") package var jobs: String?
    @Option(daemonSetting: "listen") package var listen: String?
    @Option(daemonSetting: "tls-cert") package var tlsCertificate: String?
    @Option(daemonSetting: "tls-key") package var tlsKey: String?
    @Option(daemonSetting: "aria2-rpc", withoutValue: "127.0.0.1") package var aria2RPC: String?
    @Option(daemonSetting: "base-url") package var baseURL: String?
    @Option(daemonSetting: "trusted-proxy") package var trustedProxy: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Keep the queue in this PostgreSQL database, such as postgres://user@host/database. "
                + "Default: sqlite, a file of the user. PAWL_STORE and the config file can set it, "
                + "too.",
            valueName: "address|sqlite"
        )
    )
    package var store: String?

    @Option(
        help: ArgumentHelp(
            "The name of this daemon among those that share a PostgreSQL database. "
                + "Default: the name of the host.",
            valueName: "name"
        )
    )
    package var node: String?

    /// For tests: the time after which a slow client over TCP is disconnected.
    @Option(help: .hidden)
    package var clientTimeout: String?

    @Flag(name: .shortAndLong, help: "Log more details.")
    package var verbose = false

    package init() {}

    /// The maximum number of simultaneous downloads; `nil` if it is not given.
    package func limit() throws(DownloadError) -> Int? {
        guard let jobs else { return nil }
        return try usage("--jobs") { () throws(ValueError) in
            try NumberText.count(jobs, in: 1...1000)
        }
    }

    /// The change of the settings that the options ask for; empty if they ask for none.
    package func settingsChange() throws(DownloadError) -> DaemonSettingsChange {
        var change = DaemonSettingsChange(
            listen: try ListenChoice(parsing: listen),
            aria2: try ListenChoice(parsing: aria2RPC, port: ListenAddress.aria2Port)
        )
        var options = try tlsOptions().map { OptionAssignment($0.name, $0.value) }
        if let baseURL { options.append(OptionAssignment("base-url", baseURL)) }
        options += trustedProxy.map { OptionAssignment("trusted-proxy", $0) }
        try change.take(options)
        return change
    }

    /// The options of TLS with absolute paths, because the daemon has another current folder.
    private func tlsOptions() throws(DownloadError) -> [(name: String, value: String)] {
        var options: [(name: String, value: String)] = []
        for (name, value) in [("tls-cert", tlsCertificate), ("tls-key", tlsKey)] {
            guard let value else { continue }
            let isOff = value.lowercased() == "off"
            options.append(
                (name, isOff ? "off" : try CurrentFolder.absolute(value, option: "--\(name)"))
            )
        }
        return options
    }

    /// Throws `.usage` if an option is invalid.
    func check() throws(DownloadError) {
        if let store { _ = try ChosenStore.choice(OptionAssignment(UserConfig.store, store)) }
        _ = try limit()
        _ = try nodeName()
        _ = try settingsChange()
        _ = try clientTimeLimit()
    }

    package func clientTimeLimit() throws(DownloadError) -> Duration? {
        guard let clientTimeout else { return nil }
        return try usage("--client-timeout") { () throws(ValueError) in
            try NumberText.seconds(clientTimeout)
        }
    }

    /// The name of the daemon among those that share a database; `nil` if it is not given.
    package func nodeName() throws(DownloadError) -> String? {
        guard let node else { return nil }
        guard (1...64).contains(node.utf8.count), !node.holdsUnsafeToShow else {
            throw .usage(
                "--node is not valid: '\(node.sanitized(atMost: 70))'",
                advice: "use 1 to 64 bytes without control characters"
            )
        }
        return node
    }

    /// Checks the options for a command that starts a daemon, and hands the store to that daemon.
    func prepare(_ console: Console) throws(DownloadError) {
        try check()
        if let warning = ChosenStore.warning(about: store) {
            console.message("pawl: note: \(warning)")
        }
        ChosenStore.handOver(store)
    }

    /// The variable with which a service receives the store, if the option is given.
    ///
    /// - Throws: `.usage` if the address contains a password, because units are not secret.
    func storeOfService() throws(DownloadError) -> [(name: String, value: String)] {
        guard let store else { return [] }
        guard !StoreChoice.hasPassword(store) else {
            throw .usage(
                "--store contains a password, which does not belong in a systemd unit",
                advice:
                    "write store = \"…\" into the config file, which must be readable only by you"
            )
        }
        return [(StoreChoice.variable, store)]
    }

    /// The options as arguments, except the store, which is handed over.
    func arguments() throws(DownloadError) -> [String] {
        var arguments: [String] = []
        if let listen { arguments += ["--listen", listen] }
        for option in try tlsOptions() { arguments += ["--\(option.name)", option.value] }
        if let aria2RPC { arguments += ["--aria2-rpc", aria2RPC] }
        if let baseURL { arguments += ["--base-url", baseURL] }
        for proxy in trustedProxy { arguments += ["--trusted-proxy", proxy] }
        return arguments + unsavedArguments
    }

    /// The arguments that apply to one process only.
    ///
    /// The daemon saves the others, which are settings.
    var unsavedArguments: [String] {
        (jobs.map { ["--jobs", $0] } ?? [])
            + (clientTimeout.map { ["--client-timeout", $0] } ?? [])
            + (node.map { ["--node", $0] } ?? [])
            + (verbose ? ["--verbose"] : [])
    }
}

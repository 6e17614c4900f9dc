package import ArgumentParser
package import PawlCore
package import PawlWire

/// The options of a daemon.
package struct DaemonOptions: ParsableArguments {
    @Option(daemonSetting: "jobs") package var jobs: String?
    @Option(daemonSetting: "listen") package var listen: String?
    @Option(daemonSetting: "aria2-rpc", withoutValue: "127.0.0.1") package var aria2RPC: String?

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

    /// The address for the API over TCP.
    package func listenChoice() throws(DownloadError) -> ListenChoice {
        try ListenChoice(parsing: listen)
    }

    /// The address for clients of aria2.
    package func aria2Choice() throws(DownloadError) -> ListenChoice {
        try ListenChoice(parsing: aria2RPC, port: ListenAddress.aria2Port)
    }

    /// The change of the settings that the options ask for; `nil` if they ask for none.
    func settingsChange() throws(DownloadError) -> DaemonSettingsChange? {
        DaemonSettingsChange(listen: try listenChoice(), aria2: try aria2Choice())
    }

    /// Throws `.usage` if an option is invalid.
    func check() throws(DownloadError) {
        _ = try limit()
        _ = try settingsChange()
        _ = try clientTimeLimit()
    }

    package func clientTimeLimit() throws(DownloadError) -> Duration? {
        guard let clientTimeout else { return nil }
        return try usage("--client-timeout") { () throws(ValueError) in
            try NumberText.seconds(clientTimeout)
        }
    }

    /// The options as arguments.
    var arguments: [String] {
        (listen.map { ["--listen", $0] } ?? []) + (aria2RPC.map { ["--aria2-rpc", $0] } ?? [])
            + unsavedArguments
    }

    /// The arguments that apply to one process only.
    ///
    /// The daemon saves `--listen` and `--aria2-rpc`.
    var unsavedArguments: [String] {
        (jobs.map { ["--jobs", $0] } ?? [])
            + (clientTimeout.map { ["--client-timeout", $0] } ?? [])
            + (verbose ? ["--verbose"] : [])
    }
}

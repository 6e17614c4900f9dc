package import ArgumentParser
package import PawlCore
package import PawlWire

/// How a daemon runs.
package struct DaemonOptions: ParsableArguments {
    @Option(daemonSetting: "jobs") package var jobs: String?
    @Option(daemonSetting: "listen") package var listen: String?

    /// For tests: who over TCP is slower than that is cut.
    @Option(help: .hidden)
    package var clientTimeout: String?

    @Flag(name: .shortAndLong, help: "Say what is being done.")
    package var verbose = false

    package init() {}

    /// How many downloads run at a time; nil where it was not said.
    package func limit() throws(DownloadError) -> Int? {
        guard let jobs else { return nil }
        return try usage("--jobs") { () throws(ValueError) in
            try NumberText.count(jobs, in: 1...1000)
        }
    }

    /// Where it is to listen for TCP.
    package func listenChoice() throws(DownloadError) -> ListenChoice {
        try ListenChoice(parsing: listen)
    }

    /// Throws `.usage` where one is wrong.
    func check() throws(DownloadError) {
        _ = try limit()
        _ = try listenChoice()
        _ = try slowestClient()
    }

    package func slowestClient() throws(DownloadError) -> Duration? {
        guard let clientTimeout else { return nil }
        return try usage("--client-timeout") { () throws(ValueError) in
            try NumberText.seconds(clientTimeout)
        }
    }

    /// The options as arguments again.
    var words: [String] { (listen.map { ["--listen", $0] } ?? []) + processWords }

    /// Those that only a process started with them has: the daemon remembers `--listen`.
    var processWords: [String] {
        (jobs.map { ["--jobs", $0] } ?? [])
            + (clientTimeout.map { ["--client-timeout", $0] } ?? [])
            + (verbose ? ["--verbose"] : [])
    }
}

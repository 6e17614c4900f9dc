internal import ArgumentParser
internal import Pawl
internal import PawlCore

/// The limits for all downloads of a run together.
struct LimitOptions: ParsableArguments {
    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp("Simultaneous downloads, 1 to 1000. Default: 5.", valueName: "n")
    )
    var jobs: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum speed of all downloads together, in bytes per second: 500K, 1.5M or 1G, where "
                + "K is 1024.",
            valueName: "rate"
        )
    )
    var totalLimit: String?

    /// The name of `--total-limit` in earlier versions.
    @Option(parsing: .unconditional, help: .hidden)
    var limitRate: String?

    /// Returns the configuration of a session with these limits, or those of the config file, which
    /// creates no temporary files.
    func configuration(_ config: UserConfig) throws(DownloadError) -> SessionConfiguration {
        var configuration = SessionConfiguration.default
        configuration.removesLeftovers = false
        if let jobs = config.option(UserConfig.jobs, unless: jobs) {
            configuration.maximumConcurrentDownloads = try usage(jobs.location) {
                () throws(ValueError) in
                try NumberText.count(jobs.value, in: 1...1000)
            }
        }
        let earlier = limitRate.map { OptionAssignment("limit-rate", $0) }
        let limit = config.option(UserConfig.totalLimit, unless: totalLimit)
        if let limit = totalLimit == nil ? earlier ?? limit : limit {
            configuration.limitBytesPerSecond = try usage(limit.location) {
                () throws(ValueError) in
                try NumberText.limit(limit.value)
            }
        }
        return configuration
    }

    /// The names of the options that are given.
    var given: [String] {
        [("--jobs", jobs), ("--total-limit", totalLimit), ("--limit-rate", limitRate)]
            .compactMap { $0.1 == nil ? nil : $0.0 }
    }
}

/// Runs `read` and converts its error to a usage error that starts with `location`.
func usage<Value>(
    _ location: String,
    _ read: () throws(ValueError) -> Value
) throws(DownloadError) -> Value {
    do {
        return try read()
    } catch {
        throw .usage("\(location): \(error.reason)", advice: error.advice)
    }
}

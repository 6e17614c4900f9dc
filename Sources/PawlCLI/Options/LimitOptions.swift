internal import ArgumentParser
internal import PawlCore

/// What holds over all downloads of a run.
struct LimitOptions: ParsableArguments {
    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp("Downloads at a time, 1 to 1000. Default: 5.", valueName: "n")
    )
    var jobs: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The most that all downloads may bring together, in bytes a second: 500K, 1.5M, 1G, "
                + "where K is 1024.",
            valueName: "rate"
        )
    )
    var limitRate: String?

    func settings() throws(DownloadError) -> DownloaderSettings {
        var settings = DownloaderSettings()
        if let jobs {
            settings.maximumConcurrentDownloads = try usage("--jobs") { () throws(ValueError) in
                try NumberText.count(jobs, in: 1...1000)
            }
        }
        if let limitRate {
            settings.limitBytesPerSecond = try usage("--limit-rate") { () throws(ValueError) in
                try NumberText.rate(limitRate)
            }
        }
        return settings
    }
}

/// Runs `read`; what it throws becomes an error of wrong use that begins with `place`.
func usage<Value>(
    _ place: String,
    _ read: () throws(ValueError) -> Value
) throws(DownloadError) -> Value {
    do {
        return try read()
    } catch {
        throw DownloadError(.usage, "\(place): \(error.reason)", advice: error.advice.sanitized)
    }
}

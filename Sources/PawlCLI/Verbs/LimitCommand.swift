internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl limit`: what holds over all downloads of the daemon.
struct LimitCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "Show or change the limits over all downloads of the daemon.",
        usage: "pawl limit [options] [<rate> | off]",
        discussion: """
            They hold from now on, also for what runs, and after the daemon's next start. pawl set \
            --limit is for single downloads.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The most that all downloads may bring together, in bytes a second, as 500K or 1.5M; or "
                + "off.",
            valueName: "rate"
        )
    )
    var rate: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Limits by local time, such as '22:00-07:00 unlimited, mon-fri 07:00-22:00 2M'; outside "
                + "of them the rate holds. off removes them.",
            valueName: "periods"
        )
    )
    var timetable: String?

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp("Downloads at a time, 1 to 1000.", valueName: "n")
    )
    var jobs: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Connections a host, 1 to 1000. Default: 16.", valueName: "n")
    )
    var perHost: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What to do while NetworkManager calls the network metered: use it, or wait. Default: use.",
            valueName: "use|wait"
        )
    )
    var metered: String?

    @Flag(help: "Write a JSON object.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let (change, json) = (try change(), json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let settings =
                change.isEmpty ? try await client.settings() : try await client.change(change)
            console.output(
                json ? JSONText.pretty(settings) + "\n" : LimitReport.text(settings)
            )
            return 0
        }
    }

    private func change() throws(DownloadError) -> DaemonSettingsChange {
        var change = DaemonSettingsChange()
        if let rate {
            let limit = try usage("the limit") { () throws(ValueError) in
                try NumberText.limit(rate)
            }
            change.limitBytesPerSecond = limit.map { .set($0) } ?? .reset
        }
        if let timetable {
            let periods = try usage("--timetable") { () throws(ValueError) in
                timetable.lowercased() == "off" ? [] : try TimetableText.parse(timetable)
            }
            change.timetable = periods.isEmpty ? .reset : .set(periods)
        }
        if let jobs { change.maximumConcurrentDownloads = .set(try Self.count(jobs, "--jobs")) }
        if let perHost { change.connectionsPerHost = .set(try Self.count(perHost, "--per-host")) }
        if let metered {
            change.usesMeteredNetwork = .set(
                try usage("--metered") { () throws(ValueError) in
                    try choice(metered, "use", or: "wait")
                }
            )
        }
        return change
    }

    private static func count(_ text: String, _ option: String) throws(DownloadError) -> Int {
        try usage(option) { () throws(ValueError) in try NumberText.count(text, in: 1...1000) }
    }
}

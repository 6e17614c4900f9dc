internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl limit`: shows and changes the limits for all downloads of the daemon.
struct LimitCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "Show or change the limits for all downloads of the daemon.",
        usage: "pawl limit [<options>] [<rate> | off]",
        discussion: """
            A change applies immediately, even to running downloads. The daemon remembers it. To \
            limit a single download, use 'pawl set --limit'.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Maximum speed of all downloads together, in bytes per second: off, or 500K, 1.5M or "
                + "1G, where K is 1024.",
            valueName: "rate"
        )
    )
    var rate: String?

    @Option(daemonSetting: "timetable") var timetable: String?
    @Option(daemonSetting: "jobs") var jobs: String?
    @Option(daemonSetting: "per-host") var perHost: String?
    @Option(daemonSetting: "metered") var metered: String?
    @Option(daemonSetting: "history") var history: String?
    @Option(daemonSetting: "history-days") var historyDays: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let (change, json) = (try change(), json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let settings =
                change.isEmpty ? try await client.settings() : try await client.change(change)
            console.show(settings, json: json) { LimitReport.text(settings) }
            return 0
        }
    }

    private func change() throws(DownloadError) -> DaemonSettingsChange {
        var change = DaemonSettingsChange()
        let limit = rate.map { OptionAssignment("limit", $0, at: .named("<rate>")) }
        try change.take([limit].compactMap(\.self) + OptionAssignment.all(in: self))
        return change
    }
}

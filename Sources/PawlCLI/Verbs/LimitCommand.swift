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
            "Maximum speed of all downloads together, in bytes per second: 500K, 1.5M, or off.",
            valueName: "rate"
        )
    )
    var rate: String?

    @Option(daemonSetting: "timetable") var timetable: String?
    @Option(daemonSetting: "jobs") var jobs: String?
    @Option(daemonSetting: "per-host") var perHost: String?
    @Option(daemonSetting: "metered") var metered: String?

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
        let limit = rate.map { OptionAssignment("limit", $0, place: "the limit") }
        try change.take([limit].compactMap(\.self) + OptionAssignment.all(in: self))
        return change
    }
}

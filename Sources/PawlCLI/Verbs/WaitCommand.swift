internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl wait`: returns when downloads have ended.
struct WaitCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until downloads of the daemon have ended.",
        discussion: """
            A terminal shows their progress; otherwise there is one line on standard error per \
            download that has ended. The exit status is 0 if all ended well, otherwise that of the \
            first one by id that did not; 7 for one that is paused. With --all, downloads that \
            had failed before count as well; those that have finished or were cancelled do not.
            """
    )

    @OptionGroup var targets: TargetOptions

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let (selection, json) = (try targets.selection(), targets.json)
        let isQuiet = quiet || json
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let display: any ProgressDisplay =
                console.traits.canRedraw && !isQuiet
                ? LiveDisplay(console: console)
                : QuietDisplay(console: console, isSilent: isQuiet)
            var waiting = DownloadWait(client, display, console, isSilent: json)
            let ended = try await waiting.run(selection)
            if json { console.output(JSONText.pretty(ended) + "\n") }
            return ended.lazy.compactMap(\.endError?.code.exitStatus).first ?? 0
        }
    }
}

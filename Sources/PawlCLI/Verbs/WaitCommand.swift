internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl wait`: waits until downloads have ended.
struct WaitCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until downloads have ended.",
        discussion: """
            Shows progress on a terminal; otherwise prints one line to standard error per download \
            that ends. --all selects the downloads that have not ended and those that have already \
            failed.

            The exit status is 0 if all selected downloads finish. Otherwise, it is the status of \
            the lowest-ID download that did not finish, or 7 if that one is paused.
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

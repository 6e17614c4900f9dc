internal import Pawl
internal import PawlCore
internal import PawlWire

extension PawlVerb {
    /// Asks the daemon to do something to downloads, and says what became of each.
    func act(
        _ action: QueueAction,
        on targets: TargetOptions,
        said word: String,
        saidOfLeft: String? = nil,
        _ console: Console
    ) throws(DownloadError) -> VerbWork {
        let (selection, json) = (try targets.selection(), targets.json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let outcome = try await client.act(action, on: selection)
            show(outcome, json: json, said: word, saidOfLeft: saidOfLeft, console)
            for left in outcome.notRemoved ?? [] { console.report(left.problem.error) }
            return outcome.notRemoved?.first?.problem.code.exitStatus ?? 0
        }
    }
}

/// One line a download, or JSON.
///
/// `saidOfLeft`: what is said of a download of which something stays on the disk; `nil` says the same.
func show(
    _ outcome: WireOutcome,
    json: Bool,
    said word: String,
    saidOfLeft: String? = nil,
    _ console: Console
) {
    guard !json else {
        console.output(JSONText.pretty(outcome) + "\n")
        return
    }
    let left = Set((outcome.notRemoved ?? []).map(\.download))
    for download in outcome.downloads {
        let word = left.contains(download.id) ? saidOfLeft ?? word : word
        console.output("\(download.id)\t\(word)\t\(download.name.sanitized)\n")
    }
}

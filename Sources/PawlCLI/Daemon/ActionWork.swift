internal import Pawl
internal import PawlCore
internal import PawlWire

extension PawlVerb {
    /// Requests an action on downloads and prints the result of each.
    func act(
        _ action: QueueAction,
        on targets: LabelledTargetOptions,
        _ selection: Selection? = nil,
        result: String,
        incompleteResult: String? = nil,
        _ console: Console
    ) throws(DownloadError) -> VerbWork {
        let selection = if let selection { selection } else { try targets.selection() }
        let json = targets.json
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let outcome = try await client.act(action, on: selection)
            show(
                outcome,
                json: json,
                result: result,
                incompleteResult: incompleteResult,
                console
            )
            for failure in outcome.notRemoved ?? [] { console.report(failure.problem.error) }
            return outcome.notRemoved?.first?.problem.code.exitStatus ?? 0
        }
    }
}

/// Prints one line per download and feed, or JSON.
///
/// `incompleteResult`: replaces `result` for a download whose files could not all be deleted.
func show(
    _ outcome: WireOutcome,
    json: Bool,
    result: String,
    incompleteResult: String? = nil,
    _ console: Console
) {
    guard !json else {
        console.output(JSONOutput.pretty(outcome) + "\n")
        return
    }
    let incomplete = Set((outcome.notRemoved ?? []).map(\.download))
    for download in outcome.downloads {
        let result = incomplete.contains(download.id) ? incompleteResult ?? result : result
        console.output("\(download.id)\t\(result)\t\(download.name.sanitized)\n")
    }
    for feed in outcome.feeds ?? [] {
        console.output("\(feed.id)\tfeed \(result)\t\(feed.name.sanitized)\n")
    }
}

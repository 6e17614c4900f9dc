internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl undo`: puts back removed downloads and feeds.
struct UndoCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Undo the last 'remove', 'clear' or 'feed remove' within one minute.",
        discussion: """
            The downloads get back their IDs, settings and states, and those that were running \
            continue. A feed is restored with its items. After a removal of several feeds, run the \
            command once for each feed. A removal with --with-files, of more than 10,000 downloads, \
            or of a program's session cannot be undone, and neither can a removal before the daemon \
            was stopped or restarted.
            """
    )

    @Flag(help: "Print JSON.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let json = json
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let outcome = try await client.undo()
            guard !outcome.downloads.isEmpty || outcome.feeds != nil else { throw Self.nothing }
            show(outcome, json: json, result: "restored", console)
            return 0
        }
    }

    private static let nothing = DownloadError(
        .notFound,
        "there is no removal to undo",
        advice:
            "a removal can be undone within one minute, unless it deleted files or the daemon was "
            + "restarted"
    )
}

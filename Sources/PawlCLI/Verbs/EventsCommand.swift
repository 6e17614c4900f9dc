internal import ArgumentParser
internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl events`: what happens to the daemon's downloads, as it happens.
struct EventsCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Show what happens to the daemon's downloads, until Ctrl-C."
    )

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Begin behind the event of this number; 0 shows all that are kept.",
            valueName: "id"
        )
    )
    var after: String?

    @Flag(help: "End when all that has happened was shown.")
    var past = false

    @Flag(help: "Write JSON, an object a line.")
    var json = false

    @Flag(help: "Write the progress of what runs, too; with --json.")
    var progress = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let first = try after.map { (text) throws(DownloadError) in
            guard let id = Int64(text), id >= 0 else {
                throw DownloadError(
                    .usage,
                    "--after: '\(text.sanitized)' is no number of an event",
                    advice: "give one as pawl events shows it, or 0"
                )
            }
            return id
        }
        let (past, json, progress) = (past, json, progress)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let last = past ? try await client.status().lastEvent : nil
            let start = past ? first ?? 0 : first
            if let last, start ?? 0 >= last { return 0 }
            for try await element in try await client.events(after: start) {
                switch element {
                case .event(let event):
                    console.output(json ? JSONText.line(event) + "\n" : Self.line(event))
                    if let last, event.id >= last { return 0 }
                case .progress(let value):
                    if json, progress { console.output(JSONText.line(value) + "\n") }
                // Of streams that belong to one session.
                case .notice: break
                }
                if console.outputIsClosed { return 0 }
            }
            throw DownloadError(
                .daemonUnavailable,
                "the daemon has ended",
                advice: "start it: pawl daemon start"
            )
        }
    }

    private static func line(_ event: WireEvent) -> String {
        var text = "\(event.id)\t\(event.at.formatted(.iso8601))\t\(event.kind.rawValue)"
        text += "\t\(event.download)\t\(event.name.sanitized)"
        if let problem = event.problem { text += "\t\(problem.title.sanitized)" }
        return text + "\n"
    }
}

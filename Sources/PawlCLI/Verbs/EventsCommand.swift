internal import ArgumentParser
internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl events`: what happens to the daemon's downloads, as it happens.
struct EventsCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Show what happens to the daemon's downloads, until Ctrl-C.",
        discussion: "Times are local; with --json they are UTC."
    )

    @Argument(
        help: ArgumentHelp("Only of these: ids, names or patterns.", valueName: "download")
    )
    var targets: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only of those of this session.", valueName: "name")
    )
    var session: String?

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
        guard !progress || session == nil else {
            throw DownloadError(
                .usage,
                "--progress and --session exclude each other",
                advice: "name the downloads instead"
            )
        }
        let (past, json, progress) = (past, json, progress)
        let asked = EventFilter(targets: targets, session: session)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            var filter = asked
            // What was removed is known by its events alone.
            if first == nil, !past { try await client.check(filter.targets) }
            let last = past ? try await client.status().lastEvent : nil
            let start = past ? first ?? 0 : first
            if let last, start ?? 0 >= last { return try Self.end(filter) }
            var events = try await client.events(after: start).makeAsyncIterator()
            while let element = try await Self.next(&events) {
                switch element {
                case .event(let event):
                    if filter.shows(event) {
                        console.output(json ? JSONText.line(event) + "\n" : Self.line(event))
                    }
                    if let last, event.id >= last { return try Self.end(filter) }
                case .progress(let value):
                    let shown = filter.shown(value)
                    if json, progress, !shown.downloads.isEmpty {
                        console.output(JSONText.line(shown) + "\n")
                    }
                case .notice(.missed):
                    // Who asks for all that is kept misses nothing.
                    if let first, first > 0 { console.message(Self.missed) }
                // Of streams that belong to one session.
                case .notice: break
                }
                if console.outputIsClosed { return 0 }
            }
            // Ctrl-C is how it ends.
            if Task.isCancelled { return 0 }
            throw DownloadError(
                .daemonUnavailable,
                "the daemon has ended",
                advice: "start it: pawl daemon start"
            )
        }
    }

    /// All that has happened was shown.
    private static func end(_ filter: EventFilter) throws(DownloadError) -> Int32 {
        let unmet = filter.targets.first { filter.unmet.contains($0) && !NamePattern.isOne($0) }
        if let unmet { throw ShowCommand.notFound(unmet) }
        return 0
    }

    /// Nil where it is to end, or the daemon has.
    private static func next(
        _ events: inout DaemonEvents.Iterator
    ) async throws(DownloadError) -> DaemonEvents.Element? {
        do throws(DownloadError) {
            return try await events.next()
        } catch {
            guard Task.isCancelled else { throw error }
            return nil
        }
    }

    private static let missed =
        "pawl: note: older events are no longer kept: see pawl list --all"

    private static func line(_ event: WireEvent) -> String {
        var text = "\(event.id)\t\(LocalTime().full(event.at))\t\(event.kind.rawValue)"
        text += "\t\(event.download.map { "\($0)" } ?? "-")\t\(event.name.sanitized)"
        if let settings = event.settings { text += LimitReport.line(settings) }
        if let problem = event.problem { text += "\t\(problem.title.sanitized)" }
        return text + "\n"
    }
}

internal import ArgumentParser
internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl events`: shows the events of the queue as they happen.
struct EventsCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Show the events of the queue until Ctrl-C.",
        discussion: "Times are local; with --json they are UTC."
    )

    @Argument(
        help: ArgumentHelp(
            "Only events of these downloads: IDs, names or name patterns.",
            valueName: "download"
        )
    )
    var targets: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only events of downloads of this session.", valueName: "name")
    )
    var session: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Start after the event with this ID; 0 shows all stored events.",
            valueName: "id"
        )
    )
    var after: String?

    @Flag(help: "Show the stored events and exit, instead of waiting for new ones.")
    var past = false

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    @Flag(help: "Also print the progress of running downloads; only with --json.")
    var progress = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let first = try after.map { (text) throws(DownloadError) in
            guard let id = Int64(text), id >= 0 else {
                throw .usage(
                    "--after: '\(text.sanitized)' is not an event ID",
                    advice: "use an ID from 'pawl events', or 0"
                )
            }
            return id
        }
        guard !progress || session == nil else {
            throw .usage(
                "--progress and --session cannot be combined",
                advice: "name the downloads instead"
            )
        }
        let (past, json, progress) = (past, json, progress)
        let filter = EventFilter(targets: targets, session: session)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            var filter = filter
            // A removed download is known only by its past events.
            if first == nil, !past { try await client.check(filter.targets) }
            let last = past ? try await client.status().lastEvent : nil
            let start = past ? first ?? 0 : first
            if let last, start ?? 0 >= last { return try Self.end(filter) }
            var events = try await client.events(after: start).makeAsyncIterator()
            while let element = try await Self.next(&events) {
                switch element {
                case .event(let event):
                    if filter.shows(event) {
                        console.output(json ? JSONOutput.line(event) + "\n" : Self.line(event))
                    }
                    if let last, event.id >= last { return try Self.end(filter) }
                case .progress(let value):
                    let shown = filter.shown(value)
                    if json, progress, !shown.downloads.isEmpty {
                        console.output(JSONOutput.line(shown) + "\n")
                    }
                case .notice(.missed):
                    // With --after 0, all stored events are shown and none is missing.
                    if let first, first > 0 { console.message(Self.missed) }
                // Other notices belong to streams of a single session.
                case .notice: break
                }
                if console.outputIsClosed { return 0 }
            }
            // Ctrl-C is the normal end.
            if Task.isCancelled { return 0 }
            throw client.remote?.endOfStream
                ?? DownloadError(
                    .daemonUnavailable,
                    "the daemon has stopped",
                    advice: "run 'pawl daemon start'"
                )
        }
    }

    /// The exit status after all past events were shown.
    private static func end(_ filter: EventFilter) throws(DownloadError) -> Int32 {
        let unmatched = filter.targets.first { target in
            filter.unmatched.contains(target) && !NamePattern.isOne(target)
        }
        if let unmatched { throw DaemonClient.notFound(unmatched) }
        return 0
    }

    /// The next element; `nil` after Ctrl-C or if the daemon has stopped.
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
        "pawl: note: older events are no longer stored; see 'pawl list --all'"

    private static func line(_ event: WireEvent) -> String {
        var text = "\(event.id)\t\(LocalTime().full(event.at))\t\(event.kind.rawValue)"
        text += "\t\(event.download.map { "\($0)" } ?? "-")\t\(event.name.sanitized)"
        if let settings = event.settings { text += LimitReport.line(settings) }
        if let problem = event.problem { text += "\t\(problem.title.sanitized)" }
        return text + "\n"
    }
}

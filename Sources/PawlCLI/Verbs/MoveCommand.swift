internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl move`: changes the order of the queue.
struct MoveCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move downloads within the queue.",
        discussion:
            "If you move several downloads, they keep their order among themselves. Running "
            + "downloads are not interrupted. A download moves only among downloads of the same "
            + "priority."
    )

    @Flag(help: "Move to the start of the queue.")
    var first = false

    @Flag(help: "Move to the end of the queue.")
    var last = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Move the given downloads before this one.",
            valueName: "other"
        )
    )
    var before: String?

    @OptionGroup var targets: LabelledTargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        guard [first, last, before != nil].count(where: { $0 }) == 1 else {
            let isMissing = !first && !last && before == nil
            throw .usage(
                isMissing
                    ? "missing --first, --last or --before"
                    : "--first, --last and --before cannot be combined",
                advice: isMissing ? "see 'pawl move --help'" : "use one of them"
            )
        }
        guard let before else {
            return try act(
                first ? .moveFirst : .moveLast,
                on: targets,
                result: first ? "moved to the start" : "moved to the end",
                console
            )
        }
        return try move(before: before, console)
    }

    private func move(before: String, _ console: Console) throws(DownloadError) -> VerbWork {
        let (selection, json) = (try targets.selection(), targets.json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let found = try await client.selected(Selection(targets: [before]))
            guard found.count == 1, let other = found.first else {
                throw .usage(
                    "--before: '\(before.sanitized(atMost: 100))' matches \(found.count) downloads",
                    advice: "use the ID of one download"
                )
            }
            var changes = DownloadChanges()
            changes.before = other.id
            var outcome = try await client.change(selection, changes)
            // The others are downloads whose position has changed.
            if !json { outcome.downloads = Array(outcome.downloads.prefix(1)) }
            let name = other.name.sanitized
            show(outcome, json: json, result: "moved before \(name)", console)
            return 0
        }
    }
}

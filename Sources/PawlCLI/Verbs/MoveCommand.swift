internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl move`: changes the place in the daemon's queue.
struct MoveCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move downloads within the daemon's queue.",
        discussion:
            "Several keep their order behind each other; one that runs goes on. Priorities come first: "
            + "a download moves among those of its own."
    )

    @Flag(help: "To the beginning.")
    var first = false

    @Flag(help: "To the end.")
    var last = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("One download: in front of that one.", valueName: "other")
    )
    var before: String?

    @OptionGroup var targets: TargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        guard [first, last, before != nil].count(where: { $0 }) == 1 else {
            let isUnsaid = !first && !last && before == nil
            throw DownloadError(
                .usage,
                isUnsaid
                    ? "nothing says where to" : "--first, --last and --before exclude each other",
                advice: "give --first, --last or --before"
            )
        }
        guard let before else {
            return try act(
                first ? .moveFirst : .moveLast,
                on: targets,
                said: first ? "moved to the beginning" : "moved to the end",
                console
            )
        }
        return try move(before: before, console)
    }

    private func move(before: String, _ console: Console) throws(DownloadError) -> VerbWork {
        let (selection, json) = (try targets.selection(), targets.json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            var query = ListQuery()
            query.targets = [before]
            let found = try await client.all(query)
            guard let other = found.first else { throw ShowCommand.notFound(before) }
            guard found.count == 1 else {
                throw DownloadError(
                    .usage,
                    "--before '\(before.sanitized(atMost: 100))' means \(found.count) downloads",
                    advice: "name one, best by its id"
                )
            }
            var changes = DownloadChanges()
            changes.before = other.id
            var outcome = try await client.change(selection, changes)
            // Those behind it have made room.
            if !json { outcome.downloads = Array(outcome.downloads.prefix(1)) }
            let name = other.name.sanitized
            show(outcome, json: json, said: "moved in front of \(name)", console)
            return 0
        }
    }
}

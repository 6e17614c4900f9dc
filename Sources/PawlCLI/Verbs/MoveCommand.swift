internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// `pawl move`: changes the place in the daemon's queue.
struct MoveCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move downloads to the beginning or the end of the daemon's queue.",
        discussion: "Several keep their order behind each other; one that runs goes on."
    )

    @Flag(help: "To the beginning.")
    var first = false

    @Flag(help: "To the end.")
    var last = false

    @OptionGroup var targets: TargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        guard first != last else {
            throw DownloadError(
                .usage,
                first ? "--first and --last exclude each other" : "nothing says where to",
                advice: "give --first or --last"
            )
        }
        return try act(
            first ? .moveFirst : .moveLast,
            on: targets,
            said: first ? "moved to the beginning" : "moved to the end",
            console
        )
    }
}

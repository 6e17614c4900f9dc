internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// `pawl clear`: removes the downloads that need no attention any more from the list.
struct ClearCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove finished and cancelled downloads from the list; their files are kept.",
        discussion: """
            Failed downloads stay in the list, because they can be retried. To remove them as well, \
            use --state finished,cancelled,failed.
            """
    )

    @OptionGroup var targets: LabelledTargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let selection = try targets.selection(isOptional: true, in: [.finished, .cancelled])
        guard selection.states?.allSatisfy(\.isEnd) ?? true else {
            throw .usage(
                "only downloads that have ended can be cleared",
                advice: "to remove others, use 'pawl remove'"
            )
        }
        return try act(.remove, on: targets, selection, result: "removed", console)
    }
}

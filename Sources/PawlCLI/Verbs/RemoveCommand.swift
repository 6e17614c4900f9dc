internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// `pawl remove`: removes downloads from the queue.
struct RemoveCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove downloads from the queue; their files are kept."
    )

    @Flag(help: "Also delete the finished and partial files that Pawl wrote.")
    var withFiles = false

    @OptionGroup var targets: LabelledTargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try act(
            withFiles ? .removeWithFiles : .remove,
            on: targets,
            result: withFiles ? "removed with its files" : "removed",
            incompleteResult: withFiles ? "removed, but some of its files remain" : nil,
            console
        )
    }
}

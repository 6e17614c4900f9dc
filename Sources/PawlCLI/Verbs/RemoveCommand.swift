internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// `pawl remove`: takes downloads off the list.
struct RemoveCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take downloads off the daemon's list.",
        discussion: "What is on the disk stays, unless --with-files is given."
    )

    @Flag(help: "Also remove the finished and partial files, if Pawl wrote them.")
    var withFiles = false

    @OptionGroup var targets: TargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try act(
            withFiles ? .removeWithFiles : .remove,
            on: targets,
            said: withFiles ? "removed with its files" : "removed",
            saidOfLeft: withFiles ? "removed, not all of its files" : nil,
            console
        )
    }
}

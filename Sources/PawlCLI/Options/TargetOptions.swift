internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// The downloads to which a verb applies.
struct TargetOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "IDs, names, or name patterns such as '*.iso'.",
            valueName: "download"
        )
    )
    var targets: [String] = []

    @Flag(name: .shortAndLong, help: "Select all downloads that the command can act on.")
    var all = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only downloads of this session.", valueName: "name")
    )
    var session: String?

    @Flag(help: "Print JSON.")
    var json = false

    func selection() throws(DownloadError) -> Selection {
        guard targets.isEmpty == all else {
            throw .usage(
                all ? "--all cannot be combined with names" : "no download is given",
                advice: "use IDs, names or patterns from 'pawl list', or --all"
            )
        }
        return Selection(
            targets: all ? nil : targets,
            all: all ? true : nil,
            session: session
        )
    }
}

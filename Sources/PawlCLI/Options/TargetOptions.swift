internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// Which of the daemon's downloads a verb is for.
struct TargetOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Ids, names, or patterns of names such as '*.iso'.",
            valueName: "download"
        )
    )
    var targets: [String] = []

    @Flag(name: .shortAndLong, help: "All that it can be done to.")
    var all = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only those of this session.", valueName: "name")
    )
    var session: String?

    @Flag(help: "Write JSON.")
    var json = false

    func selection() throws(DownloadError) -> Selection {
        guard targets.isEmpty == all else {
            throw DownloadError(
                .usage,
                all ? "--all and named downloads exclude each other" : "no download is named",
                advice: "give ids, names or patterns as pawl list shows them, or --all"
            )
        }
        return Selection(
            targets: all ? nil : targets,
            all: all ? true : nil,
            session: session
        )
    }
}

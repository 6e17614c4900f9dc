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

    @OptionGroup var state: StateOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only downloads of this session.", valueName: "name")
    )
    var session: String?

    @Flag(help: "Print JSON.")
    var json = false

    /// Returns the selection.
    ///
    /// - Parameters:
    ///   - isOptional: Whether no name and no option selects all.
    ///   - states: The states of the selected downloads if `--state` is not given; `nil` for those
    ///     for which the operation makes sense.
    func selection(
        isOptional: Bool = false,
        in states: Set<TaskState>? = nil
    ) throws(DownloadError) -> Selection {
        let chosen = try state.states()
        guard !all || targets.isEmpty else {
            throw .usage(
                "--all cannot be combined with names",
                advice: "use IDs, names or patterns from 'pawl list', or --all"
            )
        }
        // States alone select all downloads in them.
        guard all || isOptional || chosen != nil || !targets.isEmpty else {
            throw .usage(
                "no download is given",
                advice: "use IDs, names or patterns from 'pawl list', --state or --all"
            )
        }
        return Selection(
            targets: targets.isEmpty ? nil : targets,
            all: targets.isEmpty ? true : nil,
            states: chosen ?? states,
            session: session
        )
    }
}

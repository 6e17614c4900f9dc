internal import ArgumentParser
internal import PawlCore
internal import PawlWire

/// The downloads to which a verb applies.
///
/// All verbs but the one that changes labels use `LabelledTargetOptions`.
struct TargetOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Select all downloads that the command can act on.")
    var all = false

    @OptionGroup var named: NamedTargets

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
        guard !all || named.targets.isEmpty else {
            throw .usage(
                "--all cannot be combined with names",
                advice: "use IDs, names or patterns from 'pawl list', or --all"
            )
        }
        var selection = try named.selection()
        // States alone select all downloads in them.
        guard all || isOptional || selection.states != nil || !named.targets.isEmpty else {
            throw .usage(
                "no download is given",
                advice: "use IDs, names or patterns from 'pawl list', --state or --all"
            )
        }
        selection.states = selection.states ?? states
        return selection
    }
}

/// Downloads by their names, their states, their session and their label.
struct NamedTargets: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "IDs, names, or name patterns such as '*.iso'.",
            valueName: "download"
        )
    )
    var targets: [String] = []

    @OptionGroup var filter: FilterOptions

    /// Returns the selection; no name selects all.
    func selection(label: String? = nil) throws(DownloadError) -> Selection {
        Selection(
            targets: targets.isEmpty ? nil : targets,
            all: targets.isEmpty ? true : nil,
            states: try filter.states(),
            session: filter.session,
            label: label
        )
    }
}

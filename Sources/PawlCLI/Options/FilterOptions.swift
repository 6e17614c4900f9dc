internal import ArgumentParser
internal import PawlCore

/// The states and the session to which a selection of downloads is limited.
struct FilterOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Only downloads in these states, separated by commas: waiting, running, paused, \
            finished, failed, cancelled.
            """,
            valueName: "states"
        )
    )
    var state: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Only downloads of this session.", valueName: "name")
    )
    var session: String?

    /// The states; `nil` if the option was not given.
    func states() throws(DownloadError) -> Set<TaskState>? {
        guard let state else { return nil }
        var states: Set<TaskState> = []
        for word in state.split(separator: ",", omittingEmptySubsequences: false) {
            guard let state = TaskState(rawValue: String(word)) else {
                throw .usage(
                    "invalid state '\(String(word).sanitized)'",
                    advice: "use waiting, running, paused, finished, failed or cancelled"
                )
            }
            states.insert(state)
        }
        return states
    }
}

internal import ArgumentParser
internal import PawlCore

/// The command `pawl` with its verbs.
struct PawlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pawl",
        abstract: "Fetch files: fast, resumable, verified.",
        version: version,
        subcommands: verbs,
        defaultSubcommand: GetCommand.self
    )

    private static let version = "pawl \(PawlVersion.current)"
    static let versionLine = version + "\n"

    private static let verbs: [any ParsableCommand.Type] = [
        GetCommand.self, InspectCommand.self, AddCommand.self, ListCommand.self,
        ShowCommand.self, PauseCommand.self, ResumeCommand.self, CancelCommand.self,
        RemoveCommand.self, MoveCommand.self, SetCommand.self, LimitCommand.self,
        WaitCommand.self, EventsCommand.self, SessionCommand.self, DaemonCommand.self,
    ]

    /// The arguments with the verb that they leave out.
    static func completed(_ arguments: [String]) -> [String] {
        guard let first = arguments.first else { return [GetCommand.name] }
        if arguments == ["help"] { return [GetCommand.name, "--help"] }
        let names = verbs.compactMap { $0.configuration.commandName } + ["help"]
        let isOwn = first == "--version" || first.hasPrefix("--generate-completion-script")
        return isOwn || names.contains(first) ? arguments : [GetCommand.name] + arguments
    }
}

extension GetCommand {
    fileprivate static let name = "get"
}

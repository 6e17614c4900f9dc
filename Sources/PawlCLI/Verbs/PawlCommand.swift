internal import ArgumentParser
internal import PawlCore

/// The command `pawl` and its subcommands.
struct PawlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pawl",
        abstract:
            "Download files quickly, resume interrupted downloads, and verify the results.",
        usage: """
            pawl [get] [<options>] <url> ...
            pawl [--daemon <url>] <subcommand> [<options>] ...
            """,
        discussion: """
            Run the same command again to resume after an interruption, a crash or a power cut. A \
            file appears under its name only when it is complete and verified.
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Download",
                subcommands: [
                    GetCommand.self, MirrorCommand.self, VerifyCommand.self, InspectCommand.self,
                    ConfigCommand.self,
                ]
            ),
            CommandGroup(
                name: "Queue",
                subcommands: [
                    AddCommand.self, ListCommand.self, TopCommand.self, ShowCommand.self,
                    WaitCommand.self,
                    EventsCommand.self, PauseCommand.self, ResumeCommand.self, RetryCommand.self,
                    CancelCommand.self, RemoveCommand.self, ClearCommand.self, UndoCommand.self,
                    MoveCommand.self,
                    SetCommand.self, FeedCommand.self, ExportCommand.self, ImportCommand.self,
                ]
            ),
            CommandGroup(
                name: "Daemon",
                subcommands: [
                    LimitCommand.self, LabelCommand.self, SessionCommand.self,
                    NativeHostCommand.self, FleetCommand.self,
                    DaemonCommand.self,
                ]
            ),
        ],
        defaultSubcommand: GetCommand.self
    )

    // These options are taken from the arguments before they are parsed.
    @OptionGroup(title: "Daemon of another machine") var choice: DaemonChoiceOptions

    /// Whether a subcommand never uses a daemon.
    static func usesNoDaemon(_ name: String) -> Bool {
        let others: [any ParsableCommand.Type] = [
            MirrorCommand.self, VerifyCommand.self, InspectCommand.self, ConfigCommand.self,
        ]
        return others.contains { $0.configuration.commandName == name }
    }

    private static let version = "pawl \(PawlVersion.current)"
    static let versionLine = version + "\n"

    /// Whether the arguments ask for the help of `pawl` itself.
    static func isHelp(_ arguments: [String]) -> Bool {
        [["--help"], ["-h"], ["help"]].contains(arguments)
    }

    /// The arguments with `get` in front if they name no subcommand.
    static func completed(_ arguments: [String]) -> [String] {
        guard let first = arguments.first else { return [GetCommand.name] }
        let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        let own = ["--version", "--experimental-dump-help"]
        let isOwn = own.contains(first) || first.hasPrefix("--generate-completion-script")
        return isOwn || names.contains(first) ? arguments : [GetCommand.name] + arguments
    }
}

extension GetCommand {
    static let name = "get"
}

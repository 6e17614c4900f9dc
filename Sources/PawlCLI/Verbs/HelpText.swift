internal import ArgumentParser
package import PawlCore

/// The help as `--help` shows it in a terminal of so many columns.
package enum HelpText {
    package static func get(columns: Int) -> String {
        PawlCommand.helpMessage(for: GetCommand.self, columns: columns)
    }

    package static func inspect(columns: Int) -> String {
        PawlCommand.helpMessage(for: InspectCommand.self, columns: columns)
    }

    /// Of all verbs that have to do with the daemon.
    package static func daemon(columns: Int) -> String {
        let verbs: [any ParsableCommand.Type] = [
            AddCommand.self, ListCommand.self, ShowCommand.self, PauseCommand.self,
            ResumeCommand.self, CancelCommand.self, RemoveCommand.self, MoveCommand.self,
            SetCommand.self, LimitCommand.self, WaitCommand.self, EventsCommand.self,
            SessionCommand.List.self, SessionCommand.Forget.self,
            DaemonCommand.self, DaemonCommand.Run.self, DaemonCommand.Start.self,
            DaemonCommand.Stop.self, DaemonCommand.Restart.self, DaemonCommand.Status.self,
            DaemonCommand.Logs.self, DaemonCommand.Token.self, DaemonCommand.Allow.self,
            DaemonCommand.Install.self, DaemonCommand.Uninstall.self,
        ]
        return verbs.map { PawlCommand.helpMessage(for: $0, columns: columns) }
            .joined(separator: "\n\n")
    }

    /// The names of settings in a table that the command can give and no help shows as an option.
    package static func missingOptions<Root>(of table: SettingTable<Root>) -> [String] {
        let words = (get(columns: 200) + daemon(columns: 200)).split { " ,[]\n".contains($0) }
        let options = Set(words.map(String.init))
        return table.settings.filter { $0.entries.contains(.command) }.map(\.name)
            .filter { !options.contains("--\($0)") }
    }
}

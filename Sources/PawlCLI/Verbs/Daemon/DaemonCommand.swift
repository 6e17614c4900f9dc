internal import ArgumentParser

/// `pawl daemon`: controls the process that downloads in the background.
struct DaemonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon",
        abstract: "Control the daemon, which runs downloads in the background.",
        subcommands: [
            DaemonRunCommand.self, DaemonStartCommand.self, DaemonStopCommand.self,
            DaemonRestartCommand.self, DaemonStatusCommand.self, DaemonLogsCommand.self,
            DaemonAuditCommand.self, DaemonTokenCommand.self, DaemonAllowCommand.self,
            DaemonHooksCommand.self,
            DaemonInstallCommand.self,
            DaemonUninstallCommand.self,
        ]
    )
}

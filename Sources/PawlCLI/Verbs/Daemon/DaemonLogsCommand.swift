internal import ArgumentParser
internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon logs`: shows the log of a daemon that runs in the background or as a service.
struct DaemonLogsCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Show the background daemon's log."
    )

    @OptionGroup var options: LogOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try ChosenDaemon.checkIsOfThisMachine("pawl daemon logs")
        let count = try options.count()
        let surroundings = try ServiceSurroundings.current()
        let file = DaemonLogFile(path: surroundings.paths.log)
        if UnitFolder(path: surroundings.unitFolder).hasUnits,
            Systemctl.run(["is-active", "--quiet", ServiceUnits.socketName]).isSuccess
        {
            Self.showJournal(count)
        }
        return {
            do throws(DownloadError) {
                guard LeftoverFiles.isThere(file.path) else {
                    throw file.unreadable(
                        "there is no file",
                        advice: "a daemon in the foreground writes its log to the terminal"
                    )
                }
                let lines = try file.lastLines(count)
                console.output(lines.map { String($0).sanitized + "\n" }.joined())
                return 0
            } catch {
                console.report(error)
                return error.code.exitStatus
            }
        }
    }

    /// Replaces this process by journalctl, which has the log of a service; returns if there is no
    /// journalctl.
    private static func showJournal(_ count: Int) {
        let command = [
            "journalctl", "--user", "--unit=\(ServiceUnits.serviceName)", "--lines=\(count)",
            "--output=cat", "--no-pager",
        ]
        var arguments = command.map { strdup($0) } + [nil]
        signal(SIGPIPE, SIG_DFL)
        execvp(command[0], &arguments)
        signal(SIGPIPE, SIG_IGN)
        for argument in arguments { free(argument) }
    }
}

internal import ArgumentParser
internal import PawlCore

/// `pawl daemon run`: replaces this process by the daemon's program.
struct DaemonRunCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the daemon in the foreground until Ctrl-C or SIGTERM."
    )

    @OptionGroup var options: DaemonOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try ChosenDaemon.checkIsOfThisMachine("pawl daemon run")
        try options.prepare(console)
        throw try DaemonExecution.failure(options.arguments())
    }
}

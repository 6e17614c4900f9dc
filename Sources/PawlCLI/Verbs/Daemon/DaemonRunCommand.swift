internal import ArgumentParser
internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl daemon run`: replaces this process by the daemon's program.
struct DaemonRunCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the daemon in the foreground until Ctrl-C or SIGTERM."
    )

    @OptionGroup var options: DaemonOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try options.check()
        let program = try DaemonProgramFile.path()
        var arguments = ([DaemonProgramFile.name] + options.arguments).map { strdup($0) } + [nil]
        execv(program, &arguments)
        let reason = String(cString: strerror(errno))
        for argument in arguments { free(argument) }
        throw DownloadError(
            .daemonUnavailable,
            "the daemon's program cannot be run: \(reason)",
            advice: "check \(program)"
        )
    }
}

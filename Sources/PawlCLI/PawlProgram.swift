internal import ArgumentParser
internal import Glibc
internal import PawlCore

/// The command line program: parses, runs, and ends with a status of `docs/errors.md`.
public enum PawlProgram {
    /// Runs the program on the arguments of this process.
    ///
    /// To be called on the main thread, before any other is started.
    public static func main() -> Never {
        // A reader that goes away is an error of write, not a reason to die.
        signal(SIGPIPE, SIG_IGN)
        let console = Console()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["--version"] {
            // Setting up the parser is a quarter of the time that this takes.
            console.output(PawlCommand.versionLine)
            exit(0)
        }
        do {
            let verb = try parse(arguments)
            let work = try verb.prepare(console)
            SignalLoop.run(console: console, work)
        } catch let error as DownloadError {
            console.report(error)
            exit(error.code.exitStatus)
        } catch {
            exit(explain(error, console))
        }
    }

    private static func parse(_ arguments: [String]) throws -> any PawlVerb {
        let parsed = try PawlCommand.parseAsRoot(PawlCommand.completed(arguments))
        guard let verb = parsed as? any PawlVerb else {
            // `pawl help` and the like, which only show something.
            var command = parsed
            try command.run()
            throw CleanExit.helpRequest(GetCommand.self)
        }
        return verb
    }

    /// Help and version go to standard output; wrong use is an error in two lines.
    private static func explain(_ error: any Error, _ console: Console) -> Int32 {
        if PawlCommand.exitCode(for: error).isSuccess {
            console.output(PawlCommand.fullMessage(for: error) + "\n")
            return 0
        }
        let lines = PawlCommand.message(for: error).split(whereSeparator: \.isNewline)
        let reason = lines.first.map(String.init) ?? "wrong use"
        console.report(DownloadError(.usage, reason))
        console.message("Write pawl --help to see what there is.")
        return ErrorCode.usage.exitStatus
    }
}

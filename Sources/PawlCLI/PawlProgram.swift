package import ArgumentParser
internal import Glibc
internal import Pawl
internal import PawlCore

/// The command line program: parses, runs, and ends with a status of `docs/errors.md`.
public enum PawlProgram {
    /// Runs `pawl` on the arguments of this process.
    ///
    /// To be called on the main thread, before any other is started.
    public static func main() -> Never {
        ignoreBrokenPipes()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["--version"] {
            // Setting up the parser is a quarter of the time that this takes.
            let console = Console()
            console.output(PawlCommand.versionLine)
            exit(console.exitStatus(after: 0))
        }
        if let error = PawlCommand.wrongVerb(in: arguments) {
            Console().report(error)
            exit(error.code.exitStatus)
        }
        run(PawlCommand.self, PawlCommand.completed(arguments))
    }

    /// Runs a command with these arguments and ends the process.
    ///
    /// `openFiles`: how many files the process must be able to have open.
    package static func run(
        _ root: any ParsableCommand.Type,
        _ arguments: [String],
        openFiles: Int = 64
    ) -> Never {
        ignoreBrokenPipes()
        let console = Console()
        do {
            let verb = try parse(root, arguments)
            try OpenFileLimit.require(openFiles)
            let work = try verb.prepare(console)
            SignalLoop.run(console: console, work)
        } catch let error as DownloadError {
            console.report(error)
            exit(error.code.exitStatus)
        } catch {
            exit(explain(error, of: root, console))
        }
    }

    /// A reader that goes away is an error of write, not a reason to die.
    private static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    private static func parse(
        _ root: any ParsableCommand.Type,
        _ arguments: [String]
    ) throws -> any PawlVerb {
        let parsed = try root.parseAsRoot(arguments)
        guard let verb = parsed as? any PawlVerb else {
            // `pawl help` and the like, which only show something.
            var command = parsed
            try command.run()
            throw CleanExit.helpRequest(root)
        }
        return verb
    }

    /// Help and version go to standard output; wrong use is an error in two lines.
    private static func explain(
        _ error: any Error,
        of root: any ParsableCommand.Type,
        _ console: Console
    ) -> Int32 {
        if root.exitCode(for: error).isSuccess {
            console.output(root.fullMessage(for: error) + "\n")
            return console.exitStatus(after: 0)
        }
        let lines = root.message(for: error).split(whereSeparator: \.isNewline)
        let reason = lines.first.map(String.init) ?? "wrong use"
        console.report(DownloadError(.usage, reason))
        let name = root.configuration.commandName ?? "pawl"
        console.message("Write \(name) --help to see what there is.")
        return ErrorCode.usage.exitStatus
    }
}

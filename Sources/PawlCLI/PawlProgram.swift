package import ArgumentParser
internal import Glibc
package import Pawl
internal import PawlCore

/// The command line program: parses arguments, runs a verb, and exits with a status of
/// `docs/errors.md`.
public enum PawlProgram {
    /// Runs `pawl` on the arguments of this process.
    ///
    /// Must be called on the main thread before any other thread is started.
    public static func main() -> Never {
        StandardFiles.open()
        ignoreBrokenPipes()
        if ProgramArguments.programName == Aria2Program.name { Aria2Program.main() }
        var arguments = Self.arguments()
        chooseDaemon(&arguments)
        if arguments == ["--version"] {
            // Without the parser, this takes three quarters of the time.
            let console = Console()
            console.output(PawlCommand.versionLine)
            exit(console.exitStatus(after: 0))
        }
        if PawlCommand.isHelp(arguments) {
            let console = Console()
            console.output(HelpText.overview(columns: console.helpColumns) + "\n")
            exit(console.exitStatus(after: 0))
        }
        if let error = UnknownCommand.error(in: arguments) {
            Console().report(error)
            exit(error.code.exitStatus)
        }
        run(PawlCommand.self, PawlCommand.completed(arguments))
    }

    /// Takes the options before the subcommand from the arguments.
    ///
    /// Ends the process if they are not valid, or the subcommand uses no daemon.
    private static func chooseDaemon(_ arguments: inout [String]) {
        do {
            ChosenDaemon.set(typed: try DaemonChoiceOptions.take(from: &arguments))
            let verb = PawlCommand.completed(arguments).first ?? ""
            if PawlCommand.usesNoDaemon(verb) {
                try ChosenDaemon.checkNotTyped(for: "pawl \(verb)", "leave it out")
            } else if verb != GetCommand.name {
                // `pawl get` uses a daemon only with `--background`.
                try ChosenDaemon.reserveStandardInput()
            }
        } catch {
            Console().report(error)
            exit(error.code.exitStatus)
        }
    }

    /// Returns the arguments of this process without the program's name.
    ///
    /// Ends the process if one of them is not UTF-8. `secrets`: the options with secret values.
    package static func arguments(hiding secrets: SecretOptions = .settings) -> [String] {
        do {
            let arguments = try ProgramArguments.read()
            ProgramArguments.hideSecrets(in: arguments, secrets)
            return arguments
        } catch {
            Console().report(error)
            exit(error.code.exitStatus)
        }
    }

    /// Runs a command with these arguments and ends the process.
    ///
    /// - Parameters:
    ///   - openFiles: The number of files that the process must be able to open.
    ///   - conditions: What interrupts the command as a signal does.
    package static func run(
        _ root: any ParsableCommand.Type,
        _ arguments: [String],
        openFiles: Int = 64,
        until conditions: [StopCondition] = []
    ) -> Never {
        ignoreBrokenPipes()
        let console = Console()
        do {
            let verb = try parse(root, arguments)
            try OpenFileLimit.require(openFiles)
            let work = try verb.prepare(console)
            SignalLoop.run(console: console, until: conditions, work)
        } catch let error as DownloadError {
            console.report(error)
            exit(error.code.exitStatus)
        } catch {
            exit(explain(error, of: root, arguments, console))
        }
    }

    /// Turns a closed pipe into an error of `write` instead of a signal.
    private static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    private static func parse(
        _ root: any ParsableCommand.Type,
        _ arguments: [String]
    ) throws -> any PawlVerb {
        if let verb = verb(of: root, arguments[...]) { return verb }
        // The root would take these options from any position, and they would have no effect.
        try DaemonChoiceOptions.checkNone(in: arguments)
        let parsed = try root.parseAsRoot(arguments)
        guard let verb = parsed as? any PawlVerb else {
            // Commands of the parser such as `pawl help`, which only print something.
            var command = parsed
            try command.run()
            throw CleanExit.helpRequest(root)
        }
        return verb
    }

    /// Returns the verb that the first arguments name, with the others; `nil` if they ask for help or
    /// are not valid, which the root explains.
    ///
    /// From the root, the parser collects the options of several subcommands several times, which
    /// takes most of the time until a verb starts.
    private static func verb(
        of command: any ParsableCommand.Type,
        _ arguments: ArraySlice<String>
    ) -> (any PawlVerb)? {
        let next = command.configuration.subcommands.first { subcommand in
            subcommand.configuration.commandName == arguments.first
        }
        if let next { return verb(of: next, arguments.dropFirst()) }
        return try? command.parseAsRoot(Array(arguments)) as? any PawlVerb
    }

    /// Prints help and version to standard output, and usage errors to standard error.
    private static func explain(
        _ error: any Error,
        of root: any ParsableCommand.Type,
        _ arguments: [String],
        _ console: Console
    ) -> Int32 {
        // The parser wraps the help also to determine the exit status, and crashes if the terminal
        // is narrow.
        setenv("COLUMNS", String(console.helpColumns), 1)
        if root.exitCode(for: error).isSuccess {
            console.output(root.fullMessage(for: error) + "\n")
            return console.exitStatus(after: 0)
        }
        let lines = root.message(for: error).split(whereSeparator: \.isNewline)
        var reason = lines.first.map(String.init) ?? "invalid arguments"
        var advice: Advice?
        if let option = unknownOption(in: reason) {
            let similar = removeProposal(from: &reason).map { [$0] } ?? []
            advice =
                foreignAdvice(for: option, of: root, arguments).map { "\($0)" }
                ?? SimilarWord.nearest(to: option, among: similar + ["--help", "--version"])
                .map { "did you mean '\($0)'?" }
        }
        console.report(
            DownloadError.usage(
                reason.prefix(1).lowercased() + reason.dropFirst(),
                advice: advice ?? ""
            )
        )
        console.message("See '\(helpCommand(of: root, arguments))'.")
        return ErrorCode.usage.exitStatus
    }

    /// Returns what the command that the arguments name has instead of an option of another tool.
    private static func foreignAdvice(
        for option: String,
        of root: any ParsableCommand.Type,
        _ arguments: [String]
    ) -> String? {
        let named = subcommand(of: root, arguments).command
        let command = named.configuration.defaultSubcommand ?? named
        return ForeignOption.advice(
            for: option,
            in: arguments,
            ofCommandWith: HelpText.optionNames(of: command, in: root)
        )
    }

    /// Returns the option that the parser does not know, according to its message.
    private static func unknownOption(in reason: String) -> String? {
        let parts = reason.split(separator: "'", omittingEmptySubsequences: false)
        return reason.hasPrefix("Unknown option") && parts.count > 1 ? String(parts[1]) : nil
    }

    /// Removes the parser's proposal from its message, and returns it.
    ///
    /// The parser does not know its own options, such as `--help`.
    private static func removeProposal(from reason: inout String) -> String? {
        guard let start = reason.firstRange(of: ". Did you mean '") else { return nil }
        let proposal = reason[start.upperBound...].prefix { $0 != "'" }
        reason.removeSubrange(start.lowerBound...)
        return String(proposal)
    }

    /// The command line that prints the help for the subcommand that the arguments name.
    private static func helpCommand(
        of root: any ParsableCommand.Type,
        _ arguments: [String]
    ) -> String {
        (subcommand(of: root, arguments).words + ["--help"]).joined(separator: " ")
    }

    /// Returns the subcommand that the arguments name, with the words that name it.
    ///
    /// For the default one, that is its parent.
    private static func subcommand(
        of root: any ParsableCommand.Type,
        _ arguments: [String]
    ) -> (command: any ParsableCommand.Type, words: [String]) {
        var (command, words) = (root, [root.configuration.commandName ?? "pawl"])
        for word in arguments {
            let subcommands = command.configuration.subcommands
            guard let next = subcommands.first(where: { $0.configuration.commandName == word }),
                next != command.configuration.defaultSubcommand
            else { break }
            command = next
            words.append(word)
        }
        return (command, words)
    }
}

internal import ArgumentParser
internal import Glibc
internal import Pawl
internal import PawlCore
internal import PawlHooks
internal import PawlWire

/// `pawl wait`: waits until downloads have ended.
struct WaitCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until downloads have ended.",
        discussion: """
            Shows progress on a terminal; otherwise prints one line to standard error per download \
            that ends. --all selects the downloads that have not ended and those that have already \
            failed.

            The exit status is 0 if all selected downloads finish. Otherwise, it is the status of \
            the lowest-ID download that did not finish, or 7 if that one is paused.

            The program given with --exec runs once, whether or not the downloads finish. It \
            receives the downloads as JSON on its standard input, and PAWL_EVENT is complete or \
            error. If all downloads finish, this command exits with the program's exit status.
            """
    )

    @OptionGroup var targets: LabelledTargetOptions

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "When the downloads have ended, run this program with these arguments, without a "
                + "shell, for at most 10 minutes.",
            valueName: "command"
        )
    )
    var exec: String?

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let (selection, json) = (try targets.selection(), targets.json)
        let isQuiet = quiet || json
        let command = try exec.map { (text) throws(DownloadError) in
            try usage("--exec") { () throws(ValueError) in try HookCommand(parsing: text) }
        }
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let display: any ProgressDisplay =
                console.traits.canRedraw && !isQuiet
                ? LiveDisplay(console: console)
                : QuietDisplay(console: console, isSilent: isQuiet)
            var waiting = DownloadWait(client, display, console, isSilent: json)
            let ended = try await waiting.run(selection)
            if json { console.output(JSONOutput.pretty(ended) + "\n") }
            let status = ended.lazy.compactMap(\.endError?.code.exitStatus).first ?? 0
            let end = try await Self.run(command, after: ended, isSuccess: status == 0)
            if let end, !end.isSuccess { console.message("--exec: the program \(end.text)") }
            return status != 0 ? status : end?.status ?? 0
        }
    }

    /// Runs the program of `--exec`; returns `nil` if there is none.
    private static func run(
        _ command: HookCommand?,
        after ended: [WireDownload],
        isSuccess: Bool
    ) async throws(DownloadError) -> ProgramRun.End? {
        guard let command, !command.words.isEmpty else { return nil }
        var run = ProgramRun(command.words)
        let event = isSuccess ? HookEvent.complete : .error
        run.environment = [HookFacts.eventVariable: event.rawValue]
        run.input = try WireJSON.encode(ended) + [UInt8(ascii: "\n")]
        run.output = STDOUT_FILENO
        return await run.run()
    }
}

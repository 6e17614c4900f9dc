internal import ArgumentParser
internal import Glibc
internal import Pawl
internal import PawlCore

/// `pawl get`, the default: downloads files.
struct GetCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract:
            "Download files quickly, resume interrupted downloads, and verify the results.",
        usage: "pawl [get] [<options>] <url> ...",
        discussion: """
            Run the same command again to resume after an interruption, a crash or a power cut. A \
            file appears under its name only when it is complete and verified.

            In a list for --input-file, '#' starts a comment. Indented lines below a URL, such as \
            'output=disk.iso', 'checksum=sha256=…' or 'mirror=https://…', set options for that URL.

            The exit status is 0 if every download succeeds. Otherwise, it is the status of the \
            first URL, in the order given, whose download fails. Ctrl-C keeps the bytes received \
            so far, prints the command that continues the downloads in the background, and exits \
            with status 7. A second Ctrl-C exits immediately.
            """
    )

    @Argument(help: ArgumentHelp("The URLs to download.", valueName: "url"))
    var urls: [String] = []

    @Flag(help: "Add the downloads to the daemon's queue, like pawl add, and exit.")
    var background = false

    @OptionGroup(title: "Input") var input: InputOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Transfer") var transfer: TransferOptions
    @OptionGroup(title: "Limits of this run") var limits: LimitOptions
    @OptionGroup(title: "Request") var request: RequestOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Messages") var progress: ProgressOptions
    @OptionGroup(visibility: .hidden) var habits: HabitOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try habits.check()
        let configuration = try limits.configuration()
        let verbosity = try progress.verbosity()
        let mode = try progress.mode()
        let options =
            input.assignments + output.assignments + transfer.assignments + request.assignments
            + connection.assignments
        let list: InputList? =
            if let path = input.inputFile { try InputFile.read(path) } else { nil }
        var batch = try DownloadBatch(
            urls: urls,
            list: list,
            options: options,
            netrcFile: NetrcFile.usual
        )
        try batch.askForPassword(console)
        if verbosity != .quiet { batch.notes.forEach(console.message) }
        if background {
            guard limits.given.isEmpty else {
                throw .usage(
                    "--background cannot be combined with \(limits.given.joined(separator: " or "))",
                    advice: "use 'pawl limit' to limit the daemon"
                )
            }
            var submission = DaemonSubmission()
            submission.isQuiet = verbosity == .quiet
            return try submission.work(batch.downloads, json: mode == .json, console)
        }
        var run = DownloadRun(
            downloads: batch.downloads,
            configuration: allowing(batch.downloads, configuration),
            display: makeDisplay(mode, console, isQuiet: verbosity == .quiet),
            console: console,
            logger: console.logger(verbosity)
        )
        if verbosity != .quiet { run.hint = hint(options, hasList: list != nil, console) }
        let prepared = run
        return { await prepared.run() }
    }

    /// The hint for a user at a terminal; `nil` if there is no daemon's program.
    private func hint(
        _ options: [OptionAssignment],
        hasList: Bool,
        _ console: Console
    ) -> BackgroundHint? {
        guard console.traits.isTerminal, isatty(STDIN_FILENO) == 1,
            (try? DaemonProgramFile.path()) != nil
        else { return nil }
        var hint = BackgroundHint(options: options)
        hint.hasList = hasList
        hint.omittedOptions = limits.given
        return hint
    }

    /// Raises the limit per host to the number of connections that `--connections` names.
    private func allowing(
        _ downloads: [RequestedDownload],
        _ configuration: SessionConfiguration
    ) -> SessionConfiguration {
        var configuration = configuration
        for case .fixed(let count) in downloads.map(\.settings.connections) {
            configuration.connectionsPerHost = max(configuration.connectionsPerHost, count)
        }
        return configuration
    }

    private func makeDisplay(
        _ mode: ProgressMode?,
        _ console: Console,
        isQuiet: Bool
    ) -> any ProgressDisplay {
        let plain = PlainDisplay(style: console.traits.style) { console.message($0) }
        switch mode ?? (isQuiet ? .none : .auto) {
        case .auto, .bar: return console.traits.canRedraw ? LiveDisplay(console: console) : plain
        case .plain: return plain
        case .json: return JSONDisplay { console.output($0 + "\n") }
        case .none: return QuietDisplay(console: console, isSilent: isQuiet)
        }
    }
}

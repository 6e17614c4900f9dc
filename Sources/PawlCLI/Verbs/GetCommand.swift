internal import ArgumentParser
internal import Glibc
internal import Pawl
internal import PawlCore

/// `pawl get`, the default: fetches files.
struct GetCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Fetch files: fast, resumable, verified.",
        usage: """
            pawl [get] [options] <url> ...
            pawl inspect <url | file.part>
            pawl add <url> ..., then list, show, wait, pause, resume, cancel, remove, events
            pawl daemon <run | start | stop | status | logs | install | uninstall>
            pawl --version
            """,
        discussion: """
            Run the same command again to go on after an interruption, a crash or a power cut.
            A file appears under its name complete and verified, or not at all.

            In a list for --input-file, '#' starts a comment, and indented lines such as \
            'output=disk.iso', 'checksum=sha256=…' or 'mirror=https://…' are options of the URL above them.

            The exit status is 0 if every download ended well, otherwise that of the first one in \
            the order given that did not. Ctrl-C keeps what came (status 7) and shows the command \
            that goes on in the background; a second one ends at once.

            pawl help <verb> tells of the others; those of the daemon carry downloads on when nobody \
            waits for them.
            """
    )

    @Argument(help: ArgumentHelp("What to fetch.", valueName: "url"))
    var urls: [String] = []

    @Flag(help: "Hand the downloads to the daemon and return at once, as pawl add does.")
    var background = false

    @OptionGroup(title: "What to fetch") var input: InputOptions
    @OptionGroup(title: "Where to") var output: OutputOptions
    @OptionGroup(title: "How") var transfer: TransferOptions
    @OptionGroup(title: "Over all downloads") var limits: LimitOptions
    @OptionGroup(title: "What is sent") var request: RequestOptions
    @OptionGroup(title: "What is said") var progress: ProgressOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let settings = try limits.settings()
        let verbosity = try progress.verbosity()
        let mode = try progress.mode()
        let options =
            input.assignments + output.assignments + transfer.assignments + request.assignments
        let list: InputList? =
            if let path = input.inputFile { try InputFile.read(path) } else { nil }
        var book = try OrderBook(urls: urls, list: list, options: options)
        if let name = book.nameWithoutPassword {
            book.fill(password: try PasswordPrompt.ask(for: name, console: console))
        }
        if verbosity != .quiet { book.notes.forEach(console.message) }
        if background {
            guard limits.jobs == nil, limits.limitRate == nil else {
                throw DownloadError(
                    .usage,
                    "--background with --jobs or --limit-rate, which hold for this run alone",
                    advice: "leave them out; pawl limit is for those of the daemon"
                )
            }
            var handing = HandingOver()
            handing.isQuiet = verbosity == .quiet
            return try handing.work(book.orders, json: mode == .json, console)
        }
        var run = DownloadRun(
            orders: book.orders,
            settings: allowing(book.orders, settings),
            display: makeDisplay(mode, console, isQuiet: verbosity == .quiet),
            console: console,
            logger: console.logger(verbosity)
        )
        if verbosity != .quiet { run.offer = offer(options, hasList: list != nil, console) }
        let prepared = run
        return { await prepared.run() }
    }

    /// For somebody at a terminal, where there is a daemon to go on.
    private func offer(
        _ options: [OptionAssignment],
        hasList: Bool,
        _ console: Console
    ) -> BackgroundOffer? {
        guard console.traits.isTerminal, isatty(STDIN_FILENO) == 1,
            (try? DaemonProgramFile.path()) != nil
        else { return nil }
        var offer = BackgroundOffer(options: options)
        offer.hasList = hasList
        if limits.jobs != nil { offer.leftOut.append("--jobs") }
        if limits.limitRate != nil { offer.leftOut.append("--limit-rate") }
        return offer
    }

    /// Who asks for many connections by number gets them from one host, too.
    private func allowing(
        _ orders: [DownloadOrder],
        _ settings: DownloaderSettings
    ) -> DownloaderSettings {
        var settings = settings
        for case .fixed(let count) in orders.map(\.settings.connections) {
            settings.connectionsPerHost = max(settings.connectionsPerHost, count)
        }
        return settings
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

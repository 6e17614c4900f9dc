internal import Glibc
internal import Pawl
internal import PawlCore

/// What `pawl get` was asked to do, apart from the list of URLs, which may have to be fetched first.
struct RequestedRun: Sendable {
    let urls: [String]
    let options: [OptionAssignment]
    let config: UserConfig
    /// The option `--config`, if it is given.
    let configChoice: [OptionAssignment]
    let configuration: SessionConfiguration
    let verbosity: Verbosity
    let mode: ProgressMode?
    /// Whether the daemon runs the downloads.
    let isForDaemon: Bool
    /// The names of the given limits of the run.
    let limits: [String]

    /// Checks the downloads, and returns the work.
    func work(_ list: InputList?, _ console: Console) throws(DownloadError) -> VerbWork {
        try BucketFolders.read(urls, list, options, config, console) {
            (urls, list) throws(DownloadError) in
            try work(on: urls, list, console)
        }
    }

    private func work(
        on urls: [String],
        _ list: InputList?,
        _ console: Console
    ) throws(DownloadError) -> VerbWork {
        let prints = verbosity != .quiet
        var isForRemoteDaemon = false
        if isForDaemon { isForRemoteDaemon = try ChosenDaemon.isRemote() }
        let batch = try DownloadBatch.asked(
            urls: urls,
            list: list,
            options: options,
            config: config,
            console,
            prints: prints,
            isForRemoteDaemon: isForRemoteDaemon
        )
        let hasList = list != nil
        return try SSHPrompt.settle(batch.downloads, console) {
            (downloads) throws(DownloadError) in
            guard !isForDaemon else { return try submission(downloads, console) }
            let run = try run(downloads, hasList: hasList, console)
            return { await run.run() }
        }
    }

    private func submission(
        _ downloads: [RequestedDownload],
        _ console: Console
    ) throws(DownloadError) -> VerbWork {
        guard limits.isEmpty else {
            throw .usage(
                "--background cannot be combined with \(limits.alternatives)",
                advice: "use 'pawl limit' to limit the daemon"
            )
        }
        var submission = DaemonSubmission()
        submission.isQuiet = verbosity == .quiet
        return try submission.work(downloads, json: mode == .json, console)
    }

    private func run(
        _ downloads: [RequestedDownload],
        hasList: Bool,
        _ console: Console
    ) throws(DownloadError) -> DownloadRun {
        let writesOutput = downloads.contains(where: \.isForStandardOutput)
        guard !writesOutput || mode != .json else {
            throw .usage(
                "--progress json and --output - cannot be combined",
                advice: "both write to standard output; use --progress plain"
            )
        }
        guard !writesOutput || !StandardFiles.isOutputMissing else {
            throw .usage("standard output is closed", advice: "use --output with a file")
        }
        // Lines among the bytes would make both unreadable.
        let hidesProgress = writesOutput && console.outputIsTerminal
        var run = DownloadRun(
            downloads: downloads,
            configuration: configuration.allowing(downloads.map(\.settings.connections)),
            display: console.display(
                hidesProgress ? ProgressMode.none : mode,
                isQuiet: hidesProgress || verbosity == .quiet
            ),
            console: console,
            logger: console.logger(verbosity)
        )
        run.printsPaths = !writesOutput && mode != .json && !console.outputIsTerminal
        // The daemon does not have the records of this user's uploads.
        let continuesInDaemon = !writesOutput && !downloads.contains(where: \.isForObject)
        if verbosity != .quiet, continuesInDaemon { run.hint = hint(hasList: hasList, console) }
        return run
    }

    /// The hint for a user at a terminal; `nil` if there is no daemon's program.
    private func hint(hasList: Bool, _ console: Console) -> BackgroundHint? {
        // The daemon of another machine does not have the partial file. If the choice is not valid, the
        // hint would fail, too.
        guard console.traits.isTerminal, isatty(STDIN_FILENO) == 1,
            (try? DaemonProgramFile.path()) != nil, let choice = try? ChosenDaemon.current(),
            choice.url == nil
        else { return nil }
        var hint = BackgroundHint(options: configChoice + options)
        hint.hasList = hasList
        hint.omittedOptions = limits
        return hint
    }
}

extension Console {
    /// Returns the display of a mode; `nil` stands for the usual one.
    func display(_ mode: ProgressMode?, isQuiet: Bool) -> any ProgressDisplay {
        let plain = PlainDisplay(style: traits.style) { self.message($0) }
        switch mode ?? (isQuiet ? .none : .auto) {
        case .auto, .bar: return traits.canRedraw ? LiveDisplay(console: self) : plain
        case .plain: return plain
        case .json: return JSONDisplay { self.output($0 + "\n") }
        case .none: return QuietDisplay(console: self, isSilent: isQuiet)
        }
    }
}

extension SessionConfiguration {
    /// Returns the configuration with a limit per host that is not below the number of connections
    /// that `--connections` names.
    func allowing(_ counts: [ConnectionCount]) -> SessionConfiguration {
        var configuration = self
        for case .fixed(let count) in counts {
            configuration.connectionsPerHost = max(configuration.connectionsPerHost, count)
        }
        return configuration
    }
}

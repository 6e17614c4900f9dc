internal import ArgumentParser
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

    @OptionGroup(title: "Input") var input: ListOptions
    @OptionGroup(title: "Input") var source: SourceOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Transfer") var transfer: TransferOptions
    @OptionGroup(title: "Transfer") var resume: ResumeOptions
    @OptionGroup(title: "Limits of this run") var limits: LimitOptions
    @OptionGroup(title: "Request") var request: RequestOptions
    @OptionGroup(title: "Request") var content: ContentOptions
    @OptionGroup(title: "Request") var body: BodyOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Messages") var progress: ProgressOptions
    @OptionGroup(title: "Hooks") var hooks: HookOptions
    @OptionGroup(title: "Config file") var configChoice: ConfigOptions
    @OptionGroup(visibility: .hidden) var habits: HabitOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try habits.check(urls)
        if background {
            try ChosenDaemon.reserveStandardInput()
        } else {
            try ChosenDaemon.checkNotTyped(
                for: "pawl get",
                "to add downloads to the queue of a daemon, use 'pawl add'; for aria2's --daemon, use "
                    + "--background"
            )
        }
        let config = try configChoice.read()
        let configuration = try limits.configuration(config)
        let verbosity = try progress.verbosity()
        let mode = try progress.mode(config)
        let options =
            input.assignments + source.assignments + output.assignments + transfer.assignments
            + resume.assignments + request.assignments + content.assignments + body.assignments
            + connection.assignments + hooks.assignments
        let choice = try input.choice(urls)
        let downloads = RequestedRun(
            urls: choice.urls,
            options: options,
            config: config,
            configChoice: configChoice.assignments,
            configuration: configuration,
            verbosity: verbosity,
            mode: mode,
            isForDaemon: background,
            limits: limits.given
        )
        return try RemoteList.read(choice, options, config, console) {
            (list) throws(DownloadError) in
            try downloads.work(list, console)
        }
    }
}

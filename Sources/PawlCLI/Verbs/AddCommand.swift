internal import ArgumentParser
internal import FoundationEssentials
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl add`: adds downloads to the daemon's queue.
struct AddCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add downloads to the daemon's queue; start the daemon if necessary.",
        usage: "pawl add [<options>] <url> ..."
    )

    @Argument(help: ArgumentHelp("The URLs to download.", valueName: "url"))
    var urls: [String] = []

    @OptionGroup var added: AddedDownloadOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Do not start before this time: 22:00, '2026-11-22 22:00', or +90m for 90 minutes "
                + "from now.",
            valueName: "time"
        )
    )
    var notBefore: String?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Input") var input: ListOptions
    @OptionGroup(title: "Input") var source: SourceOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Transfer") var transfer: TransferOptions
    @OptionGroup(title: "Transfer") var resume: ResumeOptions
    @OptionGroup(title: "Request") var request: RequestOptions
    @OptionGroup(title: "Request") var content: ContentOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Hooks") var hooks: HookOptions
    @OptionGroup(title: "Config file") var configChoice: ConfigOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let assignments =
            input.assignments + source.assignments + output.assignments + transfer.assignments
            + resume.assignments + request.assignments + content.assignments
            + connection.assignments + hooks.assignments
        try checkBody()
        let config = try configChoice.read()
        var submission = DaemonSubmission()
        if let priority = try added.givenPriority() { submission.priority = priority }
        submission.notBefore = try notBefore.flatMap { (text) throws(DownloadError) in
            try Self.startTime(text)
        }
        submission.session = added.session
        submission.label = try added.givenLabel()
        submission.isPaused = added.paused
        let links = try PawlLink.read(urls)
        submission.isConfined = links.hasLink
        // The desktop's current folder is not for downloads.
        submission.usesAllowedFolder =
            links.hasLink && output.directory == nil
            && config.option(DownloadOptions.directory, unless: nil) == nil
        var choice = try input.choice(links.urls)
        if let list = try LongList.open(&choice) {
            return try ImportSubmission(submission, assignments, config, list)
                .work(json: json, console)
        }
        return try RemoteList.read(choice, assignments, config, console) {
            [submission, assignments, urls = choice.urls, json] (list) throws(DownloadError) in
            try BucketFolders.read(urls, list, assignments, config, console) {
                (urls, list) throws(DownloadError) in
                let batch = try DownloadBatch.asked(
                    urls: urls,
                    list: list,
                    options: assignments,
                    config: config,
                    console,
                    isForRemoteDaemon: try ChosenDaemon.isRemote()
                )
                return try SSHPrompt.settle(batch.downloads, console) {
                    (downloads) throws(DownloadError) in
                    try submission.work(downloads, json: json, console)
                }
            }
        }
    }

    /// Throws `.usage` if a body follows `--json`, as in `pawl get`.
    private func checkBody() throws(DownloadError) {
        let isBody = urls.contains { text in
            text.hasPrefix("{") && text.hasSuffix("}") || text.hasPrefix("[") && text.hasSuffix("]")
        }
        guard json, isBody else { return }
        throw .usage(
            "--json takes no value: with 'pawl add', it prints JSON",
            advice: "give the body with --data and --header 'Content-Type: application/json'"
        )
    }

    /// The time that `--not-before` names; `nil` for `now`.
    static func startTime(_ text: String) throws(DownloadError) -> Date? {
        try usage("--not-before") { () throws(ValueError) in
            try StartTimeText.parse(
                text,
                StartTimeText.Context(
                    now: Int64(Date().timeIntervalSince1970),
                    utcOffset: LocalClock.utcOffset
                )
            )
        }.map { Date(timeIntervalSince1970: Double($0)) }
    }
}

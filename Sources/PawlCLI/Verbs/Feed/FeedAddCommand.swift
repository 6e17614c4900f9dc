internal import ArgumentParser
internal import struct FoundationEssentials.UUID
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl feed add`: adds a feed.
struct FeedAddCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a feed, check it, and start the daemon if necessary.",
        discussion: """
            The first check adds the newest item. Each later check adds all new items that match. \
            The download options apply to all files of the feed, and to the requests for the feed \
            itself. Passwords, cookies and secret headers are sent only to the server of the feed.
            """
    )

    @Argument(help: ArgumentHelp("The URL of the feed.", valueName: "url"))
    var url: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The name of the feed. Default: its title.",
            valueName: "name"
        )
    )
    var name: String?

    @OptionGroup var rules: FeedRuleOptions

    @OptionGroup var added: AddedDownloadOptions

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Output") var output: FeedOutputOptions
    @OptionGroup(title: "Transfer") var transfer: TransferOptions
    @OptionGroup(title: "Request") var request: RequestOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Hooks") var hooks: HookOptions
    @OptionGroup(title: "Config file") var configChoice: ConfigOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let isRemote = try ChosenDaemon.isRemote()
        let batch = try DownloadBatch.asked(
            urls: [url],
            list: nil,
            options: output.assignments + transfer.assignments + request.assignments
                + connection.assignments + hooks.assignments,
            config: try configChoice.read(),
            console,
            isForRemoteDaemon: isRemote
        )
        guard let requested = batch.downloads.first, batch.downloads.count == 1 else {
            throw .usage("the URL of a feed is not a pattern", advice: "add one feed at a time")
        }
        var download = try NewDownload(requested, isForRemoteDaemon: isRemote)
        download.priority = try added.givenPriority() ?? download.priority
        (download.session, download.isPaused) = (added.session, added.paused ? true : nil)
        download.label = try added.givenLabel()
        let feed = NewFeed(download, name: name, rules: try rules.rules())
        // A daemon over TCP completes the path of the folder, and checks the feed then.
        if !isRemote { try feed.check() }
        let (json, hasFolder) = (json, requested.pathInLabel == nil)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            // With this key, a repeated request adds no second feed.
            let key = UUID().uuidString
            var feed = feed
            if !hasFolder, let folder = try await client.folder(ofLabel: feed.download.label) {
                feed.download.destination = folder
            }
            let new = try await client.process.starting {
                [feed] (client) async throws(DownloadError) in
                try await client.add(feed, key: key)
            }
            var check = try await client.checkFeed(new.id)
            // The daemon may have checked it just before.
            guard let problem = check.feed.problem, check.feed.failures != nil else {
                console.show(check, json: json) {
                    "\(check.feed.id)\tadded\t\(check.feed.name.sanitized)\n"
                }
                return 0
            }
            check.downloads = []
            console.show(check, json: json) {
                "\(check.feed.id)\tadded, but cannot be read\t\(check.feed.name.sanitized)\n"
            }
            console.report(problem.error)
            return problem.code.exitStatus
        }
    }
}

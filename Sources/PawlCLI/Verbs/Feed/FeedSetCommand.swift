internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl feed set`: changes feeds.
struct FeedSetCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change when feeds are checked, and which items are added.",
        discussion: """
            New rules apply only to items that appear from now on. --match '' and --exclude '' \
            remove the texts set earlier. For other folders or settings, remove the feed and add \
            it again.
            """
    )

    @Argument(help: ArgumentHelp("Names, name patterns or IDs.", valueName: "feed"))
    var names: [String] = []

    @OptionGroup var rules: FeedRuleOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The new name of the feed.", valueName: "name")
    )
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The new URL of the feed; the daemon still recognizes the items it has seen. If the new "
                + "URL is on another server, passwords, cookies and secret headers are removed.",
            valueName: "url"
        )
    )
    var url: String?

    @Flag(help: "Print JSON.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try FeedCommand.checkNamed(names)
        var changes = FeedChanges()
        (changes.rules, changes.name) = (try rules.rules(), name)
        if let url {
            _ = try SourceURL.read(url, at: "--url")
            changes.url = url
        }
        if let name { try NewFeed.check(name: name) }
        guard !changes.isEmpty else {
            throw .usage(
                "no change is given",
                advice: "use --every, --match, --exclude, --newest, --links, --name or --url"
            )
        }
        let (names, json) = (names, json)
        return try daemonWork(console) { [changes] (client) async throws(DownloadError) in
            let feeds = try await FeedCommand.feeds(names, client)
            guard feeds.count == 1 || changes.name == nil && changes.url == nil else {
                throw .usage(
                    "--name and --url cannot be used with several feeds",
                    advice: "name one feed"
                )
            }
            var changed: [WireFeed] = []
            for feed in feeds { changed.append(try await client.changeFeed(feed.id, changes)) }
            console.show(changed, json: json) {
                changed.map { "\($0.id)\tchanged\t\($0.name.sanitized)\n" }.joined()
            }
            return 0
        }
    }
}

internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl feed set`: changes feeds.
struct FeedSetCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change when feeds are checked, which items are added, and where they are saved.",
        discussion: """
            Changes apply only to items that appear from now on. --match '' and --exclude '' \
            remove the texts set earlier. For other settings, remove the feed and add it again.
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

    @Option(
        name: [.customShort("d", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp("Save new files to this folder.", valueName: "dir")
    )
    var directory: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The label of new downloads: a name, or none to remove it. The folder stays.",
            valueName: "name"
        )
    )
    var label: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The session of new downloads; '' removes it.",
            valueName: "name"
        )
    )
    var session: String?

    @Flag(help: "Print JSON.")
    var json = false

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try FeedCommand.checkNamed(names)
        let changes = try changes()
        guard !changes.isEmpty else {
            throw .usage(
                "no change is given",
                advice:
                    "use --every, --match, --exclude, --newest, --links, --file-names, --name, "
                    + "--url, --directory, --label or --session"
            )
        }
        let (names, json) = (names, json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
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

    private func changes() throws(DownloadError) -> FeedChanges {
        var changes = FeedChanges()
        (changes.rules, changes.name, changes.session) = (try rules.rules(), name, session)
        if let url {
            _ = try SourceURL.read(url, at: "--url")
            changes.url = url
        }
        if let name { try NewFeed.check(name: name) }
        changes.label = label == LabelName.none ? "" : label
        if let directory {
            let folder =
                try ChosenDaemon.isRemote()
                ? RemotePath.check(directory, "--directory")
                : CurrentFolder.absolute(directory, option: "--directory")
            changes.destination = folder.asFolderPath
        }
        return changes
    }
}

internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl feed remove`: removes feeds.
struct FeedRemoveCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove feeds, and keep the downloads that they added.",
        discussion: """
            'pawl undo' restores the feed within one minute. After that, the daemon forgets the \
            items: if you add the feed again, it starts with the newest item.
            """
    )

    @OptionGroup var targets: FeedTargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        try FeedCommand.checkNamed(targets.names)
        let (names, json) = (targets.names, targets.json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let feeds = try await FeedCommand.feeds(names, client)
            for feed in feeds { try await client.removeFeed(feed.id) }
            console.show(feeds, json: json) {
                feeds.map { "\($0.id)\tremoved\t\($0.name.sanitized)\n" }.joined()
            }
            return 0
        }
    }
}

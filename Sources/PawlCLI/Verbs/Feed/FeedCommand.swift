internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl feed`: feeds whose new items the daemon downloads.
struct FeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract: "Download the new items of feeds: RSS, Atom and podcasts.",
        discussion: """
            The daemon checks each feed at its interval, and adds each new item once. It \
            recognizes an item by its identifier, or by the URL of its file.
            """,
        subcommands: [
            FeedAddCommand.self, FeedListCommand.self, FeedCheckCommand.self, FeedSetCommand.self,
            FeedRemoveCommand.self,
        ]
    )

    /// Returns the feeds with these names, patterns of names or ids, each once; all feeds if none is
    /// named.
    static func feeds(
        _ names: [String],
        _ client: DaemonClient
    ) async throws(DownloadError) -> [WireFeed] {
        let all = try await client.feeds()
        guard !names.isEmpty else { return all }
        return try NamedChoice.items(names, of: all, "feed") { feed, name in
            Int64(name) == feed.id || NamePattern.matches(name, feed.name)
        }
    }

    /// Throws `.usage` if no feed is named.
    static func checkNamed(_ names: [String]) throws(DownloadError) {
        guard names.isEmpty else { return }
        throw .usage(
            "no feed is given",
            advice: "use names, patterns of names or IDs from 'pawl feed list'"
        )
    }
}

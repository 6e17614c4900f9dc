package import struct FoundationEssentials.Date
internal import PawlCore

/// A feed as the daemon shows it, without secrets.
package struct WireFeed: Codable, Sendable, Hashable {
    package var id: Int64
    package var name: String
    /// The URL without user, and with hidden secrets.
    package var url: String
    /// The folder of the downloads.
    package var destination: String
    /// The label of the downloads; `nil` if they have none.
    package var label: String?
    /// The session of the downloads; `nil` if they belong to none.
    package var session: String?
    package var owner: DownloadOwner
    package var rules: FeedRules
    /// The title that the feed gives itself.
    package var title: String?
    package var createdAt: Date
    /// The time of the last check; `nil` if there was none.
    package var checkedAt: Date?
    /// The time of the next check; `nil` if the feed is checked only on request.
    package var nextCheck: Date?
    /// The number of downloads that the feed has added.
    package var added: Int
    /// The number of consecutive checks that failed.
    package var failures: Int?
    /// Why the last check failed, or what it has left out; `nil` if there is nothing to report.
    package var problem: Problem?

    package init(
        id: Int64,
        name: String,
        url: String,
        destination: String,
        owner: DownloadOwner,
        createdAt: Date
    ) {
        (self.id, self.name, self.url, self.owner) = (id, name, url, owner)
        (self.destination, self.createdAt) = (destination, createdAt)
        (rules, added) = (FeedRules(), 0)
    }
}

/// All feeds, sorted by name.
package struct WireFeeds: Codable, Sendable, Hashable {
    package var feeds: [WireFeed]

    package init(_ feeds: [WireFeed]) { self.feeds = feeds }
}

/// The outcome of a check.
package struct WireFeedCheck: Codable, Sendable, Hashable {
    /// The feed after the check.
    package var feed: WireFeed
    /// The ids of the downloads that were added.
    package var downloads: [Int64]

    package init(_ feed: WireFeed, downloads: [Int64]) {
        (self.feed, self.downloads) = (feed, downloads)
    }
}

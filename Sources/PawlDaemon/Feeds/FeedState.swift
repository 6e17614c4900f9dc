package import struct FoundationEssentials.Date
package import PawlWire

/// What the daemon has learned of a feed, as it is stored.
package struct FeedState: Codable, Sendable, Hashable {
    /// The title of the feed; `nil` until it was read.
    package var title: String?
    /// The `ETag` of the document that was read last.
    package var entityTag: String?
    /// The `Last-Modified` of the document that was read last.
    package var lastModified: String?
    /// The shortest time between two checks that the feed asks for, in seconds.
    package var updateSeconds: Int64?
    /// Whether the feed's items may not be on private addresses; `nil` until the feed was read.
    ///
    /// Once a public server has sent the feed, this remains `true`.
    package var avoidsPrivateAddresses: Bool?
    package var checkedAt: Date?
    /// Whether the feed was read at least once.
    package var isKnown = false
    /// The number of downloads that were added.
    package var added = 0
    /// The number of consecutive checks that failed.
    package var failures = 0
    package var problem: Problem?

    package init() {}
}

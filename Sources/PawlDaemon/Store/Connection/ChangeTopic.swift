/// A part of the queue that each daemon keeps in memory, so that the others have to read it again
/// after one has changed it.
package enum ChangeTopic: String, CaseIterable, Sendable {
    /// Downloads that another node has taken or whose files are on its disk.
    case downloads
    case feeds, gids, labels, sessions, settings, tokens
}

/// What the daemons of a queue have done to it until now.
package struct ChangeCounts: Hashable, Sendable {
    /// The newest event ever.
    package var lastEvent: Int64
    /// The number of changes by other daemons, per topic.
    package var byOthers: [ChangeTopic: Int64]
}

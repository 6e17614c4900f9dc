internal import PawlCore
internal import PawlWire

/// The parts of the queue that this daemon keeps in memory and that other daemons may change.
///
/// It is used on the thread of the queue only.
struct SharedMemory {
    let parts: QueueParts
    let tokens: SharedTokens?

    /// What the database contains; `nil` for what need not be read.
    private struct Contents {
        var settings: DaemonSettings?
        var sessions: [ExactText: SessionTable.Limits]?
        var labels: [ExactText: LabelSettings]?
        var gids: [Int64: String]?

        init(_ topics: Set<ChangeTopic>, _ transaction: StoreTransaction) throws {
            if topics.contains(.settings) { settings = try transaction.settings.settings() }
            if topics.contains(.sessions) { sessions = try transaction.sessions.limits() }
            if topics.contains(.labels) { labels = try transaction.labels.settings() }
            if topics.contains(.gids) { gids = try transaction.gids.all() }
        }
    }

    /// Reads these topics again, and applies what is new.
    func reread(_ topics: Set<ChangeTopic>) throws(DownloadError) {
        let new = try parts.environment.store.readBlocking { try Contents(topics, $0) }
        if topics.contains(.tokens) { try tokens?.reread() }
        if let settings = new.settings { parts.settings.adopt(settings) }
        if let limits = new.sessions { parts.sessions.apply(limits) }
        if let labels = new.labels { parts.labels.apply(labels) }
        if let gids = new.gids { parts.gids.load(gids) }
        if topics.contains(.feeds) { parts.environment.feeds.send() }
    }
}

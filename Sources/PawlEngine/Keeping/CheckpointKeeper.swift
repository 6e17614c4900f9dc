internal import PawlCore

/// When to write a checkpoint and when to sync.
struct CheckpointKeeper: Sendable {
    /// A crash may cost a second of work at most.
    static let interval: Duration = .milliseconds(750)
    /// A power cut costs what came since the last sync.
    static let syncInterval: Duration = .seconds(1)

    private var savedAt: Moment?
    private var syncedAt: Moment?
    private(set) var isSyncing = false
    /// Whether a claim came after the last sync began.
    private(set) var hasUnsynced = false

    /// Nil before the store is there.
    var nextDue: Moment? { savedAt.map { $0 + Self.interval } }

    mutating func opened(at now: Moment) {
        savedAt = now
        syncedAt = now
    }

    mutating func looked(at now: Moment) { savedAt = now }

    mutating func claimed() { hasUnsynced = true }

    /// True where a sync is to be begun now.
    mutating func beginSync(at now: Moment) -> Bool {
        guard !isSyncing, let syncedAt, now - syncedAt >= Self.syncInterval else { return false }
        isSyncing = true
        hasUnsynced = false
        return true
    }

    mutating func endedSync(at now: Moment, succeeded: Bool) {
        isSyncing = false
        if !succeeded { hasUnsynced = true }
        syncedAt = now
    }
}

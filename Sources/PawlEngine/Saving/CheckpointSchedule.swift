internal import PawlCore

/// Decides when to write a checkpoint and when to sync.
struct CheckpointSchedule: Sendable {
    /// The interval between checkpoints: a crash may cost at most one second of work.
    static let interval: Duration = .milliseconds(750)
    /// The interval between syncs: a power cut costs the bytes received since the last one.
    static let syncInterval: Duration = .seconds(1)

    private var savedAt: Moment?
    private var syncedAt: Moment?
    private(set) var isSyncing = false
    /// Whether bytes were claimed after the last sync began.
    private(set) var hasUnsynced = false
    /// Whether bytes were not claimed because the file was not resumable, which may change.
    private(set) var hasPassedOver = false

    /// The time of the next checkpoint; `nil` while there is no store.
    var nextDue: Moment? { savedAt.map { $0 + Self.interval } }

    mutating func opened(at now: Moment) {
        savedAt = now
        syncedAt = now
    }

    mutating func checked(at now: Moment) { savedAt = now }

    mutating func claimed() { (hasUnsynced, hasPassedOver) = (true, false) }

    mutating func passedOver() { hasPassedOver = true }

    /// Returns whether a sync must begin now, and records its beginning.
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

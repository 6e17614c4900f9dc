internal import PawlCore

/// Checks whether the queue can be written.
final class StoreHealth {
    private let store: any QueueStore
    private var checkedAt: ContinuousClock.Instant?

    /// The minimum time between two test writes: frequent checks do not wear out the disk.
    private static let interval: Duration = .seconds(5)

    init(_ store: any QueueStore) { self.store = store }

    /// Throws if the queue cannot be written.
    ///
    /// Writes something if the last check was a while ago or the last write failed.
    func check() throws(DownloadError) {
        try store.checkRoom()
        let now = ContinuousClock.now
        let isFresh = checkedAt.map { now - $0 < Self.interval } ?? false
        guard !isFresh || store.lastWriteFailure != nil else { return }
        try store.checkWrites()
        checkedAt = now
    }
}

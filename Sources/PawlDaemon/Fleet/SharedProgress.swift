internal import PawlCore
internal import PawlWire
internal import Synchronization

/// Exchanges the progress of running downloads with other nodes, while somebody reads it.
final class SharedProgress: Sendable {
    private let store: PostgresStore
    private let queue: DaemonQueue
    /// When this node has recorded last that somebody reads here.
    private let notedAt = Mutex<ContinuousClock.Instant?>(nil)

    /// The time between two such records.
    private static let notingInterval = Duration.seconds(4)

    init(_ store: PostgresStore, _ queue: DaemonQueue) {
        (self.store, self.queue) = (store, queue)
        queue.running.shareProgress()
    }

    /// Sends the progress of this node if another one reads it, and receives that of others if
    /// somebody reads it here.
    func exchange() async throws(DownloadError) {
        guard store.node != nil else { return }
        let (running, notifier) = (queue.running, queue.notifier)
        let audiences = notifier.audiences
        let reads = !audiences.isEmpty || running.needsProgressOfOthers
        let (isRead, others) = try await store.read { transaction in
            (
                try transaction.progress.isRead(),
                try reads ? transaction.progress.ofOthers() : []
            )
        }
        running.setProgressOfOthers(others)
        if !others.isEmpty, !audiences.isEmpty {
            notifier.published(running.progress(for: audiences))
        }
        let notes = reads && isNoteDue
        guard notes || isRead else { return }
        let rows = isRead ? running.progressForOthers : []
        let store = store
        try await queue.waiting { () throws(DownloadError) in
            try store.write(for: .repeatableEnd) { transaction in
                if notes { try transaction.progress.noteReader() }
                if isRead { try transaction.progress.set(rows) }
            }.value
        }
        if notes { notedAt.withLock { $0 = .now } }
    }

    private var isNoteDue: Bool {
        notedAt.withLock { $0.map { ContinuousClock.now - $0 >= Self.notingInterval } ?? true }
    }
}

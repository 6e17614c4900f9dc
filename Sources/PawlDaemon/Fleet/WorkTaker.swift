internal import Logging
internal import PawlCore
internal import PawlWire

/// Takes downloads from a queue that several nodes share, as many as can start now.
///
/// What it takes goes to the scheduler of the node. Without a fleet, the scheduler has all downloads
/// from the start.
final class WorkTaker {
    private let parts: QueueParts
    /// The number of losses of the lease that were noticed.
    private var losses = 0
    /// Whether the last attempt has found nothing.
    private var wasEmpty = false
    /// Whether the last attempt has failed.
    private var isBehind = false

    init(_ parts: QueueParts) { self.parts = parts }

    /// The time between two attempts to take something; `nil` if there is nothing to take.
    var interval: Duration? { parts.taken.isShared ? .seconds(1) : nil }

    /// Takes as many downloads as the node can start, if its lease is valid.
    func take() {
        guard let fleet = parts.environment.store.fleet else { return }
        noteLosses(fleet.losses)
        guard !parts.control.isShuttingDown, fleet.clock.isValid else { return }
        // A command or another node may have put them into another state.
        for id in parts.taken.downloads where !parts.waiting.contains(id) {
            parts.taken.remove(id)
        }
        let count = parts.waiting.freeSlots
        guard count > 0 else { return }
        let known = parts.taken.downloads
        let store = parts.environment.store
        do throws(DownloadError) {
            let isIdle = known.isEmpty
            // Unlike a transaction that writes, a check each second costs nothing on the disk.
            if wasEmpty,
                try !store.readBlocking({ transaction in
                    try transaction.ownership.mayTake(known: known, suspects: isIdle)
                })
            {
                return isBehind = false
            }
            let (taken, renamed) = try store.write(for: .repeatableEnd) { transaction in
                let ownership = transaction.ownership
                var taken = try ownership.take(count, known: known, suspects: false)
                // Others may run the suspects meanwhile.
                if taken.isEmpty, isIdle { taken = try ownership.take(1, known: known) }
                let ids = taken.map(\.row.id)
                let renamed = try ids.filter { try transaction.renamings.newName(of: $0) != nil }
                return (taken, renamed)
            }.value
            for id in renamed { parts.renames.add(id) }
            for item in taken { add(item) }
            (isBehind, wasEmpty) = (false, taken.isEmpty)
        } catch {
            if !isBehind {
                parts.environment.logger.warning("no downloads were taken: \(error)")
            }
            isBehind = true
        }
    }

    private func add(_ taken: OwnershipTable.Taken) {
        parts.taken.add(taken.ownership)
        parts.retries.forget(taken.row.id)
        var entry = QueueScheduler.Entry(taken.row)
        // By the clock of the database, it may start now.
        entry.notBefore = nil
        (entry.wasRunning, entry.isSuspect) = (taken.wasRunning, taken.isSuspect)
        parts.waiting.wait(entry)
    }

    /// Ends all runs if others have declared this node lost: they have its downloads.
    private func noteLosses(_ count: Int) {
        guard count != losses else { return }
        losses = count
        for id in parts.taken.downloads { parts.waiting.leave(id) }
        let running = Array(parts.environment.running.all.keys)
        parts.taken.forfeitAll(running: running)
        for id in running { parts.control.stop(id, keeping: true) }
    }
}

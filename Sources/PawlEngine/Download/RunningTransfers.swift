internal import PawlCore

/// The running transfers of one download.
struct RunningTransfers {
    private struct Running {
        let transfer: any Transfer
        let cursor: TransferCursor
        /// The name of its host for the budget.
        let host: String
        /// Whether the transfer was asked to pass on its bytes in memory.
        ///
        /// Until they have a file, only the planner resumes it.
        var awaitsFile = false
    }

    private var running: [TransferID: Running] = [:]

    var isEmpty: Bool { running.isEmpty }

    var isSingle: Bool { running.count == 1 }

    func cursor(of id: TransferID) -> TransferCursor? { running[id]?.cursor }

    mutating func add(
        _ planned: PlannedTransfer,
        _ transfer: any Transfer,
        _ cursor: TransferCursor
    ) {
        let host = HostBudget.name(of: planned.url)
        running[planned.id] = Running(transfer: transfer, cursor: cursor, host: host)
    }

    /// Removes a transfer that has ended; returns its cursor and its host.
    mutating func remove(_ id: TransferID) -> (cursor: TransferCursor, host: String)? {
        running.removeValue(forKey: id).map { ($0.cursor, $0.host) }
    }

    func cancel(_ id: TransferID) { running[id]?.transfer.cancel() }

    func cancelAll() {
        for item in running.values { item.transfer.cancel() }
    }

    /// Records that the bytes that a transfer has collected in memory get a file.
    mutating func getsFile(_ id: TransferID) { running[id]?.awaitsFile = false }

    func resume(_ id: TransferID) { running[id]?.transfer.resume() }

    /// Asks transfers whose bytes have been in memory for too long to pass them on.
    mutating func requestOverdueBytes(at now: Moment) {
        for (id, item) in running
        where item.cursor.isOverdue(at: now) && !item.cursor.isHeld && !item.awaitsFile {
            running[id]?.awaitsFile = true
            item.transfer.nudge()
        }
    }

    /// Resumes the transfers that waited for a checkpoint, for room or for the end of a suspension.
    ///
    /// `hasRoom`: whether there is room for bytes at an offset.
    func releaseHeld(hasRoom: (Int64) -> Bool) {
        for item in running.values
        where hasRoom(item.cursor.position) && item.cursor.releaseHold() && !item.awaitsFile {
            item.transfer.resume()
        }
    }

    /// Ends the pauses, whose lengths depend on a limit that has changed.
    func endPauses(at now: Moment) {
        for item in running.values where item.cursor.isPaused(at: now) && !item.cursor.isHeld {
            item.cursor.pause(until: now)
            if !item.awaitsFile { item.transfer.resume() }
        }
    }

    /// How far the transfers are.
    func samples(at now: Moment) -> [TransferSample] {
        running.map { id, item in
            TransferSample(
                id: id,
                offset: item.cursor.countedEnd,
                skippedBytes: item.cursor.skippedBytes,
                isPaused: item.cursor.isPaused(at: now)
            )
        }
    }
}

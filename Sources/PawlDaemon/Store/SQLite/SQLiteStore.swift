internal import Dispatch
internal import GRDB
package import PawlCore
internal import Synchronization

/// The queue and its events on the disk (SQLite).
///
/// When a write returns, its changes survive a power cut. Writes block, so they belong on a
/// separate thread. Reads can run at the same time as writes.
package final class SQLiteStore: QueueStore {
    private let pool: DatabasePool
    private let path: String
    private let location: StoreLocation
    /// The number of the newest damaged database that was set aside; 0 if there is none.
    package let damaged: Int
    /// Whether a read or a write has found damage.
    private let isSuspect = Atomic<Bool>(false)
    private let reserve: StoreReserve
    private let mark: CommitMarkFile
    private let checkpointDelay: Duration
    private let isCheckpointPlanned = Atomic<Bool>(false)
    /// Whether the database is being closed; only the thread that writes changes it.
    private let isClosing = Atomic<Bool>(false)
    /// The error of the last write; `nil` if it succeeded.
    private let writeFailure = Mutex<DownloadError?>(nil)
    /// What was wrong with an older store, for the log; `nil` if nothing was.
    package let note: String?

    /// Opens or creates the store; sets a damaged one aside.
    ///
    /// `checkpointDelay`: the time from a commit until the log is written to the database.
    package init(path: String, checkpointDelay: Duration = .seconds(1)) throws(DownloadError) {
        let opened = try StoreOpening.open(path)
        (pool, note, damaged) = (opened.pool, opened.note, opened.damaged)
        (self.path, self.checkpointDelay) = (path, checkpointDelay)
        location = StoreLocation(path: path)
        reserve = StoreReserve(path: StoreFiles.reserve(of: path))
        mark = CommitMarkFile(beside: path)
        planCheckpoint()
    }

    package func write<Value>(
        for purpose: WritePurpose,
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Committed<Value> {
        switch purpose {
        case .change, .repeatable: return try commit(body)
        case .needsRoom, .check:
            try checkRoom()
            return try commit(body)
        case .endsSomething, .repeatableEnd: return try commitInAnyCase(body)
        }
    }

    private func commit<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Committed<Value> {
        do {
            let (committed, mark) = try pool.write { database -> (Committed<Value>, CommitMark?) in
                let changes = database.totalChangesCount
                let transaction = StoreTransaction(database, isWriting: true)
                let value = try body(transaction)
                try transaction.events.flush()
                guard database.totalChangesCount != changes else {
                    return (Committed(value, lastEvent: try transaction.events.last()), nil)
                }
                // What is acknowledged must be in the file that the next daemon opens.
                try location.check()
                let mark = try transaction.countCommit()
                return (Committed(value, lastEvent: mark.lastEvent), mark)
            }
            if let mark {
                self.mark.committed(mark)
                planCheckpoint()
            }
            writeFailure.withLock { $0 = nil }
            return committed
        } catch {
            let explained = noted(error, "writing the queue")
            // Errors that the body throws itself are not failures of the store.
            if Self.isOfTheStore(error) { writeFailure.withLock { $0 = explained } }
            throw explained
        }
    }

    /// On a full disk, uses as much of the reserve as the transaction needs.
    private func commitInAnyCase<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Committed<Value> {
        var isTidied = false
        while true {
            do throws(DownloadError) {
                return try commit(body)
            } catch {
                guard error.code == .diskFull else { throw error }
                // Once all of the log is in the database, SQLite writes the log from its beginning
                // again.
                if !isTidied, tidyLog() {
                    isTidied = true
                } else if !reserve.release() {
                    throw error
                }
            }
        }
    }

    /// Throws `.diskFull` if only the reserve is left, and `.diskFailure` if the database was
    /// removed.
    package func checkRoom() throws(DownloadError) {
        try location.check()
        guard !reserve.isWhole else { return }
        throw Self.explained(DatabaseError(resultCode: .SQLITE_FULL), "writing the queue")
    }

    /// Writes the log to the database soon: then damage of the log loses nothing.
    private func planCheckpoint() {
        guard !isCheckpointPlanned.exchange(true, ordering: .relaxed) else { return }
        let deadline = DispatchTime.now() + checkpointDelay.seconds
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: deadline) { [weak self] in
            guard let self else { return }
            isCheckpointPlanned.store(false, ordering: .relaxed)
            // On a full disk, or after the end of the store, the log stays as it is.
            _ = tidyLog()
        }
    }

    /// Writes the log to the database; returns whether that succeeded.
    private func tidyLog() -> Bool {
        // The database may need space for that, which the reserve provides.
        let isDone: Void? = try? pool.writeWithoutTransaction { database in
            // GRDB passes a closed connection to SQLite, which crashes.
            guard !isClosing.load(ordering: .relaxed) else { return }
            let (log, saved) = try database.checkpoint(.passive)
            // A reader may still need a part of the log.
            if log == saved { mark.savedLog() } else { planCheckpoint() }
        }
        return isDone != nil
    }

    package func restoreReserve() { reserve.restore() }

    /// Why nothing can be written to the database: it was removed or replaced; `nil` otherwise.
    package var problem: DownloadError? { location.problem }

    package var lastWriteFailure: DownloadError? { writeFailure.withLock { $0 } }

    package func read<Value: Sendable>(
        _ body: @Sendable @escaping (StoreTransaction) throws -> Value
    ) async throws(DownloadError) -> Value {
        // A new reader would open what is at the path now.
        try location.check()
        do {
            return try await pool.read { try body(StoreTransaction($0)) }
        } catch {
            throw noted(error, "reading the queue")
        }
    }

    package func readBlocking<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Value {
        try location.check()
        do { return try pool.read { try body(StoreTransaction($0)) } } catch {
            throw noted(error, "reading the queue")
        }
    }

    /// Writes the log to the database, and closes the files.
    package func close() throws(DownloadError) {
        do {
            // The last connection to be closed may belong to a reader, and cannot write the log. If
            // a read is still running, the next start writes the log.
            try? pool.writeWithoutTransaction { database in
                isClosing.store(true, ordering: .relaxed)
                _ = try database.checkpoint(.truncate)
            }
            let last = try? pool.read { try StoreTransaction($0).committed() }
            try pool.close()
            // The marker of another daemon's database must stay.
            guard !hasMetDamage, location.problem == nil else { return }
            // Without it, ids could be used again, but only if the database is lost.
            if let last { try? StoreFiles.replace(StoreFiles.last(of: path), with: last.line) }
            StoreFiles.unmark(path)
        } catch {
            throw Self.explained(error, "closing the queue")
        }
    }

    /// Whether a read or a write has found damage: the next start then checks the whole database.
    package var hasMetDamage: Bool { isSuspect.load(ordering: .relaxed) }

    private func noted(_ error: any Error, _ context: String) -> DownloadError {
        if error is WrongColumnType || (error as? DatabaseError)?.isDamage == true {
            isSuspect.store(true, ordering: .relaxed)
        }
        return Self.explained(error, context)
    }

    static func explained(_ error: any Error, _ context: String) -> DownloadError {
        if let known = error as? DownloadError { return known }
        guard isOfTheStore(error) else {
            return DownloadError(.unknown, "\(error)", context: context)
        }
        let known = error as? DatabaseError
        let isFull = known?.resultCode == .SQLITE_FULL
        let reason = known.map { $0.message ?? "unknown reason" } ?? "\(error)"
        return DownloadError(
            isFull ? .diskFull : .diskFailure,
            isFull
                ? "no space for the queue"
                : "the queue's database failed: \(reason)",
            advice: isFull ? "free some space" : "check the disk that contains the queue",
            context: context
        )
    }

    private static func isOfTheStore(_ error: any Error) -> Bool {
        error is DatabaseError || error is WrongColumnType
    }
}

extension DatabaseError {
    /// Whether the error shows that the file is damaged.
    ///
    /// Pawl stores nothing that is too big for SQLite: then a length in the file is wrong.
    var isDamage: Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_TOOBIG].contains(resultCode)
    }
}

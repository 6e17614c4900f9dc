internal import Dispatch
package import struct FoundationEssentials.Date
internal import GRDB
package import PawlCore
package import PawlWire
internal import Synchronization

/// The queue and its events on the disk (SQLite).
///
/// When a write returns, its changes survive a power cut. Writes block, so they belong on a
/// separate thread. Reads can run at the same time as writes.
package final class DaemonStore: Sendable {
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

    /// Runs one transaction, which is committed as a whole or not at all.
    package func write<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Value {
        do {
            let (value, committed) = try pool.write { database -> (Value, CommitMark?) in
                let changes = database.totalChangesCount
                let transaction = StoreTransaction(database)
                let value = try body(transaction)
                guard database.totalChangesCount != changes else { return (value, nil) }
                // What is acknowledged must be in the file that the next daemon opens.
                try location.check()
                return (value, try transaction.countCommit())
            }
            if let committed {
                mark.committed(committed)
                planCheckpoint()
            }
            writeFailure.withLock { $0 = nil }
            return value
        } catch {
            let explained = noted(error, "writing the queue")
            // Errors that the body throws itself are not failures of the store.
            if error is DatabaseError { writeFailure.withLock { $0 = explained } }
            throw explained
        }
    }

    /// Runs one transaction that needs space on the disk.
    ///
    /// - Throws: `.diskFull` if only the reserve is left, among others.
    package func writeWithRoom<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Value {
        try checkRoom()
        return try write(body)
    }

    /// Throws `.diskFull` if only the reserve is left, which is for transactions that end
    /// something, and `.diskFailure` if the database was removed.
    package func checkRoom() throws(DownloadError) {
        try location.check()
        guard !reserve.isWhole else { return }
        throw Self.explained(DatabaseError(resultCode: .SQLITE_FULL), "writing the queue")
    }

    /// Runs one transaction that frees space or ends something: on a full disk, it uses as much of
    /// the reserve as it needs.
    package func writeInAnyCase<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Value {
        var isTidied = false
        while true {
            do throws(DownloadError) {
                return try write(body)
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

    /// Fills the reserve again.
    package func restoreReserve() { reserve.restore() }

    /// Throws if the queue cannot be written; writes something to find out.
    package func checkWrites(at now: Date) throws(DownloadError) {
        try checkRoom()
        try write { try $0.settings.noteHealth(at: now) }
    }

    /// Why nothing can be written to the database: it was removed or replaced; `nil` otherwise.
    package var locationProblem: DownloadError? { location.problem }

    /// The error of the last write; `nil` if it succeeded.
    package var lastWriteFailure: DownloadError? { writeFailure.withLock { $0 } }

    /// Reads the state after the last write; several reads may run at the same time.
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

    /// Returns who has written a partial file, for a download of `owner`; it blocks.
    ///
    /// A partial file that no download of the queue has recorded may be one of `pawl get`, or of a
    /// download that was removed from the queue. Only the user may continue it, so for a program it
    /// is somebody else's; the same applies if the queue cannot be read.
    ///
    /// A file's numbers are not enough: after a file is deleted, another one can get them, and a
    /// restore from a backup, or a new mount on some file systems, changes them. Therefore the marks
    /// of the checkpoints decide, unless one of them is of an earlier version.
    package func ownerOfPartialFile(
        _ found: FoundPartialFile,
        for download: Int64,
        of owner: DownloadOwner
    ) -> PartialFileOwner {
        let unknownOwner: PartialFileOwner = owner.isProgram ? .somebodyElse : .anybody
        let records = try? pool.read { database in
            let table = WrittenFileTable(database)
            return (
                writers: try table.writers(ofPartialFile: found.stamp),
                own: try table.files(of: download).filter { $0.kind == .partial }
            )
        }
        guard let records else { return unknownOwner }
        if let mark = found.mark, records.own.contains(where: { $0.mark == mark }) {
            return .thisDownload
        }
        let writers = records.writers.filter { writer in
            guard let mark = found.mark, let recorded = writer.mark else { return true }
            return mark == recorded
        }
        guard !writers.isEmpty else { return unknownOwner }
        if writers.contains(where: { $0.id == download }) { return .thisDownload }
        return writers.allSatisfy { $0.owner == owner } ? .anybody : .somebodyElse
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
        if let error = error as? DatabaseError, error.isDamage {
            isSuspect.store(true, ordering: .relaxed)
        }
        return Self.explained(error, context)
    }

    static func explained(_ error: any Error, _ context: String) -> DownloadError {
        if let known = error as? DownloadError { return known }
        guard let error = error as? DatabaseError else {
            return DownloadError(.unknown, "\(error)", context: context)
        }
        let isFull = error.resultCode == .SQLITE_FULL
        return DownloadError(
            isFull ? .diskFull : .diskFailure,
            isFull
                ? "no space for the queue"
                : "the queue's database failed: \(error.message ?? "unknown reason")",
            advice: isFull ? "free some space" : "check the disk that contains the queue",
            context: context
        )
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

package import struct FoundationEssentials.Date
internal import GRDB
package import PawlCore
package import PawlWire
internal import Synchronization

/// The queue and its events on the disk (SQLite).
///
/// What a write did survives a power cut as soon as it returns. Writes block, so they belong on a
/// thread made for that; reads go beside them.
package final class DaemonStore: Sendable {
    private let pool: DatabasePool
    private let path: String
    /// The number of the newest that was set aside; 0 where none was.
    package let damaged: Int
    /// The next start is to look at all of it.
    private let isSuspect = Atomic<Bool>(false)
    private let reserve: StoreReserve
    /// What the last write failed of; nil where it did not.
    private let writeFailure = Mutex<DownloadError?>(nil)
    /// What was found wrong with an older store, for the log; nil where nothing was.
    package let note: String?

    /// Opens the store, or makes it; a damaged one is set aside.
    package convenience init(path: String) throws(DownloadError) {
        let opened = try StoreOpening.open(path)
        self.init(opened, path)
    }

    private init(_ opened: StoreOpening.Opened, _ path: String) {
        (pool, note, damaged) = (opened.pool, opened.note, opened.damaged)
        self.path = path
        reserve = StoreReserve(path: StoreFiles.reserve(of: path))
    }

    /// One transaction: all of it, or nothing.
    package func write<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Value {
        do {
            let value = try pool.write { try body(StoreTransaction(database: $0)) }
            writeFailure.withLock { $0 = nil }
            return value
        } catch {
            let explained = noted(error, "writing the queue")
            // What the body throws by itself is no fault of the store.
            if error is DatabaseError { writeFailure.withLock { $0 = explained } }
            throw explained
        }
    }

    /// One transaction that takes room.
    ///
    /// - Throws: `.diskFull` where only what is kept back is left, among others.
    package func writeWithRoom<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Value {
        try checkRoom()
        return try write(body)
    }

    /// Throws `.diskFull` where only the room is left that is kept back for what ends things.
    package func checkRoom() throws(DownloadError) {
        guard !reserve.isWhole else { return }
        throw Self.explained(DatabaseError(resultCode: .SQLITE_FULL), "writing the queue")
    }

    /// One transaction that makes room or ends something: where the disk is full, it takes of what is kept
    /// back, as much as it needs.
    package func writeInAnyCase<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Value {
        var isTidied = false
        while true {
            do throws(DownloadError) {
                return try write(body)
            } catch {
                guard error.code == .diskFull else { throw error }
                // Once all of the log is in the database, it is written from its beginning again.
                if !isTidied, tidyLog() {
                    isTidied = true
                } else if !reserve.release() {
                    throw error
                }
            }
        }
    }

    /// Returns whether what is in the log went to the database.
    private func tidyLog() -> Bool {
        // The database may need room for that: then some is given.
        (try? pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }) != nil
    }

    /// Keeps room back again, where some was used.
    package func restoreReserve() { reserve.restore() }

    /// Throws what a write fails of: the last one, or one that is made now.
    package func checkWrites(at now: Date) throws(DownloadError) {
        try checkRoom()
        try write { try $0.noteHealth(at: now) }
    }

    /// What the last write failed of; nil where it did not.
    package var lastWriteFailure: DownloadError? { writeFailure.withLock { $0 } }

    /// As the last write left it; several reads go at a time.
    package func read<Value: Sendable>(
        _ body: @Sendable @escaping (StoreTransaction) throws -> Value
    ) async throws(DownloadError) -> Value {
        do {
            return try await pool.read { try body(StoreTransaction(database: $0)) }
        } catch {
            throw noted(error, "reading the queue")
        }
    }

    /// Whose this partial file is, for a download of `owner`; it blocks.
    ///
    /// Where the queue cannot be read, that is not known.
    package func ownerOfPartialFile(
        _ stamp: FileStamp,
        for download: Int64,
        of owner: DownloadOwner
    ) -> PartialFileOwner {
        let writers = try? pool.read {
            try StoreTransaction(database: $0).writers(ofPartialFile: stamp)
        }
        guard let writers else { return .anybody }
        if writers.contains(where: { $0.id == download }) { return .thisDownload }
        return writers.allSatisfy { $0.owner == owner } ? .anybody : .somebodyElse
    }

    /// What is still in the log goes to the database, and the files are closed.
    package func close() throws(DownloadError) {
        do {
            // The last connection to be closed may be a reader's, which cannot do it. Where somebody
            // still reads, the next start does.
            try? pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            try pool.close()
            if !hasMetDamage { StoreFiles.unmark(path) }
        } catch {
            throw Self.explained(error, "closing the queue")
        }
    }

    /// Whether a read or a write met damage: then the next one that opens it looks at all of it.
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
            isFull ? "no room for the queue" : "the queue's database: \(error.message ?? "failed")",
            advice: isFull ? "make room" : "look at the disk of the daemon's store",
            context: context
        )
    }
}

extension DatabaseError {
    var isDamage: Bool { resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB }
}

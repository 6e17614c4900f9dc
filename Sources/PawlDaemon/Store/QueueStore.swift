package import PawlCore

/// The queue and its events in a database.
///
/// When a write returns, its changes survive a power cut. Writes block, so they belong on a
/// separate thread. Reads can run at the same time as writes.
package protocol QueueStore: AnyObject, Sendable {
    /// Runs one transaction, which is committed as a whole or not at all.
    ///
    /// The closure may run more than once.
    ///
    /// - Throws: `.diskFull` if it needs room and only a reserve is left, among others.
    func write<Value>(
        for purpose: WritePurpose,
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Committed<Value>

    /// Reads the state after the last write; several reads may run at the same time.
    func read<Value: Sendable>(
        _ body: @Sendable @escaping (StoreTransaction) throws -> Value
    ) async throws(DownloadError) -> Value

    /// Reads the state after the last write; it blocks.
    func readBlocking<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Value

    /// Throws if a transaction that needs room would fail.
    func checkRoom() throws(DownloadError)

    /// Reserves space again for transactions that end something.
    func restoreReserve()

    /// Why nothing can be written; `nil` if nothing is known to be wrong.
    var problem: DownloadError? { get }

    /// Why the queue must be opened again: what the daemon knows of it may be wrong. Nothing is
    /// written any more.
    ///
    /// Default: `nil`.
    var reasonToReopen: DownloadError? { get }

    /// Looks for the database after a failure to reach it; until it is found, calls fail at once.
    ///
    /// Default: does nothing.
    func reconnect() async

    /// Whether a read or a write has found damage, which opening the queue again repairs.
    ///
    /// Default: `false`.
    var hasMetDamage: Bool { get }

    /// This daemon as a node of a fleet; `nil` if it has the queue for itself.
    ///
    /// Default: `nil`.
    var fleet: FleetNode? { get }

    /// The error of the last write; `nil` if it succeeded.
    var lastWriteFailure: DownloadError? { get }

    /// Ends the use of the database.
    func close() throws(DownloadError)
}

extension QueueStore {
    package var hasMetDamage: Bool { false }

    package var fleet: FleetNode? { nil }

    package var reasonToReopen: DownloadError? { nil }

    package func reconnect() async {}

    /// Runs one transaction, which is committed as a whole or not at all.
    package func write<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Value {
        try write(for: .change, body).value
    }

    /// Runs one transaction that needs space on the disk.
    ///
    /// - Throws: `.diskFull` if only a reserve is left, among others.
    package func writeWithRoom<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Value {
        try write(for: .needsRoom, body).value
    }

    /// Runs one transaction that frees space or ends something.
    package func writeInAnyCase<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Value {
        try write(for: .endsSomething, body).value
    }

    /// Throws if the queue cannot be written; writes something to find out.
    package func checkWrites() throws(DownloadError) {
        try write(for: .check) { try $0.settings.noteHealth(at: $0.now) }.value
    }
}

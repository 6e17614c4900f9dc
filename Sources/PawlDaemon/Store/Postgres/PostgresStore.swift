internal import Dispatch
package import PawlCore
package import PawlPostgres
internal import Synchronization

/// The queue and its events in PostgreSQL.
///
/// One connection writes, two read. A broken connection is replaced with the next call.
package final class PostgresStore: QueueStore {
    private let writers: PostgresPool
    private let readers: PostgresPool
    private let texts = StatementTexts()
    private let dialect: PostgresDialect
    private let outage: PostgresOutage
    private let address: PostgresAddress
    private let writerSettings: PostgresSettings
    private let readerSettings: PostgresSettings
    private let currentNode = Mutex<StoreNode?>(nil)
    private let member = Mutex<FleetNode?>(nil)
    /// The number of changes that this daemon has committed, per topic.
    private let ownChanges = Mutex<[ChangeTopic: Int64]>([:])
    /// The newest event after the last commit of this store.
    private let newestEvent = Atomic<Int64>(0)
    private let readQueue = DispatchQueue(label: "pawl-store-read", attributes: .concurrent)
    /// The random text that identifies the queue, as `StoreIdentity` describes.
    package let identity: String
    /// The schema that contains the tables.
    package let schema: String

    /// The time that a statement of a transaction that writes may take.
    static let writeTime = Duration.seconds(12)
    /// The same for a transaction that reads.
    static let readTime = Duration.seconds(62)
    /// The time that a call waits for a new connection; after that, the daemon looks for the
    /// database elsewhere.
    private static let connectTime = Duration.seconds(5)
    /// The time to find out whether a transaction was committed.
    private static let outcomeTime = Duration.seconds(10)

    /// Opens the queue, and creates its tables if there are none.
    ///
    /// - Parameters:
    ///   - address: A URL or keywords, as `psql` takes them.
    ///   - clock: The clock by which errors are remembered.
    /// - Throws: `.directoryNotUsable` for the tables of a newer version or of another program, among
    ///   others.
    package init(
        _ address: String,
        clock: any Timekeeper = SystemTimekeeper()
    ) throws(DownloadError) {
        do {
            let address = try PostgresAddress(address)
            var settings = PostgresSettings()
            settings.applicationName = "pawld"
            // A standby would show readers an earlier state, and they would miss events.
            settings.needsPrimary = true
            let (schema, dialect) = try Self.found(address, settings)
            settings.preparation = Self.preparation(schema, forReading: false)
            (self.address, writerSettings) = (address, settings)
            writers = PostgresPool(address, settings, size: 1)
            settings.preparation = Self.preparation(schema, forReading: true)
            readerSettings = settings
            readers = PostgresPool(address, settings, size: 2)
            (self.schema, self.dialect) = (schema, dialect)
            outage = PostgresOutage(clock)
            identity = try writers.withConnectionBlocking(within: Self.writeTime) { session in
                try PostgresMigration(schema: schema).run(on: session).identity
            }
        } catch {
            throw PostgresFailure.explained(error, "opening the queue in the database")
        }
    }

    /// Returns the schema of the queue, and what the server understands.
    private static func found(
        _ address: PostgresAddress,
        _ settings: PostgresSettings
    ) throws -> (schema: String, dialect: PostgresDialect) {
        let session = PostgresConnection(address, settings)
        defer { session.close() }
        let schema = try PostgresMigration.schema(on: session)
        let collation = try session.query(
            "SELECT EXISTS (SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu')",
            within: writeTime
        ).wait()
        let hasICU = try collation.first?.value(0, as: Bool.self) ?? false
        return (schema, PostgresDialect(hasICU: hasICU))
    }

    private static func preparation(_ schema: String, forReading: Bool) -> [String] {
        let times = forReading ? ("60s", "60s") : ("10s", "5s")
        return [
            "SET search_path TO \(PostgresValue.identifier(schema))",
            "SET statement_timeout = '\(times.0)'",
            "SET idle_in_transaction_session_timeout = '\(times.1)'", "SET lock_timeout = '5s'",
            // A connection stays, however long it has nothing to do.
            "SET idle_session_timeout = 0",
            // Daemons count downloads in different rows, so that none waits for another.
            "SET pawl.node = '\(Int.random(in: 1...64))'",
            // The locks of a machine that has stopped are released.
            "SET tcp_keepalives_idle = 5", "SET tcp_keepalives_interval = 2",
            "SET tcp_keepalives_count = 3", "SET tcp_user_timeout = '10s'",
            // What is acknowledged must survive a power cut.
            """
            SELECT set_config('synchronous_commit', 'on', false)
            WHERE current_setting('synchronous_commit') = 'off'
            """,
        ]
    }

    // MARK: - The fleet

    /// Makes this daemon a node of the fleet, until the store is closed; it blocks.
    ///
    /// `report` is called on the node's thread.
    ///
    /// - Throws: `.alreadyRunning` if another machine has a node of this name, among others.
    package func join(
        as identity: FleetNode.Identity,
        report: @escaping @Sendable (FleetNode.Event) -> Void = { _ in }
    ) throws(DownloadError) {
        do {
            let node = try FleetNode(identity, in: address, writerSettings, dialect) {
                [weak self] event in
                if case .joined(let node) = event { self?.setNode(node) }
                report(event)
            }
            member.withLock { $0 = node }
        } catch {
            throw PostgresFailure.explained(error, "joining the fleet")
        }
    }

    package var fleet: FleetNode? { member.withLock { $0 } }

    /// The node of this daemon, for which transactions take downloads; `nil` if it has joined none.
    package var node: StoreNode? { currentNode.withLock { $0 } }

    /// Sets the node of the transactions that begin from now on.
    package func setNode(_ node: StoreNode?) { currentNode.withLock { $0 = node } }

    // MARK: - Writing

    package func write<Value>(
        for purpose: WritePurpose,
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Committed<Value> {
        try outage.checkOutcomes()
        do {
            if purpose == .needsRoom || purpose == .check { try outage.checkRoom() }
            let committed = try repeating { try attempt(body, for: purpose) }
            outage.wrote()
            return committed
        } catch {
            throw outage.noted((error as? NotConnected)?.cause ?? error, .writing)
        }
    }

    /// A connection that could not be made, so that another attempt does not help.
    private struct NotConnected: Error {
        var cause: PostgresError
    }

    /// Waits until a connection is made.
    ///
    /// - Throws: `NotConnected` if that fails or takes too long.
    private static func waitForConnection(_ session: PostgresConnection) throws(NotConnected) {
        do throws(PostgresError) {
            guard try session.server.wait(for: connectTime) == nil else { return }
        } catch {
            throw NotConnected(cause: error)
        }
        throw NotConnected(
            cause: PostgresError(
                .unreachable,
                "no connection to the database: the server does not answer",
                advice: "check that the server runs and that its address is right"
            )
        )
    }

    /// Runs a transaction again if it has had no effect and can succeed then.
    private func repeating<Value>(_ transaction: () throws -> Value) throws -> Value {
        try outage.checkConnection()
        var retry = TransactionRetry()
        while true {
            do {
                return try transaction()
            } catch let error as PostgresError {
                let random = Double.random(in: 0...1)
                guard let delay = retry.delay(after: error, random: random) else { throw error }
                Self.wait(delay)
            }
        }
    }

    /// Blocks the thread, which may block, for a moment.
    private static func wait(_ time: Duration) {
        guard time > .zero else { return }
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + time.seconds)
    }

    /// Runs a transaction once.
    ///
    /// - Throws: `PostgresError` if it has had no effect; `.storeUnavailable` if its outcome or that
    ///   of an earlier one is not known; what `body` throws.
    private func attempt<Value>(
        _ body: (StoreTransaction) throws -> Value,
        for purpose: WritePurpose
    ) throws -> Committed<Value> {
        try writers.withConnectionBlocking(within: Self.writeTime) { session in
            // A write that had the connection before may have ended like that.
            try outage.checkOutcomes()
            try Self.waitForConnection(session)
            let transaction = try PostgresStoreConnection(
                on: session,
                texts,
                dialect,
                of: node,
                isWriting: true,
                time: Self.writeTime
            )
            let value: Value
            do {
                value = try body(StoreTransaction(transaction))
            } catch {
                transaction.rollBack()
                throw transaction.failure ?? error
            }
            // Counted before others can see it: a change of another daemon is never taken for it.
            count(transaction.changedTopics, 1)
            do {
                let last = try commit(transaction, on: session, for: purpose)
                newestEvent.store(last, ordering: .relaxed)
                return Committed(value, lastEvent: last)
            } catch {
                count(transaction.changedTopics, -1)
                throw error
            }
        }
    }

    private func count(_ topics: some Sequence<ChangeTopic>, _ number: Int64) {
        ownChanges.withLock { changes in
            for topic in topics { changes[topic, default: 0] += number }
        }
    }

    /// Commits, and returns the id of the newest event ever.
    private func commit(
        _ transaction: PostgresStoreConnection,
        on session: PostgresConnection,
        for purpose: WritePurpose
    ) throws -> Int64 {
        do {
            return try transaction.commit()
        } catch let error as PostgresError {
            guard let mark = transaction.mark, transaction.hasChanges, Self.isOpen(error, session)
            else {
                transaction.rollBack()
                throw error
            }
            // Other calls fail meanwhile.
            outage.failed(error)
            let last: Int64?
            do {
                last = try outcome(of: mark, after: error)
            } catch let error as PostgresFailure.UnknownCommit {
                // Before another write gets the connection.
                throw outage.noted(error, for: purpose)
            }
            outage.reached()
            guard let last else { throw error }
            return last
        }
    }

    /// Whether a transaction may have been committed in spite of an error: the connection is lost.
    private static func isOpen(_ error: PostgresError, _ session: PostgresConnection) -> Bool {
        guard error.state == nil || error.kind == .unreachable else { return false }
        return session.end != nil || error.kind == .unreachable || error.kind == .closed
    }

    /// Finds out whether a transaction was committed; returns the id of its last event, or `nil` if
    /// it has no effect.
    private func outcome(
        of mark: PostgresTransactionMark,
        after error: PostgresError
    ) throws -> Int64? {
        // The server has crashed, so its answer may be wrong.
        guard error.state != "57P02" else { throw PostgresFailure.UnknownCommit(cause: error) }
        let deadline = ContinuousClock.now + Self.outcomeTime
        while true {
            let time = max(.zero, deadline - ContinuousClock.now)
            // Those of the pools may be in use until the deadline.
            let other = PostgresConnection(address, readerSettings)
            defer { other.close() }
            do {
                switch try CommitOutcome.find(mark, on: other, within: time).wait() {
                case .committed: return try lastEvent(of: mark, on: other)
                case .aborted: return nil
                case .unknown: throw PostgresFailure.UnknownCommit(cause: error)
                }
            } catch let failure as PostgresError {
                let temporary: Set = [PostgresError.Kind.unreachable, .tooManyConnections]
                guard temporary.contains(failure.kind), ContinuousClock.now < deadline else {
                    throw PostgresFailure.UnknownCommit(cause: error)
                }
                Self.wait(.milliseconds(200))
            }
        }
    }

    private func lastEvent(
        of mark: PostgresTransactionMark,
        on session: PostgresConnection
    ) throws -> Int64 {
        // No index has the transactions, so only events are read that may be of this one.
        let result = try session.query(
            """
            SELECT coalesce((SELECT max(id) FROM event WHERE id > $2 AND xact = $1::xid8),
                (\(EventScript.lastEvent)))
            """,
            [
                .text("\(mark.transaction)"),
                .integer(newestEvent.load(ordering: .relaxed)),
            ],
            within: Self.outcomeTime
        ).wait()
        return try PostgresStoreConnection.lastEvent(in: result)
    }

    // MARK: - Reading

    package func read<Value: Sendable>(
        _ body: @Sendable @escaping (StoreTransaction) throws -> Value
    ) async throws(DownloadError) -> Value {
        do {
            try outage.checkConnection()
            var retry = TransactionRetry()
            while true {
                do {
                    let value = try await readers.withConnection(within: Self.readTime) { session in
                        try await blocking { store in try store.readOnce(on: session, body) }
                    }
                    outage.reached()
                    return value
                } catch let error as PostgresError {
                    // A read has no conflicts.
                    guard retry.delay(after: error, random: 0) != nil else { throw error }
                }
            }
        } catch {
            throw outage.noted((error as? NotConnected)?.cause ?? error, .reading)
        }
    }

    package func readBlocking<Value>(
        _ body: (StoreTransaction) throws -> Value
    ) throws(DownloadError) -> Value {
        do {
            let value = try repeating {
                try readers.withConnectionBlocking(within: Self.readTime) { session in
                    try readOnce(on: session, body)
                }
            }
            outage.reached()
            return value
        } catch {
            throw outage.noted((error as? NotConnected)?.cause ?? error, .reading)
        }
    }

    /// Runs work on a thread that may block.
    private func blocking<Value: Sendable>(
        _ work: @Sendable @escaping (PostgresStore) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            readQueue.async { continuation.resume(with: Result { try work(self) }) }
        }
    }

    private func readOnce<Value>(
        on session: PostgresConnection,
        _ body: (StoreTransaction) throws -> Value
    ) throws -> Value {
        try Self.waitForConnection(session)
        let transaction = try PostgresStoreConnection(
            on: session,
            texts,
            dialect,
            of: node,
            isWriting: false,
            time: Self.readTime
        )
        defer { transaction.rollBack() }
        do {
            return try body(StoreTransaction(transaction))
        } catch {
            throw transaction.failure ?? error
        }
    }

    /// Receives what other daemons send after their commits, on a connection of its own.
    ///
    /// `report` is called on the connection's thread, and must not wait.
    package func listen(
        _ report: @escaping @Sendable (PostgresListener.Event) -> Void
    ) -> PostgresListener {
        var settings = PostgresSettings()
        settings.applicationName = "pawld"
        return PostgresListener(address, channels: [schema], settings, report: report)
    }

    /// Returns what all daemons of the queue have done to it.
    ///
    /// A change that is being made may be counted as one of another daemon, until it is made.
    package func changeCounts() async throws(DownloadError) -> ChangeCounts {
        let values = try await read { try $0.counters.all() }
        let own = ownChanges.withLock { $0 }
        var counts = ChangeCounts(lastEvent: 0, byOthers: [:])
        counts.lastEvent = values[CounterTable.Counter.event.rawValue] ?? 0
        for topic in ChangeTopic.allCases {
            counts.byOthers[topic] = (values[topic.rawValue] ?? 0) - (own[topic] ?? 0)
        }
        return counts
    }

    // MARK: - State

    package func checkRoom() throws(DownloadError) {
        do { try outage.checkRoom() } catch {
            throw PostgresFailure.explained(error, "writing the queue")
        }
    }

    /// Does nothing: the database has no reserve.
    package func restoreReserve() {}

    /// Why nothing can be written: another daemon has the name of this node, the outcome of a write
    /// is not known, or the last connection has failed; `nil` otherwise.
    package var problem: DownloadError? {
        reasonToReopen
            ?? (writers.problem ?? outage.unreachable).map {
                PostgresFailure.explained($0, "writing the queue")
            }
    }

    package var reasonToReopen: DownloadError? {
        fleet?.refusal ?? outage.unknownWrite
    }

    /// Looks for the database, on no thread of a caller.
    package func reconnect() async {
        guard outage.beginLooking(writers.problem) else { return }
        defer { outage.endLooking() }
        do {
            try await writers.withConnection(within: Self.writeTime) { session in
                _ = try await session.server.value
                // The connection may have broken unnoticed.
                _ = try await session.query("SELECT 1", within: Self.connectTime).value
            }
            outage.reached()
        } catch {
            if !Task.isCancelled, let error = error as? PostgresError { outage.failed(error) }
        }
    }

    package var lastWriteFailure: DownloadError? { outage.writeFailure }

    /// Leaves the fleet, and closes the connections.
    package func close() throws(DownloadError) {
        fleet?.leave()
        writers.close()
        readers.close()
    }
}

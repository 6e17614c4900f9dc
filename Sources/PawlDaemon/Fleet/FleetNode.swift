internal import Dispatch
package import PawlCore
internal import PawlFleet
package import PawlPostgres
internal import Synchronization

/// This daemon as a node of a fleet: it keeps its lease, and declares nodes lost that do not keep
/// theirs.
///
/// It has a connection and a thread of its own, so that no long transaction delays a renewal. What
/// it does and when is decided by `LeasePlanner`.
package final class FleetNode: Sendable {
    package enum Event: Sendable, Hashable {
        /// The node has a lease of this row, for the first time or after a loss.
        case joined(StoreNode)
        /// The lease can no longer be trusted, because the database does not answer.
        case suspended
        /// The lease is valid again.
        case resumed
        /// Others have declared the node lost: its downloads belong to them.
        case lost
    }

    /// What the node is called, and where it runs.
    package struct Identity: Sendable, Hashable {
        package var name: String
        /// What identifies the machine and the folder of the daemon.
        package var machine: String
        package var version: String

        package init(name: String, machine: String, version: String) {
            (self.name, self.machine, self.version) = (name, machine, version)
        }
    }

    private struct State: Sendable {
        var planner = LeasePlanner()
        var node: StoreNode?
        var isClosed = false
        var problem: DownloadError?
        var losses = 0
        var isFirst = false
        /// When the leases of others are looked at next.
        var nextLook = Moment.zero
    }

    private let identity: Identity
    private let process = String(UInt64.random(in: .min ... .max), radix: 16)
    private let dialect: PostgresDialect
    private let pool: PostgresPool
    private let texts = StatementTexts()
    private let report: @Sendable (Event) -> Void
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "pawl-lease", qos: .userInitiated)
    /// Whether the lease is valid.
    package let clock = LeaseClock()

    /// The time between two checks of the leases of others.
    private static let interval = Duration.seconds(1)

    /// Joins the fleet; it blocks.
    ///
    /// `report` is called on the node's thread, and for the first lease before this returns.
    ///
    /// - Parameters:
    ///   - settings: Those of a connection that writes.
    ///   - dialect: What the server understands.
    /// - Throws: `.alreadyRunning` if another machine has a node of this name, among others.
    package init(
        _ identity: Identity,
        in address: PostgresAddress,
        _ settings: PostgresSettings,
        _ dialect: PostgresDialect,
        report: @escaping @Sendable (Event) -> Void
    ) throws {
        (self.identity, self.dialect, self.report) = (identity, dialect, report)
        pool = PostgresPool(address, settings, size: 1)
        try queue.sync { try begin() }
    }

    deinit { pool.close() }

    /// The row of this node; `nil` while it has none.
    package var node: StoreNode? { state.withLock { $0.node } }

    /// The number of times that others have declared the node lost: what it had then belongs to
    /// others.
    package var losses: Int { state.withLock { $0.losses } }

    /// Whether the node does what only one node does, such as checking feeds.
    ///
    /// No two nodes do at the same time: another one only becomes the first after the lease of this
    /// one has ended.
    package var isFirst: Bool { clock.isValid && state.withLock { $0.isFirst } }

    /// Why the node cannot join again: another machine has a node of its name; `nil` otherwise.
    package var refusal: DownloadError? {
        problem.flatMap { $0.code == .alreadyRunning ? $0 : nil }
    }

    /// Why the node could not get or renew its lease; `nil` if the last attempt succeeded.
    package var problem: DownloadError? { state.withLock { $0.problem } }

    /// Gives back all downloads, so that others need not wait for the end of the lease; it blocks.
    package func leave() {
        queue.sync {
            let node = state.withLock { state in
                state.isClosed = true
                return state.node
            }
            clock.setEnd(.zero)
            // Otherwise the lease expires.
            if let node { _ = try? transact { try $0.nodes.gone(node.id) } }
            pool.close()
        }
    }

    // MARK: - On the thread of the node

    private func begin() throws {
        step()
        if let problem, node == nil { throw problem }
    }

    /// Does what is due, and plans the next step.
    private func step() {
        guard !state.withLock({ $0.isClosed }) else { return }
        for action in state.withLock({ $0.planner.tick(at: LeaseClock.now()) }) { perform(action) }
        lookAtOthers()
        let now = LeaseClock.now()
        let wakeAt = state.withLock { min($0.planner.wakeAt, $0.nextLook) }
        let delay = max(.milliseconds(10), wakeAt - now)
        queue.asyncAfter(deadline: .now() + delay.seconds) { [weak self] in self?.step() }
    }

    private func perform(_ action: LeasePlanner.Action) {
        switch action {
        case .join(let attempt): answered(attempt, join(attempt))
        case .renew(let attempt): answered(attempt, renew())
        case .suspend: report(.suspended)
        case .resume: report(.resumed)
        case .end:
            state.withLock { state in
                state.losses += 1
                state.isFirst = false
            }
            report(.lost)
        }
    }

    private func answered(_ attempt: LeasePlanner.Attempt, _ answer: LeasePlanner.Answer) {
        let (actions, end, joined) = state.withLock { state in
            let before = state.planner.node
            let actions = state.planner.answered(attempt, answer, at: LeaseClock.now())
            let now = state.planner.node
            state.node = now.map { StoreNode(id: $0, name: identity.name) }
            return (actions, state.planner.validUntil, now == before ? nil : state.node)
        }
        clock.setEnd(end)
        if let joined { report(.joined(joined)) }
        for action in actions { perform(action) }
    }

    private func join(_ attempt: LeasePlanner.Attempt) -> LeasePlanner.Answer {
        let candidate = NodeTable.Candidate(
            name: identity.name,
            machine: identity.machine,
            process: process,
            attempt: attempt.number,
            version: identity.version
        )
        return answer {
            let lease = try transact { try $0.nodes.join(candidate) }
            return .held(node: lease.node.id, until: lease.until)
        }
    }

    private func renew() -> LeasePlanner.Answer {
        guard let node else { return .failed }
        return answer {
            let until = try transact { try $0.nodes.renew(node.id) }
            return until.map { .held(node: node.id, until: $0) } ?? .lost
        }
    }

    private func answer(
        _ request: () throws -> LeasePlanner.Answer
    ) -> LeasePlanner.Answer {
        do {
            let answer = try request()
            state.withLock { $0.problem = nil }
            return answer
        } catch {
            let problem = PostgresFailure.explained(error, "keeping the lease of the node")
            state.withLock { $0.problem = problem }
            return .failed
        }
    }

    /// Declares nodes lost whose leases have expired, and gives their downloads back.
    private func lookAtOthers() {
        let now = LeaseClock.now()
        let (node, lease) = state.withLock { state -> (StoreNode?, Moment?) in
            guard now >= state.nextLook else { return (nil, nil) }
            state.nextLook = now + Self.interval
            return (state.node, state.planner.leaseForDeclaringLost(at: now))
        }
        guard let node, clock.isValid else { return }
        do {
            let duties = try transact(isWriting: false) { try $0.nodes.duties(of: node.id) }
            // The node may have another row by now, or none.
            state.withLock { $0.isFirst = duties.isFirst && $0.node == node }
            if let lease, duties.hasExpired {
                let lost = try transact { transaction in
                    try transaction.nodes.declareLost(by: node.id, knowing: lease)
                }
                // Their downloads are given back with the next step.
                if !lost.isEmpty { state.withLock { $0.nextLook = now } }
            }
            // One part at a time, so that the lease is renewed in time.
            if duties.hasLeft, try transact({ try $0.nodes.releaseLost() }) {
                state.withLock { $0.nextLook = now }
            }
        } catch {
            // Another node does it, or this one with its next check.
            return
        }
    }

    private func transact<Value>(
        isWriting: Bool = true,
        _ body: (StoreTransaction) throws -> Value
    ) throws -> Value {
        let time = LeasePlanner.answerTimeout
        let node = node
        return try pool.withConnectionBlocking(within: time) { session in
            let connection = try PostgresStoreConnection(
                on: session,
                texts,
                dialect,
                of: node,
                isWriting: isWriting,
                time: time
            )
            do {
                let value = try body(StoreTransaction(connection))
                if isWriting { _ = try connection.commit() } else { connection.rollBack() }
                return value
            } catch {
                connection.rollBack()
                throw connection.failure ?? error
            }
        }
    }
}

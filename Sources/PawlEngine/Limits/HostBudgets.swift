package import PawlCore
internal import Synchronization

/// The host budget that all downloads share, and the downloads that wait for it.
package final class HostBudgets: Sendable {
    private struct State {
        var budget: HostBudget
        var waiters: [HostBudget.Ticket: @Sendable (String) -> Void] = [:]
        var nextTicket: HostBudget.Ticket = 1
    }

    private let state: Mutex<State>
    private let time: any Timekeeper

    package init(connectionsPerHost: Int, time: any Timekeeper) {
        state = Mutex(State(budget: HostBudget(connectionsPerHost: connectionsPerHost)))
        self.time = time
    }

    /// Returns a ticket for one download.
    ///
    /// `granted` is called when a waiting request is met.
    package func enroll(_ granted: @escaping @Sendable (String) -> Void) -> HostBudget.Ticket {
        state.withLock { state in
            defer { state.nextTicket += 1 }
            state.waiters[state.nextTicket] = granted
            return state.nextTicket
        }
    }

    package func resign(_ ticket: HostBudget.Ticket) {
        state.withLock { state in
            state.waiters[ticket] = nil
            state.budget.withdraw(ticket)
        }
    }

    /// Returns `true` if a connection may be opened now.
    package func request(_ host: String, _ ticket: HostBudget.Ticket, isFirst: Bool) -> Bool {
        state.withLock {
            $0.budget.request(host, ticket: ticket, isFirst: isFirst, at: time.now())
        }
    }

    /// The number of transfers of all downloads to a host.
    package func transfers(with host: String) -> Int {
        state.withLock { $0.budget.transfers(with: host) }
    }

    /// Whether any other download has a transfer to the host now, if this one has one.
    package func isShared(_ host: String) -> Bool { transfers(with: host) > 1 }

    /// Records that the host has answered a request.
    package func answered(_ host: String) { state.withLock { $0.budget.answered(host) } }

    /// Records that a connection broke after bytes were received over it.
    package func broke(_ host: String) { state.withLock { $0.budget.broke(host) } }

    /// Records that the host refused a connection that has not been released yet.
    ///
    /// Returns whether it serves others meanwhile.
    package func refused(_ host: String, retryAfter: Duration? = nil) -> Bool {
        state.withLock {
            $0.budget.refused(host, retryAfter: retryAfter, at: time.now())
        }
    }

    /// Records that the host responded over a connection that can be shared.
    package func noteMultiplexing(_ host: String) {
        state.withLock { $0.budget.noteMultiplexing(host) }
    }

    /// Returns `true` if a request may share a connection, which does not count as one of the
    /// host's.
    package func requestStream(_ host: String) -> Bool {
        state.withLock { $0.budget.requestStream(host, at: time.now()) }
    }

    package func releaseStream(_ host: String) {
        state.withLock { $0.budget.releaseStream(host) }
    }

    package func withdraw(_ host: String, _ ticket: HostBudget.Ticket) {
        state.withLock { $0.budget.withdraw(host, ticket: ticket) }
    }

    package func release(_ host: String) {
        state.withLock { $0.budget.release(host) }
        distribute()
    }

    package func close(_ host: String, for duration: Duration) {
        state.withLock { $0.budget.close(host, until: time.now() + duration) }
    }

    /// The current use of each host, sorted by name.
    package var hosts: [HostBudget.Use] { state.withLock { $0.budget.uses(at: time.now()) } }

    /// Changes the number of connections per host.
    package func setLimit(connectionsPerHost: Int) {
        state.withLock { $0.budget.setLimit(connectionsPerHost: connectionsPerHost) }
        distribute()
    }

    /// The time when a waiting request may be granted without a release.
    package var nextOpening: Moment? { state.withLock { $0.budget.nextOpening } }

    /// Grants the requests that can be granted now.
    package func distribute() {
        // This is done under the lock, so that a ticket that has resigned is not granted anything.
        state.withLock { state in
            for (ticket, host) in state.budget.grants(at: time.now()) {
                state.waiters[ticket]?(host)
            }
        }
    }
}

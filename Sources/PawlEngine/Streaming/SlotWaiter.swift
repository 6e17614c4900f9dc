internal import PawlCore
internal import Synchronization

/// Waits for a connection to a host.
///
/// Releasing this object ends the wait.
final class SlotWaiter: Sendable {
    private final class Granted: Sendable {
        let hosts = Mutex<[String]>([])
    }

    private let budgets: HostBudgets
    private let granted: Granted
    private let ticket: HostBudget.Ticket

    /// Creates a waiter.
    ///
    /// `wake` is called when a connection may be available.
    init(_ budgets: HostBudgets, wake: @escaping @Sendable () -> Void) {
        let granted = Granted()
        self.budgets = budgets
        self.granted = granted
        ticket = budgets.enroll { host in
            granted.hosts.withLock { $0.append(host) }
            wake()
        }
    }

    deinit {
        budgets.resign(ticket)
        release()
    }

    /// Requests a connection.
    ///
    /// Returns it if it is available at once; with `nil`, this object waits for it.
    func ask(_ host: String) -> HostSlot? {
        budgets.request(host, ticket, isFirst: true) ? HostSlot(host, budgets) : nil
    }

    /// Returns the connection that was granted meanwhile, if any.
    func take(_ host: String) -> HostSlot? {
        budgets.distribute()
        let isGranted = granted.hosts.withLock { hosts in
            guard let index = hosts.firstIndex(of: host) else { return false }
            hosts.remove(at: index)
            return true
        }
        return isGranted ? HostSlot(host, budgets) : nil
    }

    /// Stops waiting.
    func leave(_ host: String) {
        budgets.withdraw(host, ticket)
        release()
    }

    /// The time of the next check without a wake-up.
    ///
    /// A host that closes while others have its connections wakes nobody when it opens again.
    func nextCheck(after now: Moment) -> Moment {
        min(budgets.nextOpening ?? .distantFuture, now + .seconds(1))
    }

    private func release() {
        let hosts = granted.hosts.withLock { hosts in
            defer { hosts = [] }
            return hosts
        }
        for host in hosts { budgets.release(host) }
    }
}

/// A connection granted by the host's budget.
///
/// Releasing this object returns it.
final class HostSlot: Sendable {
    private let host: String
    private let budgets: HostBudgets

    init(_ host: String, _ budgets: HostBudgets) {
        self.host = host
        self.budgets = budgets
    }

    deinit { budgets.release(host) }
}

internal import PawlCore
internal import Synchronization

/// Waits in the line for a connection to a host; who lets it go stands in no line any more.
final class SlotLine: Sendable {
    private final class Granted: Sendable {
        let hosts = Mutex<[String]>([])
    }

    private let budgets: HostBudgets
    private let granted: Granted
    private let ticket: HostBudget.Ticket

    /// `wake` is called when there may be something to take.
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
        giveBack()
    }

    /// A connection at once; nil puts it in the line.
    func ask(_ host: String) -> HostSlot? {
        budgets.request(host, ticket, isFirst: true) ? HostSlot(host, budgets) : nil
    }

    /// What the line brought meanwhile.
    func take(_ host: String) -> HostSlot? {
        budgets.distribute()
        let isGranted = granted.hosts.withLock { hosts in
            guard let index = hosts.firstIndex(of: host) else { return false }
            hosts.remove(at: index)
            return true
        }
        return isGranted ? HostSlot(host, budgets) : nil
    }

    /// Leaves the line.
    func leave(_ host: String) {
        budgets.withdraw(host, ticket)
        giveBack()
    }

    /// When to look again though nobody woke: a host may be closed while others have its connections,
    /// and its opening wakes nobody.
    func nextLook(after now: Moment) -> Moment {
        min(budgets.nextOpening ?? .distantFuture, now + .seconds(1))
    }

    private func giveBack() {
        let hosts = granted.hosts.withLock { hosts in
            defer { hosts = [] }
            return hosts
        }
        for host in hosts { budgets.release(host) }
    }
}

/// A connection that the host's budget granted, until it is let go.
final class HostSlot: Sendable {
    private let host: String
    private let budgets: HostBudgets

    init(_ host: String, _ budgets: HostBudgets) {
        self.host = host
        self.budgets = budgets
    }

    deinit { budgets.release(host) }
}

internal import PawlCore

/// The connections of one download, as the budgets of the hosts see them.
struct DownloadSlots {
    private let budgets: HostBudgets
    private let limits: TransferLimits
    private var ticket: HostBudget.Ticket = 0
    /// Whether requests may share a connection.
    private var mayMultiplex = true
    /// The host whose slot is a stream instead of a connection.
    private var streamHost: String?

    init(_ budgets: HostBudgets, _ limits: TransferLimits) {
        (self.budgets, self.limits) = (budgets, limits)
    }

    /// Enrolls the download; `granted` is called with the host of a connection that it waited for.
    mutating func enroll(granted: @escaping @Sendable (String) -> Void) {
        ticket = budgets.enroll(granted)
    }

    /// Withdraws all requests.
    func resign() { budgets.resign(ticket) }

    /// Requests a connection; returns whether it was granted at once.
    ///
    /// The first request of a download `isFirst`; if it knows nothing of the file yet, it
    /// `mayShare` a connection, which does not count as one of the host's.
    mutating func request(_ host: String, isFirst: Bool, mayShare: Bool) -> Bool {
        if isFirst, mayShare, mayMultiplex, !limits.isLimited, streamHost == nil,
            budgets.requestStream(host)
        {
            streamHost = host
            return true
        }
        return budgets.request(host, ticket, isFirst: isFirst)
    }

    func withdraw(_ host: String) { budgets.withdraw(host, ticket) }

    mutating func release(_ host: String) {
        guard streamHost == host else { return budgets.release(host) }
        streamHost = nil
        budgets.releaseStream(host)
    }

    /// Lets no further request share a connection, because one has failed or had to be ended.
    mutating func stopSharing() { mayMultiplex = false }

    /// Whether the request may share a connection.
    ///
    /// If other downloads use the same host, first requests share one, because most files are
    /// small.
    ///
    /// Segments have connections of their own, and so have all transfers if a limit slows single
    /// transfers. A request that failed is not repeated over a shared connection.
    func multiplexes(_ order: TransferOrder) -> Bool {
        guard mayMultiplex, !limits.isLimited, order.pinned == nil, order.range == nil else {
            return false
        }
        let host = HostBudget.name(of: order.url)
        return streamHost == host || budgets.isShared(host)
    }
}

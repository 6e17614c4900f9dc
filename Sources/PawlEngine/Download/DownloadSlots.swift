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
    /// The request that was made before the planner could ask for it.
    private var early: (host: String, isGranted: Bool)?
    /// The first request, if it waits for a rate limit.
    private var delayed: (host: String, until: Moment)?

    init(_ budgets: HostBudgets, _ limits: TransferLimits) {
        (self.budgets, self.limits) = (budgets, limits)
    }

    /// Enrolls the download; `granted` is called with the host of a connection that it waited for.
    mutating func enroll(granted: @escaping @Sendable (String) -> Void) {
        ticket = budgets.enroll(granted)
    }

    /// Withdraws all requests, and returns a connection that nobody has asked for since.
    func resign() {
        budgets.resign(ticket)
        guard let early, early.isGranted else { return }
        var slots = self
        slots.release(early.host)
    }

    /// Makes the first request of a download, of whose file nothing is known.
    ///
    /// Returns whether it was granted at once. The planner's own first request gets the same
    /// answer.
    mutating func requestEarly(_ host: String, at now: Moment) -> Bool {
        let isGranted = request(host, isFirst: true, mayShare: true, at: now)
        early = (host, isGranted)
        return isGranted
    }

    /// Requests a connection; returns whether it was granted at once.
    ///
    /// The first request of a download `isFirst`; if it knows nothing of the file yet, it
    /// `mayShare` a connection, which does not count as one of the host's. The first request waits
    /// until the rate limits allow the bytes received so far.
    mutating func request(
        _ host: String,
        isFirst: Bool,
        mayShare: Bool,
        at now: Moment
    ) -> Bool {
        if let early, early.host == host {
            self.early = nil
            return early.isGranted
        }
        let wait = isFirst ? limits.wait(at: now) : .zero
        guard wait == .zero else {
            delayed = (host, now + wait)
            return false
        }
        if isFirst, mayShare, mayMultiplex, !limits.isLimited, streamHost == nil,
            budgets.requestStream(host)
        {
            streamHost = host
            return true
        }
        return budgets.request(host, ticket, isFirst: isFirst)
    }

    /// The time at which a rate limit allows the first request; `nil` if it does not wait for that.
    var delayedUntil: Moment? { delayed?.until }

    /// Makes the first request if it has waited for a rate limit until now.
    ///
    /// Returns its host if it was granted at once.
    mutating func requestDelayed(at now: Moment) -> String? {
        guard let (host, until) = delayed, now >= until else { return nil }
        delayed = nil
        return budgets.request(host, ticket, isFirst: true) ? host : nil
    }

    /// Shortens the wait for a rate limit that has changed.
    mutating func limitChanged(at now: Moment) {
        guard let until = delayed?.until else { return }
        delayed?.until = min(until, now + limits.wait(at: now))
    }

    mutating func withdraw(_ host: String) {
        if early?.host == host { early = nil }
        if delayed?.host == host { delayed = nil }
        budgets.withdraw(host, ticket)
    }

    mutating func release(_ host: String) {
        if early?.host == host { early = nil }
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

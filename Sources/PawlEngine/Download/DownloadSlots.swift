internal import PawlCore
internal import Synchronization

/// The connections of one download, as the budgets of the hosts see them.
final class DownloadSlots: Sendable {
    private struct State {
        var ticket: HostBudget.Ticket = 0
        /// Whether requests may share a connection.
        var mayMultiplex: Bool
        /// The host whose slot is a stream instead of a connection.
        var streamHost: String?
        /// The request that was made before the planner could ask for it.
        var early: (host: String, isGranted: Bool)?
        /// The first request, if it waits for a rate limit.
        var delayed: (host: String, until: Moment)?
    }

    private let budgets: HostBudgets
    private let limits: TransferLimits
    private let version: HTTPVersion?
    /// It is not held while a connection is released, which grants it to other downloads.
    private let state: Mutex<State>

    init(_ budgets: HostBudgets, _ limits: TransferLimits, _ version: HTTPVersion?) {
        (self.budgets, self.limits, self.version) = (budgets, limits, version)
        state = Mutex(State(mayMultiplex: version == nil || version == .http2))
    }

    /// Enrolls the download; `granted` is called with the host of a connection that it waited for.
    func enroll(granted: @escaping @Sendable (String) -> Void) {
        let ticket = budgets.enroll(granted)
        state.withLock { $0.ticket = ticket }
    }

    /// Withdraws all requests, and returns a connection that nobody has asked for since.
    func resign() {
        let (ticket, early) = state.withLock { ($0.ticket, $0.early) }
        budgets.resign(ticket)
        if let early, early.isGranted { release(early.host) }
    }

    /// Makes the first request of a download, of whose file nothing is known.
    ///
    /// Returns whether it was granted at once. The planner's own first request gets the same
    /// answer.
    func requestEarly(_ host: String, at now: Moment) -> Bool {
        let isGranted = request(host, isFirst: true, mayShare: true, at: now)
        state.withLock { $0.early = (host, isGranted) }
        return isGranted
    }

    /// Notes that the connection of the early request was granted meanwhile.
    func takeGranted(_ host: String) { state.withLock { $0.early = (host, true) } }

    /// Requests a connection; returns whether it was granted at once.
    ///
    /// The first request of a download `isFirst`; if it knows nothing of the file yet, it
    /// `mayShare` a connection, which does not count as one of the host's. The first request waits
    /// until the rate limits allow the bytes received so far.
    func request(_ host: String, isFirst: Bool, mayShare: Bool, at now: Moment) -> Bool {
        state.withLock { state in
            if let early = state.early, early.host == host {
                state.early = nil
                return early.isGranted
            }
            let wait = isFirst ? limits.wait(at: now) : .zero
            guard wait == .zero else {
                state.delayed = (host, now + wait)
                return false
            }
            if isFirst, mayShare, state.mayMultiplex, !limits.isLimited, state.streamHost == nil,
                budgets.requestStream(host)
            {
                state.streamHost = host
                return true
            }
            return budgets.request(host, state.ticket, isFirst: isFirst)
        }
    }

    /// The time at which a rate limit allows the first request; `nil` if it does not wait for that.
    var delayedUntil: Moment? { state.withLock { $0.delayed?.until } }

    /// Makes the first request if it has waited for a rate limit until now.
    ///
    /// Returns its host if it was granted at once.
    func requestDelayed(at now: Moment) -> String? {
        state.withLock { state in
            guard let (host, until) = state.delayed, now >= until else { return nil }
            state.delayed = nil
            return budgets.request(host, state.ticket, isFirst: true) ? host : nil
        }
    }

    /// Shortens the wait for a rate limit that has changed.
    func limitChanged(at now: Moment) {
        state.withLock { state in
            guard let until = state.delayed?.until else { return }
            state.delayed?.until = min(until, now + limits.wait(at: now))
        }
    }

    func withdraw(_ host: String) {
        let ticket = state.withLock { state in
            if state.early?.host == host { state.early = nil }
            if state.delayed?.host == host { state.delayed = nil }
            return state.ticket
        }
        budgets.withdraw(host, ticket)
    }

    func release(_ host: String) {
        let isStream = state.withLock { state in
            if state.early?.host == host { state.early = nil }
            guard state.streamHost == host else { return false }
            state.streamHost = nil
            return true
        }
        if isStream { budgets.releaseStream(host) } else { budgets.release(host) }
    }

    /// Records a refusal; returns whether the host refuses the only request of the download because
    /// it serves others.
    func refuses(
        _ verdict: HeadVerdict,
        _ head: ResponseHead,
        _ transfers: RunningTransfers
    ) -> Bool {
        guard case .status(let status, _, let retryAfter) = verdict, [429, 503].contains(status)
        else { return false }
        let host = HostBudget.name(of: head.url)
        return budgets.refused(host, retryAfter: retryAfter) && transfers.isSingle
    }

    /// Records the end of a transfer; returns whether the host refused it because it serves others.
    ///
    /// `received`: the number of received bytes; `nil` if there was no response.
    func ended(_ outcome: TransferOutcome, _ host: String, _ received: Int64?) -> Bool {
        guard case .failed(let failure) = outcome else { return false }
        stopSharing()
        guard let received else { return failure.kind.mayBeRefusal && budgets.refused(host) }
        if received > 0 { budgets.broke(host) }
        return false
    }

    /// Lets no further request share a connection, because one has failed or had to be ended.
    func stopSharing() { state.withLock { $0.mayMultiplex = false } }

    /// Lets a request share a connection if it may.
    ///
    /// With a rate limit, it uses HTTP/1.1 even if the user wants HTTP/2: libcurl reads a paused
    /// stream far ahead.
    func share(_ request: inout TransferRequest, for planned: PlannedTransfer) {
        request.multiplexes = multiplexes(planned)
        if version == .http2, limits.isLimited { request.connection.httpVersion = .http1 }
    }

    /// Whether the request may share a connection.
    ///
    /// If other downloads use the same host, first requests share one, because most files are
    /// small.
    ///
    /// Segments have connections of their own unless the user wants HTTP/2. With a rate limit, so
    /// have all transfers. A request that failed or was ended is not repeated over a shared
    /// connection.
    private func multiplexes(_ planned: PlannedTransfer) -> Bool {
        let (mayMultiplex, streamHost) = state.withLock { ($0.mayMultiplex, $0.streamHost) }
        guard mayMultiplex, !limits.isLimited else { return false }
        if version == .http2 { return true }
        guard planned.pinned == nil, planned.range == nil else { return false }
        let host = HostBudget.name(of: planned.url)
        return streamHost == host || budgets.isShared(host)
    }
}

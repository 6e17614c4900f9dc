/// Whether the network lets a download run: when it waits, and when it goes on.
struct ConnectivityGate: Sendable {
    enum Obstacle: Hashable, Sendable {
        case noRoute
        /// What comes would be paid by the byte, and that is not allowed.
        case metered
        /// It is not known yet whether it is metered.
        case unknown
    }

    /// So long a connection may outlive its route: one that is back by then was never missed.
    static let grace: Duration = .seconds(1)
    /// So long after the route is back a connection may need until it brings bytes again.
    static let revival: Duration = .seconds(5)
    /// So long after the route is back names may not be resolved yet, and nothing be connected.
    static let settling: Duration = .seconds(10)
    /// So often it is tried without a route: a proxy on this machine may know a way.
    static let doubt: Duration = .seconds(60)

    private let waitsForRoute: Bool
    private let allowsMetered: Bool
    private let stallTimeout: Duration
    private var random: SplitMix64
    private var path: NetworkPath?
    /// What the download waits for; nil where it does not.
    private(set) var reason: Obstacle?
    /// When it goes on; nil where only another path ends the waiting.
    private(set) var opensAt: Moment?
    /// After a wait, while nothing has answered yet.
    private(set) var isTrying = false
    private var offlineSince: Moment?
    /// The last moment without a route; nil where there was none.
    private var lastOffline: Moment?

    init(_ settings: DownloadSettings, seed: UInt64) {
        waitsForRoute = settings.waitsForConnectivity
        allowsMetered = settings.allowsExpensiveNetwork
        stallTimeout = settings.stallTimeout
        random = SplitMix64(seed: SplitMix64.mix(seed))
    }

    /// Whether the network matters to the download at all.
    var isWatching: Bool { waitsForRoute || !allowsMetered }

    /// What keeps the download from its hosts now, whether or not it waits.
    func obstacle(to hosts: [String]) -> Obstacle? {
        let known = path ?? .unknown
        let isRemote = hosts.contains(where: known.isRemote)
        guard isRemote, isWatching else { return nil }
        if !allowsMetered {
            if path == nil { return .unknown }
            if known.isMetered == true { return .metered }
        }
        return waitsForRoute && !hosts.contains(where: known.reaches) ? .noRoute : nil
    }

    /// Whether nothing is to be opened now.
    func isClosed(to hosts: [String]) -> Bool {
        switch obstacle(to: hosts) {
        case .metered, .unknown: true
        case .noRoute, nil: reason != nil
        }
    }

    mutating func take(_ path: NetworkPath, hosts: [String], at now: Moment) {
        self.path = path
        let obstacle = obstacle(to: hosts)
        if obstacle == .noRoute {
            offlineSince = offlineSince ?? now
        } else if offlineSince != nil {
            offlineSince = nil
            lastOffline = now
        }
        switch obstacle {
        case .metered: wait(for: .metered)
        case .noRoute where reason == .metered: wait(for: .noRoute, until: now + Self.doubt)
        case .noRoute, .unknown: break
        case nil:
            guard reason != nil else { return }
            // Not all that wait at the same millisecond.
            opensAt = min(opensAt ?? .distantFuture, now + draw(from: .zero))
        }
    }

    mutating func passTime(at now: Moment) {
        guard let opensAt, now >= opensAt else { return }
        self.opensAt = nil
        reason = nil
        isTrying = true
    }

    /// A server said something, whatever it was.
    mutating func wasAnswered() { isTrying = false }

    /// Whether a failure is the missing network's and does not count; then the download waits.
    mutating func excuses(
        _ kind: TransferFailure.Kind,
        lastProgressAt: Moment,
        hosts: [String],
        at now: Moment
    ) -> Bool {
        let isExcused = isExcused(kind, lastProgressAt, hosts: hosts, at: now)
        if !isExcused { isTrying = false }
        return isExcused
    }

    private mutating func isExcused(
        _ kind: TransferFailure.Kind,
        _ lastProgressAt: Moment,
        hosts: [String],
        at now: Moment
    ) -> Bool {
        guard waitsForRoute, kind.mayLackNetwork else { return false }
        if obstacle(to: hosts) == .noRoute {
            offlineSince = offlineSince ?? now
            wait(for: .noRoute, until: now + Self.doubt)
            return true
        }
        guard let lastOffline else { return false }
        let isOutages = lastProgressAt <= lastOffline
        let isSettling = kind.isBeforeConnection && now - lastOffline < Self.settling
        guard isOutages || isSettling else { return false }
        wait(for: .noRoute, until: now + draw(from: RetryPolicy.firstDelay))
        return true
    }

    /// Whether a connection is to be ended as the network is not there for it, or was not.
    mutating func ends(
        _ host: String,
        lastProgressAt: Moment,
        hosts: [String],
        at now: Moment
    ) -> Bool {
        // What would count as a stall, and is the network's fault.
        let isStalled = now - lastProgressAt >= stallTimeout
        switch obstacle(to: [host]) {
        case .metered: return true
        case .noRoute:
            let begin = max(offlineSince ?? now, lastProgressAt)
            guard isStalled || now - begin >= Self.grace else { return false }
            if obstacle(to: hosts) == .noRoute {
                wait(for: .noRoute, until: now + Self.doubt)
            }
            return true
        case .unknown, nil:
            guard let lastOffline, lastProgressAt <= lastOffline else { return false }
            return isStalled || now - lastOffline >= Self.revival
        }
    }

    private mutating func wait(for obstacle: Obstacle, until moment: Moment? = nil) {
        reason = obstacle
        opensAt = moment
    }

    private mutating func draw(from least: Duration) -> Duration {
        let spread = RetryPolicy.firstDelay.nanoseconds
        return least + .nanoseconds(Int64.random(in: 0...spread, using: &random))
    }
}

extension TransferFailure.Kind {
    /// What a machine without a network gets.
    fileprivate var mayLackNetwork: Bool {
        switch self {
        case .connectionLost, .bodyIncomplete, .tlsFailed: true
        case .certificateRefused, .malformedResponse, .unsupportedURL, .local: false
        case .addressRefused: false
        case .nameNotResolved, .cannotConnect, .connectTimedOut: true
        }
    }

    fileprivate var isBeforeConnection: Bool {
        switch self {
        case .nameNotResolved, .cannotConnect, .connectTimedOut: true
        default: false
        }
    }
}

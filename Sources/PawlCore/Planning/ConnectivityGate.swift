/// Decides when a download waits for the network, and when it resumes.
struct ConnectivityGate: Sendable {
    enum Obstacle: Hashable, Sendable {
        case noRoute
        /// The network is metered, and the settings do not allow that.
        case metered
        /// The state of the network is not known yet.
        case unknown
    }

    /// The time for which a connection without a route is kept, because the route may return.
    static let grace: Duration = .seconds(1)
    /// The time in which a connection must receive bytes again after the route returns.
    static let revival: Duration = .seconds(5)
    /// The time after the route returns in which resolving names and connecting may fail.
    static let settling: Duration = .seconds(10)
    /// The interval between attempts without a route: a local proxy may have one.
    static let doubt: Duration = .seconds(60)

    private let waitsForRoute: Bool
    private let allowsMetered: Bool
    private let stallTimeout: Duration
    private var random: SplitMix64
    private var path: NetworkPath?
    /// The obstacle whose end the download waits for; `nil` if it does not wait.
    private(set) var reason: Obstacle?
    /// The time at which the download resumes; `nil` if only a change of the network ends the wait.
    private(set) var opensAt: Moment?
    /// Whether no server has responded since the wait ended.
    private(set) var isTrying = false
    private var offlineSince: Moment?
    /// The last moment without a route; `nil` if there was none.
    private var lastOffline: Moment?

    /// The log line for `reason`; `nil` if it is not worth one.
    var logText: String? {
        switch reason {
        case .noRoute: "no route to the network: waiting until there is one"
        case .metered: "the network is metered: waiting for an unmetered one"
        case .unknown: nil
        case nil: "trying the network again"
        }
    }

    init(_ settings: DownloadSettings, seed: UInt64) {
        waitsForRoute = settings.waitsForConnectivity
        allowsMetered = settings.allowsExpensiveNetwork
        stallTimeout = settings.stallTimeout
        random = SplitMix64(seed: SplitMix64.mix(seed))
    }

    /// Whether the settings make the download depend on the network.
    var isWatching: Bool { waitsForRoute || !allowsMetered }

    /// Returns what separates the download from its hosts now, whether or not it waits.
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

    /// Returns whether no connection may be opened now.
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
            // Waiting downloads must not all resume at the same moment.
            opensAt = min(opensAt ?? .distantFuture, now + draw(from: .zero))
        }
    }

    mutating func passTime(at now: Moment) {
        guard let opensAt, now >= opensAt else { return }
        self.opensAt = nil
        reason = nil
        isTrying = true
    }

    /// Notes that a server sent a response.
    mutating func wasAnswered() { isTrying = false }

    /// Returns whether the network caused a failure; if so, the failure does not count, and the
    /// download waits.
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

    /// Returns whether to close a connection that has lost its network.
    mutating func ends(
        _ host: String,
        lastProgressAt: Moment,
        hosts: [String],
        at now: Moment
    ) -> Bool {
        // The silence would count as a stall, but the network caused it.
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
    /// Whether a missing network can cause this failure.
    fileprivate var mayLackNetwork: Bool {
        switch self {
        case .connectionLost, .bodyIncomplete, .tlsFailed, .fileNotSent: true
        case .certificateRefused, .malformedResponse, .unsupportedURL, .local: false
        case .credentialsUnusable, .clientKeyUnusable, .passwordFileUnusable: false
        case .proxyUnusable, .authoritiesUnusable: false
        case .hostKeyUnknown, .hostKeyChanged: false
        case .keyRefused, .certificateRequired, .proxyRefused, .proxyUnauthorized: false
        case .bodyUnreadable, .bodyNotRepeatable: false
        case .addressRefused, .expandsTooMuch, .undecodable, .notBuiltIn, .notScripted: false
        case .nameNotResolved, .cannotConnect, .connectTimedOut: true
        case .proxyNotResolved, .interfaceFailed: true
        }
    }

    fileprivate var isBeforeConnection: Bool {
        switch self {
        case .nameNotResolved, .cannotConnect, .connectTimedOut: true
        default: false
        }
    }
}

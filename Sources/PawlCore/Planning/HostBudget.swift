package import struct FoundationEssentials.URL

/// The number of connections that each host gets across all downloads, and the hosts that get no
/// new ones for a while.
package struct HostBudget: Sendable {
    /// The id of a request for a connection.
    package typealias Ticket = UInt64

    fileprivate struct Host {
        var inUse = 0
        /// The number of streams over shared connections (HTTP/2), which open no connections.
        var streams = 0
        var multiplexes = false
        /// The waiting tickets in order of arrival, those without any connection first.
        var queue: [(ticket: Ticket, isFirst: Bool)] = []
        var closedUntil: Moment?
        /// The number of connections that the host serves, as far as it is known.
        var ceiling = HostCeiling()
        var isUnused: Bool {
            inUse == 0 && streams == 0 && queue.isEmpty && closedUntil == nil
        }
        /// Whether something was learned about the host that its next download can use.
        var isRemembered: Bool { multiplexes || ceiling.isKnown }
    }

    /// The maximum number of streams; servers allow 100 or more per connection (RFC 9113 §6.5.2).
    private static let streamsPerHost = 100
    private static let rememberedHosts = 1_024
    private var limit: Int
    private var hosts: [String: Host] = [:]

    package init(connectionsPerHost: Int) { limit = max(1, connectionsPerHost) }

    /// Sets the maximum number of connections per host.
    ///
    /// If the number is lowered, open connections continue, and none is opened until enough have
    /// ended.
    package mutating func setLimit(connectionsPerHost: Int) { limit = max(1, connectionsPerHost) }

    /// Returns the name of the host for which a connection to a URL counts.
    ///
    /// It is shown to users: `example.org:443`, or a bucket such as `s3://photos`, whose server the
    /// URL does not contain.
    package static func name(of url: URL) -> String {
        let scheme = URLScheme(of: url.scheme)
        if scheme?.isLocal == true { return "this computer" }
        let host = url.shownHost ?? ""
        if scheme == .s3 { return bucketPrefix + host }
        return "\(host):\(url.port ?? URLScheme.usualPort(of: url.scheme))"
    }

    /// Whether a name is that of a bucket.
    static func isBucket(_ name: String) -> Bool { name.hasPrefix(bucketPrefix) }

    private static let bucketPrefix = "s3://"

    /// Requests a connection; returns whether it may be opened now; otherwise the ticket waits.
    package mutating func request(
        _ name: String,
        ticket: Ticket,
        isFirst: Bool,
        at now: Moment
    ) -> Bool {
        let limit = limit
        return update(name) { host in
            if host.isUnused { host.ceiling.forgetIfOld(at: now) }
            if host.queue.isEmpty, host.hasRoom(limit, isFirst: isFirst, at: now) {
                host.inUse += 1
                return true
            }
            let position =
                isFirst
                ? host.queue.firstIndex { !$0.isFirst } ?? host.queue.count
                : host.queue.count
            host.queue.insert((ticket, isFirst), at: position)
            return false
        }
    }

    /// Returns the number of open connections and streams of a host.
    package func transfers(with name: String) -> Int {
        hosts[name].map { $0.inUse + $0.streams } ?? 0
    }

    /// The use of a host at a moment, also as JSON.
    package struct Use: Codable, Sendable, Hashable {
        /// The host with its port, or a bucket such as `s3://photos`.
        package var host: String
        /// The number of HTTP/1.1 connections that are open or being opened.
        package var connections: Int
        /// The number of requests over shared connections (HTTP/2).
        package var streams: Int
        /// The number of downloads that wait for a connection.
        package var waiting: Int
        /// The maximum number of connections to the host.
        package var budget: Int
        /// The time until the host accepts new connections again, as it has requested; `nil` if it
        /// accepts them now.
        package var coolDownSeconds: Double?
    }

    /// Returns the use of all hosts that are used or waited for, sorted by name.
    package func uses(at now: Moment) -> [Use] {
        hosts.filter { !$0.value.isUnused }.sorted { $0.key < $1.key }.map { name, host in
            let wait = host.closedUntil.map { $0 - now }
            return Use(
                host: name.sanitized,
                connections: host.inUse,
                streams: host.streams,
                waiting: host.queue.count,
                budget: limit,
                coolDownSeconds: wait.flatMap { $0 > .zero ? $0.seconds : nil }
            )
        }
    }

    /// Notes that a response showed that requests to the host can share a connection.
    package mutating func noteMultiplexing(_ name: String) {
        guard hosts[name]?.multiplexes != true else { return }
        update(name) { $0.multiplexes = true }
    }

    /// Requests a stream; returns whether the request may share a connection, which takes nothing
    /// from the tickets that wait for one.
    package mutating func requestStream(_ name: String, at now: Moment) -> Bool {
        guard let host = hosts[name], host.multiplexes, host.streams < Self.streamsPerHost,
            host.isOpen(at: now)
        else { return false }
        update(name) { $0.streams += 1 }
        return true
    }

    package mutating func releaseStream(_ name: String) {
        update(name) { $0.streams = max(0, $0.streams - 1) }
    }

    package mutating func withdraw(_ name: String, ticket: Ticket) {
        update(name) { $0.queue.removeAll { $0.ticket == ticket } }
    }

    /// Removes a ticket from the queues of all hosts.
    package mutating func withdraw(_ ticket: Ticket) {
        for name in Array(hosts.keys) { withdraw(name, ticket: ticket) }
    }

    package mutating func release(_ name: String) {
        update(name) { $0.inUse = max(0, $0.inUse - 1) }
    }

    /// Allows no new connection to a host before `moment`.
    package mutating func close(_ name: String, until moment: Moment) {
        update(name) { $0.closedUntil = max($0.closedUntil ?? .zero, moment) }
    }

    /// Grants connections to waiting tickets; returns those that may open one now.
    package mutating func grants(at now: Moment) -> [(ticket: Ticket, host: String)] {
        guard hosts.values.contains(where: \.isAwaited) else { return [] }
        let limit = limit
        var granted: [(ticket: Ticket, host: String)] = []
        for name in hosts.filter(\.value.isAwaited).keys {
            update(name) { host in
                guard host.isOpen(at: now) else { return }
                host.closedUntil = nil
                while let next = host.queue.first,
                    host.hasRoom(limit, isFirst: next.isFirst, at: now)
                {
                    host.queue.removeFirst()
                    host.inUse += 1
                    granted.append((next.ticket, name))
                }
            }
        }
        return granted
    }

    /// The time at which `grants` can give a slot although none is released; `nil` if no ticket
    /// waits.
    package var nextOpening: Moment? {
        hosts.values.filter { !$0.queue.isEmpty }
            .compactMap { $0.closedUntil ?? ($0.inUse < limit ? $0.trialAt : nil) }.min()
    }

    // MARK: - What hosts allow

    /// Notes that a host has answered a request.
    package mutating func answered(_ name: String) {
        guard hosts[name]?.ceiling.isServing == false else { return }
        update(name) { $0.ceiling.isServing = true }
    }

    /// Notes that a connection broke after bytes were received over it.
    package mutating func broke(_ name: String) {
        guard hosts[name]?.ceiling.isServing == true else { return }
        update(name) { $0.ceiling.isServing = false }
    }

    /// Notes that a host refused a connection that has not been released yet.
    ///
    /// Returns whether the host was serving other connections, of this or of another download, or
    /// had just done so: then the refusal shows a limit, and fewer first connections of downloads
    /// are opened for a while.
    package mutating func refused(
        _ name: String,
        retryAfter: Duration? = nil,
        at now: Moment
    ) -> Bool {
        guard let host = hosts[name] else { return false }
        let others = host.inUse + host.streams - 1
        let meaning = update(name) {
            $0.ceiling.refused(serving: others, retryAfter: retryAfter, at: now)
        }
        switch meaning {
        case .limit: return true
        case .late:
            close(name, until: now + max(HostCeiling.lateness, retryAfter ?? .zero))
            return true
        case .noLimit: return false
        }
    }

    private mutating func update<Result>(
        _ name: String,
        _ change: (inout Host) -> Result
    ) -> Result {
        var host = hosts[name] ?? Host()
        let result = change(&host)
        if host.isUnused, !host.isRemembered {
            hosts[name] = nil
        } else {
            if hosts[name] == nil { makeRoom() }
            hosts[name] = host
        }
        return result
    }

    /// Forgets one unused host if many are known; its next responses show the same again.
    private mutating func makeRoom() {
        guard hosts.count >= Self.rememberedHosts,
            let unused = hosts.first(where: \.value.isUnused)
        else { return }
        hosts[unused.key] = nil
    }
}

extension HostBudget.Host {
    /// Whether the passing of time or a release can change anything for the host.
    fileprivate var isAwaited: Bool { !queue.isEmpty || closedUntil != nil }

    /// Whether a connection may be opened.
    ///
    /// The ceiling applies only to the first connection of a download. For its further connections,
    /// the download uses its own ``ConnectionLimit``.
    fileprivate mutating func hasRoom(_ limit: Int, isFirst: Bool, at now: Moment) -> Bool {
        guard inUse < limit, isOpen(at: now) else { return false }
        return !isFirst || ceiling.allows(inUse, at: now)
    }

    /// The time at which the first waiting ticket may be granted although no connection ends.
    fileprivate var trialAt: Moment? { queue.first?.isFirst == true ? ceiling.trialAt : nil }

    fileprivate func isOpen(at now: Moment) -> Bool { closedUntil.map { $0 <= now } ?? true }
}

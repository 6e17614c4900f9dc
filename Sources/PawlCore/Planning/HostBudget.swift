package import struct FoundationEssentials.URL

/// How many connections each host gets across all downloads, and which hosts want patience.
package struct HostBudget: Sendable {
    /// Who asks for a connection.
    package typealias Ticket = UInt64

    fileprivate struct Host {
        var inUse = 0
        /// Streams over shared connections (HTTP/2): they open none.
        var streams = 0
        var multiplexes = false
        /// First come, first served; those without any connection before the others.
        var queue: [(ticket: Ticket, isFirst: Bool)] = []
        var closedUntil: Moment?
        var isIdle: Bool {
            inUse == 0 && streams == 0 && queue.isEmpty && closedUntil == nil && !multiplexes
        }
    }

    /// Servers allow 100 or more on a connection (RFC 9113 §6.5.2).
    private static let streamsPerHost = 100
    private static let rememberedHosts = 1_024
    private var limit: Int
    private var hosts: [String: Host] = [:]

    package init(connectionsPerHost: Int) { limit = max(1, connectionsPerHost) }

    /// What runs above a lower number goes on, and nothing new begins until it has ended.
    package mutating func setLimit(connectionsPerHost: Int) { limit = max(1, connectionsPerHost) }

    /// Whom a connection to that address counts for.
    package static func name(of url: URL) -> String {
        let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        return "\(url.shownHost ?? ""):\(port)"
    }

    /// True where the connection may be opened now; else the ticket waits.
    package mutating func request(
        _ name: String,
        ticket: Ticket,
        isFirst: Bool,
        at now: Moment
    ) -> Bool {
        let limit = limit
        return update(name) { host in
            if host.queue.isEmpty, host.inUse < limit, host.isOpen(at: now) {
                host.inUse += 1
                return true
            }
            let place =
                isFirst
                ? host.queue.firstIndex { !$0.isFirst } ?? host.queue.count
                : host.queue.count
            host.queue.insert((ticket, isFirst), at: place)
            return false
        }
    }

    /// What runs there at this moment, connections and streams.
    package func transfers(with name: String) -> Int {
        hosts[name].map { $0.inUse + $0.streams } ?? 0
    }

    /// What is done with a host at a moment.
    package struct Use: Sendable, Hashable {
        package var name: String
        package var connections: Int
        package var streams: Int
        package var waiting: Int
        package var limit: Int
        /// Until it may get a new connection; nil where it may.
        package var coolDown: Duration?
    }

    /// Of all hosts that something is known of, by name.
    package func uses(at now: Moment) -> [Use] {
        hosts.sorted { $0.key < $1.key }.map { name, host in
            let wait = host.closedUntil.map { $0 - now }
            return Use(
                name: name,
                connections: host.inUse,
                streams: host.streams,
                waiting: host.queue.count,
                limit: limit,
                coolDown: wait.flatMap { $0 > .zero ? $0 : nil }
            )
        }
    }

    /// An answer showed that the host lets requests share a connection.
    package mutating func noteMultiplexing(_ name: String) {
        guard hosts[name]?.multiplexes != true, hosts.count < Self.rememberedHosts else { return }
        update(name) { $0.multiplexes = true }
    }

    /// True where a request may share a connection; it takes nothing from those that wait for one.
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

    /// From the queues of all hosts.
    package mutating func withdraw(_ ticket: Ticket) {
        for name in Array(hosts.keys) { withdraw(name, ticket: ticket) }
    }

    package mutating func release(_ name: String) {
        update(name) { $0.inUse = max(0, $0.inUse - 1) }
    }

    /// No new connection to that host before `moment`.
    package mutating func close(_ name: String, until moment: Moment) {
        update(name) { $0.closedUntil = max($0.closedUntil ?? .zero, moment) }
    }

    /// Those who may open a connection now, to be told.
    package mutating func grants(at now: Moment) -> [(ticket: Ticket, host: String)] {
        guard hosts.values.contains(where: \.isAwaited) else { return [] }
        let limit = limit
        var granted: [(ticket: Ticket, host: String)] = []
        for name in Array(hosts.keys) {
            update(name) { host in
                guard host.isOpen(at: now) else { return }
                host.closedUntil = nil
                while host.inUse < limit, let next = host.queue.first {
                    host.queue.removeFirst()
                    host.inUse += 1
                    granted.append((next.ticket, name))
                }
            }
        }
        return granted
    }

    /// When `grants` has something to give though nothing is released; nil where nobody waits.
    package var nextOpening: Moment? {
        hosts.values.filter { !$0.queue.isEmpty }.compactMap(\.closedUntil).min()
    }

    private mutating func update<Result>(
        _ name: String,
        _ change: (inout Host) -> Result
    ) -> Result {
        var host = hosts[name] ?? Host()
        let result = change(&host)
        hosts[name] = host.isIdle ? nil : host
        return result
    }
}

extension HostBudget.Host {
    /// Whether time or a release can change anything for it.
    fileprivate var isAwaited: Bool { !queue.isEmpty || closedUntil != nil }

    fileprivate func isOpen(at now: Moment) -> Bool { closedUntil.map { $0 <= now } ?? true }
}

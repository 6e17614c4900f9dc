package import struct FoundationEssentials.URL

/// How many connections each host gets across all downloads, and which hosts want patience.
package struct HostBudget: Sendable {
    /// Who asks for a connection.
    package typealias Ticket = UInt64

    fileprivate struct Host {
        var inUse = 0
        /// First come, first served; those without any connection before the others.
        var queue: [(ticket: Ticket, isFirst: Bool)] = []
        var closedUntil: Moment?
        var isIdle: Bool { inUse == 0 && queue.isEmpty && closedUntil == nil }
    }

    private let limit: Int
    private var hosts: [String: Host] = [:]

    package init(connectionsPerHost: Int) { limit = max(1, connectionsPerHost) }

    /// Whom a connection to that address counts for.
    package static func name(of url: URL) -> String {
        let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        return "\(url.host()?.lowercased() ?? ""):\(port)"
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
    fileprivate func isOpen(at now: Moment) -> Bool { closedUntil.map { $0 <= now } ?? true }
}

/// What the daemon does with a host, at this moment.
package struct WireHost: Codable, Sendable, Hashable {
    /// With its port.
    package var host: String
    /// HTTP/1.1 connections that are open, or on their way.
    package var connections: Int
    /// Requests over shared connections (HTTP/2).
    package var streams: Int
    /// How many downloads wait for a connection.
    package var waiting: Int
    /// How many connections it may get.
    package var budget: Int
    /// For so long it gets no new connection, as it has asked for; nil where it may.
    package var coolDownSeconds: Double?

    package init(host: String, budget: Int) {
        (self.host, self.budget) = (host, budget)
        (connections, streams, waiting) = (0, 0, 0)
    }
}

/// Hosts that something is known of.
package struct WireHosts: Codable, Sendable, Hashable {
    /// By name.
    package var hosts: [WireHost]
    /// What to give as `after` for the next page; nil at the end.
    package var next: String?

    package init(_ hosts: [WireHost]) { self.hosts = hosts }

    package func page(_ query: PageQuery) -> WireHosts {
        let (hosts, next) = query.page(of: hosts, by: \.host)
        var page = WireHosts(hosts)
        page.next = next
        return page
    }
}

/// What the daemon has done since it began.
package struct WireStatistics: Codable, Sendable, Hashable {
    package var uptimeSeconds: Double
    /// How many downloads are in each state.
    package var counts: [String: Int]
    package var bytesPerSecond: Int64
    /// What came from servers.
    package var receivedBytes: Int64
    package var finished: Int
    package var failed: Int
    package var connections: Int
    package var eventReaders: Int
    /// Answered requests to the API.
    package var requests: Int

    package init() {
        (uptimeSeconds, counts, bytesPerSecond, receivedBytes) = (0, [:], 0, 0)
        (finished, failed, connections, eventReaders, requests) = (0, 0, 0, 0, 0)
    }
}

/// That the daemon can do its work.
package struct WireHealth: Codable, Sendable, Hashable {
    /// `ok`.
    package var status: String

    package init() { status = "ok" }
}

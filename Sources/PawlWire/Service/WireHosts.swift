package import PawlCore

/// The hosts about which something is known.
package struct WireHosts: Codable, Sendable, Hashable {
    /// The hosts, sorted by name.
    package var hosts: [HostBudget.Use]
    /// The value of `after` for the next page; `nil` on the last page.
    package var next: String?

    package init(_ hosts: [HostBudget.Use]) { self.hosts = hosts }

    package func page(_ query: PageQuery) -> WireHosts {
        let (hosts, next) = query.page(of: hosts, by: \.host)
        var page = WireHosts(hosts)
        page.next = next
        return page
    }
}

/// The daemon's counters since it started.
package struct WireStatistics: Codable, Sendable, Hashable {
    package var uptimeSeconds: Double
    /// The number of downloads in each state.
    package var counts: [String: Int]
    package var bytesPerSecond: Int64
    /// The number of bytes received from servers.
    package var receivedBytes: Int64
    package var finished: Int
    package var failed: Int
    package var connections: Int
    package var eventReaders: Int
    /// The number of answered requests to the API.
    package var requests: Int

    package init() {
        (uptimeSeconds, counts, bytesPerSecond, receivedBytes) = (0, [:], 0, 0)
        (finished, failed, connections, eventReaders, requests) = (0, 0, 0, 0, 0)
    }
}

/// Reports that the daemon can do its work.
package struct WireHealth: Codable, Sendable, Hashable {
    /// `ok`.
    package var status: String

    package init() { status = "ok" }
}

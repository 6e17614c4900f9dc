package import struct FoundationEssentials.Date

/// A daemon as one of those that share a queue.
package struct WireNode: Codable, Sendable, Hashable {
    package enum State: String, Codable, Sendable, CaseIterable {
        /// It works.
        case alive
        /// It finishes what it has begun, and takes nothing.
        case draining
        /// It has not renewed its lease, so that others take its downloads.
        case lost
    }

    package var name: String
    package var version: String
    package var state: State
    /// Whether it is the daemon that answers.
    package var isSelf: Bool
    package var startedAt: Date
    /// The time since it renewed its lease; `nil` if it has none, because nobody else uses the queue.
    package var lagSeconds: Double?
    /// The number of downloads that only this node may run at present.
    package var downloads: Int
    /// The number of these that run.
    package var running: Int
    /// The speed of all its downloads together; `nil` if it is not known.
    package var bytesPerSecond: Int64?
    /// The number of its connections to servers; `nil` if it is not known.
    package var connections: Int?

    package init(name: String, version: String, state: State, startedAt: Date) {
        (self.name, self.version, self.state) = (name, version, state)
        (self.startedAt, isSelf, downloads, running) = (startedAt, false, 0, 0)
    }
}

/// Unfinished downloads from one host.
package struct WireHostQueue: Codable, Sendable, Hashable {
    /// The host in lower case; `nil` for all others together, and empty for URLs without a host.
    package var host: String?
    /// The number of its downloads per state.
    package var counts: [String: Int]

    package init(_ host: String?, counts: [String: Int]) {
        (self.host, self.counts) = (host, counts)
    }
}

/// The daemons that share the queue, and what the queue contains.
package struct WireFleet: Codable, Sendable, Hashable {
    /// Whether several daemons can use the queue.
    package var isShared: Bool
    /// The nodes, sorted by name.
    package var nodes: [WireNode]
    /// The number of downloads in each state.
    package var counts: [String: Int]
    /// The unfinished downloads by host, the largest numbers first; the other hosts are the last.
    package var hosts: [WireHostQueue]

    package init(
        isShared: Bool,
        nodes: [WireNode],
        counts: [String: Int],
        hosts: [WireHostQueue]
    ) {
        (self.isShared, self.nodes) = (isShared, nodes)
        (self.counts, self.hosts) = (counts, hosts)
    }
}

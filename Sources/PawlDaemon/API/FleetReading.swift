internal import Glibc
internal import PawlCore
internal import PawlFleet
internal import PawlWire

/// Reads what the nodes do, and what their queue contains.
struct FleetReading: Sendable {
    let queue: DaemonQueue
    let about: DaemonStatus

    /// The number of hosts that are counted one by one.
    private static let mostHosts = 20
    /// The number of downloads whose hosts are looked at.
    private static let mostRows = 10_000

    /// What one transaction has read.
    private struct Findings: Sendable {
        var isShared: Bool
        var own: StoreNode?
        var nodes: [NodeTable.Row]
        var work: [Int64: NodeReportTable.Work]
        var reports: [Int64: NodeReportTable.Report]
        var counts: [String: Int]
        var hosts: [WireHostQueue]
    }

    func fleet() async throws(DownloadError) -> WireFleet {
        let found = try await queue.store.read { transaction in
            let counts = try transaction.downloads.counts()
            return Findings(
                isShared: transaction.isShared,
                own: transaction.node,
                nodes: try transaction.nodes.list(),
                work: try transaction.nodeReports.work(),
                reports: try transaction.nodeReports.recent(),
                counts: counts,
                hosts: try transaction.hosts.counts(
                    readingAtMost: Self.mostRows,
                    hosts: Self.mostHosts,
                    of: counts
                )
            )
        }
        return WireFleet(
            isShared: found.isShared,
            nodes: nodes(found),
            counts: found.counts,
            hosts: found.hosts
        )
    }

    /// Returns the nodes that are there, and the lost ones that have not come back.
    private func nodes(_ found: Findings) -> [WireNode] {
        var nodes: [WireNode] = []
        let present = found.nodes.filter { $0.state == .alive || $0.state == .draining }
        let names = Set(present.map(\.node.name))
        // Of several losses of a node, the last one is shown.
        var lost: [String: NodeTable.Row] = [:]
        for row in found.nodes where row.state == .lost && !names.contains(row.node.name) {
            lost[row.node.name] = row
        }
        for row in present + lost.values {
            nodes.append(node(row, found))
        }
        if !nodes.contains(where: \.isSelf) { nodes.append(own(Self.machineName)) }
        return nodes.sorted { ExactText($0.name) < ExactText($1.name) }
    }

    private func node(_ row: NodeTable.Row, _ found: Findings) -> WireNode {
        var node =
            row.node.id == found.own?.id
            ? own(row.node.name)
            : WireNode(
                name: row.node.name,
                version: row.version,
                state: .alive,
                startedAt: row.startedAt
            )
        node.state = WireNode.State(rawValue: row.state.rawValue) ?? .lost
        node.lagSeconds = max(0, (LeasePlanner.length - row.remaining).seconds)
        node.downloads = found.work[row.node.id]?.downloads ?? 0
        guard !node.isSelf else { return node }
        node.running = found.work[row.node.id]?.running ?? 0
        let report = found.reports[row.node.id]
        node.bytesPerSecond = report?.bytesPerSecond ?? (node.running == 0 ? 0 : nil)
        node.connections = report?.connections ?? (node.running == 0 ? 0 : nil)
        return node
    }

    /// Returns this daemon as a node, by what it knows of itself.
    private func own(_ name: String) -> WireNode {
        var node = WireNode(
            name: name,
            version: about.version,
            state: .alive,
            startedAt: about.startedAt
        )
        node.isSelf = true
        node.running = queue.running.all.count
        node.downloads = node.running
        node.bytesPerSecond = queue.running.bytesPerSecond
        node.connections = queue.running.connections
        return node
    }

    /// The name of this machine, for a daemon that has the queue for itself.
    private static let machineName: String = {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return name.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }()
}

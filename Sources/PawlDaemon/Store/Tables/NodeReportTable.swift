internal import struct FoundationEssentials.Date

/// What each node does, for those who ask another one; only in a database that several daemons may
/// share.
package struct NodeReportTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// What a node reports about itself.
    package struct Report: Sendable, Hashable {
        package var bytesPerSecond: Int64
        package var connections: Int

        package init(bytesPerSecond: Int64, connections: Int) {
            (self.bytesPerSecond, self.connections) = (bytesPerSecond, connections)
        }
    }

    /// The number of downloads that a node has taken, and of those that run.
    package struct Work: Sendable, Hashable {
        package var downloads: Int
        package var running: Int

        package init(downloads: Int, running: Int) {
            (self.downloads, self.running) = (downloads, running)
        }
    }

    /// The time in seconds after which a report says nothing about the present.
    private static let memory: Double = 15

    /// Records the report of this node, if it has joined the fleet.
    package func record(_ report: Report) throws {
        guard database.dialect.isShared, let node = database.node else { return }
        try database.run(
            """
            INSERT INTO nodeReport (node, bytesPerSecond, connections, at) VALUES (?, ?, ?, ?)
            ON CONFLICT (node) DO UPDATE SET bytesPerSecond = excluded.bytesPerSecond,
                connections = excluded.connections, at = excluded.at
            """,
            [
                node.id, report.bytesPerSecond, report.connections,
                database.now.timeIntervalSince1970,
            ]
        )
    }

    /// Returns the reports of the last seconds, by the ids of the nodes.
    package func recent() throws -> [Int64: Report] {
        guard database.dialect.isShared else { return [:] }
        let rows = try database.rows(
            "SELECT * FROM nodeReport WHERE at > ?",
            [database.now.timeIntervalSince1970 - Self.memory]
        )
        var reports: [Int64: Report] = [:]
        for row in rows {
            reports[try row["node"]] = Report(
                bytesPerSecond: try row["bytesPerSecond"],
                connections: try row["connections"]
            )
        }
        return reports
    }

    /// Returns what the nodes have taken, by their ids.
    package func work() throws -> [Int64: Work] {
        guard database.dialect.isShared else { return [:] }
        let rows = try database.rows(
            """
            SELECT node, COUNT(*) AS downloads,
                SUM(CASE WHEN state = 'running' THEN 1 ELSE 0 END) AS running
            FROM download WHERE node IS NOT NULL GROUP BY node
            """
        )
        var work: [Int64: Work] = [:]
        for row in rows {
            work[try row["node"]] = Work(
                downloads: try row["downloads"],
                running: try row["running"]
            )
        }
        return work
    }
}

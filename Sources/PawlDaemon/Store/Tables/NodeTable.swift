package import struct FoundationEssentials.Date
package import PawlCore
internal import PawlFleet

/// The nodes that share the queue, with their leases; only in a database that several daemons may
/// share.
///
/// Only the clock of the database decides about leases.
package struct NodeTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    package enum State: String, Sendable {
        /// The node works.
        case alive
        /// It finishes what it has begun, and takes nothing.
        case draining
        /// It has ended, and given everything back.
        case gone
        /// It did not renew its lease, so others take its downloads.
        case lost
    }

    package struct Row: Sendable, Hashable {
        package var node: StoreNode
        package var version: String
        package var state: State
        package var startedAt: Date
        /// The time until the end of its lease, negative if that has passed.
        package var remaining: Duration
    }

    /// A request to join.
    package struct Candidate: Sendable, Hashable {
        package var name: String
        /// What identifies the machine and the folder of the daemon: only one process uses these at
        /// a time, so that an earlier one has ended.
        package var machine: String
        /// What identifies the process.
        package var process: String
        /// The number of the request, which grows.
        package var attempt: Int
        package var version: String

        package init(
            name: String,
            machine: String,
            process: String,
            attempt: Int,
            version: String
        ) {
            (self.name, self.machine, self.process) = (name, machine, process)
            (self.attempt, self.version) = (attempt, version)
        }
    }

    /// A lease of a node.
    package struct Lease: Sendable, Hashable {
        package var node: StoreNode
        /// Its end by the clock of the database.
        package var until: Moment
    }

    /// The time of the clock in microseconds since 1970, at this moment.
    private static let clock = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
    private static let present = "state IN ('alive', 'draining')"

    private static func microseconds(_ time: Duration) -> Int64 { time.nanoseconds / 1000 }

    private static func moment(_ microseconds: Int64) -> Moment {
        Moment(nanoseconds: microseconds * 1000)
    }

    // MARK: - The own lease

    /// Adds a node, whose lease begins; the row of an earlier process of the same node on the same
    /// machine is declared lost.
    ///
    /// - Throws: `.alreadyRunning` if another machine has a node of this name, or if the request is
    ///   late.
    package func join(_ candidate: Candidate) throws -> Lease {
        // Two requests with one name must not both find none.
        try database.run("LOCK TABLE node IN SHARE ROW EXCLUSIVE MODE")
        let earlier = try database.row(
            "SELECT *, leaseUntil - \(Self.clock) AS remaining FROM node "
                + "WHERE name = ? AND \(Self.present)\(database.rowLock)",
            [candidate.name]
        )
        let newest: Int? = try database.value(
            "SELECT MAX(attempt) FROM node WHERE process = ?",
            [candidate.process]
        )
        guard newest ?? .min < candidate.attempt else {
            throw DownloadError(.conflict, "a request to join the fleet was late")
        }
        if let earlier { try replace(earlier, by: candidate) }
        try forgetOld()
        let row = try database.row(
            """
            INSERT INTO node (name, machine, process, attempt, version, state, startedAt,
                leaseUntil)
            VALUES (?, ?, ?, ?, ?, 'alive', ?, \(Self.clock) + ?)
            RETURNING id, leaseUntil
            """,
            [
                candidate.name, candidate.machine, candidate.process, candidate.attempt,
                candidate.version, database.now.timeIntervalSince1970,
                Self.microseconds(LeasePlanner.length),
            ]
        )
        guard let row else { throw WrongColumnType(column: "id") }
        return Lease(
            node: StoreNode(id: try row["id"], name: candidate.name),
            until: Self.moment(try row["leaseUntil"])
        )
    }

    /// Deletes the rows of nodes that have ended long ago.
    private func forgetOld() throws {
        try database.run(
            """
            DELETE FROM node WHERE state IN ('gone', 'lost') AND startedAt < ?
                AND NOT EXISTS (SELECT 1 FROM download WHERE download.node = node.id)
            """,
            [database.now.timeIntervalSince1970 - Self.memory]
        )
    }

    /// Declares the row of an earlier node lost that has the same name.
    private func replace(_ earlier: StoreRow, by candidate: Candidate) throws {
        let machine: String = try earlier["machine"]
        let remaining: Int64 = try earlier["remaining"]
        guard machine == candidate.machine || remaining <= 0 else {
            throw DownloadError(
                .alreadyRunning,
                "another daemon uses the queue under the name '\(candidate.name)'",
                advice: "give each node a name of its own"
            )
        }
        try setState(.lost, of: try earlier["id"])
    }

    /// Renews the lease of a node, even if it has expired; returns `nil` if the node has been
    /// declared lost.
    package func renew(_ node: Int64) throws -> Moment? {
        let until: Int64? = try database.value(
            """
            UPDATE node SET leaseUntil = \(Self.clock) + ? WHERE id = ? AND \(Self.present)
            RETURNING leaseUntil
            """,
            [Self.microseconds(LeasePlanner.length), node]
        )
        return until.map(Self.moment)
    }

    /// Lets a node finish what it has begun, and take nothing more.
    package func drain(_ node: Int64) throws {
        try database.run(
            "UPDATE node SET state = 'draining' WHERE id = ? AND state = 'alive'",
            [node]
        )
    }

    /// Records that a node has ended in order, and gives back what it has.
    package func gone(_ node: Int64) throws {
        let state: String? = try database.value(
            "SELECT state FROM node WHERE id = ?\(database.rowLock)",
            [node]
        )
        if state == State.alive.rawValue || state == State.draining.rawValue {
            try setState(.gone, of: node)
        }
        while try OwnershipTable(database).giveBack(ofNode: node, limit: Self.batch) {}
    }

    private func setState(_ state: State, of node: Int64) throws {
        try database.run("UPDATE node SET state = ? WHERE id = ?", [state.rawValue, node])
    }

    // MARK: - Other nodes

    /// Declares the nodes lost whose leases have expired; returns their ids.
    ///
    /// Decides as `LostNodePolicy` does, in one statement: one that waited in the database has no
    /// effect.
    ///
    /// - Parameters:
    ///   - node: The node that asks.
    ///   - lease: The end of its own lease that it knows.
    package func declareLost(by node: Int64, knowing lease: Moment) throws -> [Int64] {
        try database.values(
            """
            UPDATE node SET state = 'lost' WHERE \(Self.present) AND id <> ?1
                AND leaseUntil <= \(Self.clock)
                AND clock_timestamp() >= pg_postmaster_start_time()
                    + CAST(?2 AS double precision) * interval '1 microsecond'
                AND EXISTS (SELECT 1 FROM node AS own WHERE own.id = ?1 AND own.\(Self.present)
                    AND own.leaseUntil = ?3 AND own.leaseUntil + ?4 >= \(Self.clock) + ?5)
            RETURNING id
            """,
            [
                node, Self.microseconds(LostNodePolicy.grace), lease.nanoseconds / 1000,
                Self.microseconds(LostNodePolicy.freshness),
                Self.microseconds(LeasePlanner.length),
            ]
        )
    }

    /// What a node has to do for others.
    package struct Duties: Sendable, Hashable {
        /// Whether it does what only one node does: it has joined first of those that are there.
        package var isFirst: Bool
        /// Whether the lease of another node has expired.
        package var hasExpired: Bool
        /// Whether a node that has ended still has downloads.
        package var hasLeft: Bool
    }

    /// Returns what a node has to do for others; changes nothing.
    package func duties(of node: Int64) throws -> Duties {
        let row = try database.row(
            """
            SELECT (SELECT COALESCE(MIN(id), 0) FROM node WHERE \(Self.present)) AS first,
                EXISTS (SELECT 1 FROM node WHERE \(Self.present) AND id <> ?
                    AND leaseUntil <= \(Self.clock)) AS expired,
                EXISTS (SELECT 1 FROM node WHERE state IN ('lost', 'gone')
                    AND EXISTS (SELECT 1 FROM download WHERE download.node = node.id)) AS remaining
            """,
            [node]
        )
        let first: Int64? = try row?["first"]
        return Duties(
            isFirst: first == node,
            hasExpired: try row?["expired"] ?? false,
            hasLeft: try row?["remaining"] ?? false
        )
    }

    /// Whether other nodes are there.
    package func hasOthers() throws -> Bool {
        guard let node = database.node else { return false }
        let other: Int64? = try database.value(
            "SELECT id FROM node WHERE id <> ? AND \(Self.present) LIMIT 1",
            [node.id]
        )
        return other != nil
    }

    private static let batch = 1000
    /// The time for which the row of a node is kept that has ended.
    private static let memory: Double = 7 * 86_400

    /// Lets other nodes take some downloads of a node that was lost; returns whether there were any.
    package func releaseLost() throws -> Bool {
        let lost: Int64? = try database.value(
            """
            SELECT node.id FROM node WHERE node.state IN ('lost', 'gone')
                AND EXISTS (SELECT 1 FROM download WHERE download.node = node.id)
            ORDER BY node.id LIMIT 1
            """
        )
        guard let lost else { return false }
        _ = try OwnershipTable(database).giveBack(ofNode: lost, limit: Self.batch)
        return true
    }

    /// Returns the nodes that are there, and those that have ended in the last week, by id.
    package func list() throws -> [Row] {
        guard database.dialect.isShared else { return [] }
        return try database.rows(
            """
            SELECT *, leaseUntil - \(Self.clock) AS remaining FROM node
            WHERE \(Self.present) OR startedAt > ? ORDER BY id
            """,
            [database.now.timeIntervalSince1970 - Self.memory]
        ) { row in
            let remaining: Int64 = try row["remaining"]
            return Row(
                node: StoreNode(id: try row["id"], name: try row["name"]),
                version: try row["version"],
                // Only a newer version knows other states.
                state: State(rawValue: try row["state"]) ?? .lost,
                startedAt: Date(timeIntervalSince1970: try row["startedAt"]),
                remaining: .microseconds(remaining)
            )
        }
    }
}

internal import FoundationEssentials
internal import PawlCore
package import PawlWire

/// Which node has taken which download: columns of the table `download`.
///
/// In a database that only one daemon uses, everything belongs to this daemon, and nothing is
/// recorded.
package struct OwnershipTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// The number of starts without an end or progress after which a download is a suspect: it may
    /// crash the daemon.
    ///
    /// The index `downloadReady` contains this number.
    package static let suspectStarts = 3

    /// A download that this node has just taken.
    package struct Taken: Sendable {
        package var row: WireDownload
        package var ownership: Ownership
        /// Whether it ran when its last node gave it up.
        package var wasRunning: Bool
        /// Whether it may have crashed a daemon.
        package var isSuspect: Bool
    }

    // MARK: - The fence

    /// Locks downloads until the end of the transaction; returns those that have another epoch.
    ///
    /// A download that was removed has no epoch, and is not returned.
    package func check(_ ownerships: some Sequence<Ownership>) throws -> Set<Int64> {
        guard database.dialect.isShared else { return [] }
        let epochs = Dictionary(
            ownerships.map { ($0.download, $0.epoch) },
            uniquingKeysWith: { first, _ in first }
        )
        guard !epochs.isEmpty else { return [] }
        var stale: Set<Int64> = []
        let rows = try database.rows(
            "SELECT id, epoch FROM download WHERE id = ANY(CAST(? AS bigint[])) ORDER BY id"
                + database.rowLock,
            [Self.list(epochs.keys)]
        )
        for row in rows {
            let id: Int64 = try row["id"]
            if try epochs[id] != row["epoch"] { stale.insert(id) }
        }
        return stale
    }

    /// Locks a download until the end of the transaction.
    ///
    /// - Throws: `StaleOwnership` if it has another epoch; not if it was removed.
    package func require(_ ownership: Ownership?) throws {
        guard let ownership, try !check([ownership]).isEmpty else { return }
        throw StaleOwnership(ownership.download)
    }

    /// Returns the node that has taken a download; `nil` if none has, or if the database is not
    /// shared.
    package func node(of download: Int64) throws -> StoreNode? {
        guard database.dialect.isShared else { return nil }
        let row = try database.row(
            """
            SELECT node.id AS id, node.name AS name FROM download
                JOIN node ON node.id = download.node WHERE download.id = ?
            """,
            [download]
        )
        return try row.map { StoreNode(id: try $0["id"], name: try $0["name"]) }
    }

    // MARK: - Taking

    /// Whether there may be something to take; changes nothing.
    ///
    /// - Parameters:
    ///   - known: The downloads that the node knows it has.
    ///   - suspects: Whether suspects count.
    package func mayTake(known: some Sequence<Int64>, suspects: Bool = true) throws -> Bool {
        guard database.dialect.isShared, let node = database.node else { return false }
        return try database.value(
            """
            SELECT EXISTS (SELECT 1 FROM download WHERE node IS NULL AND state = 'waiting'
                    AND home IN (?2, '') AND (notBefore IS NULL OR notBefore <= ?3)
                    AND (starts < \(Self.suspectStarts) OR ?5 = 1))
                OR EXISTS (SELECT 1 FROM download
                    WHERE node = ?1 AND id <> ALL(CAST(?4 AS bigint[])))
            """,
            [
                node.id, node.name, database.now.timeIntervalSince1970, Self.list(known),
                suspects ? 1 : 0,
            ]
        ) ?? false
    }

    /// Takes up to `count` downloads that may start now, in the order in which they start; the rows
    /// that other transactions have locked are left to them.
    ///
    /// Also returns those that the node has without knowing, because the answer to an earlier request
    /// was lost: each gets a new epoch.
    ///
    /// - Parameters:
    ///   - known: The downloads that the node knows it has.
    ///   - suspects: Whether to take suspects, of which only one may run, and only alone.
    package func take(
        _ count: Int,
        known: some Sequence<Int64>,
        suspects: Bool = true
    ) throws -> [Taken] {
        guard database.dialect.isShared, let node = database.node else { return [] }
        let state = try state(of: node)
        guard state == .alive || state == .draining else { return [] }
        let mayTake = state == .alive
        var taken = try takeUnknown(of: node, known: known, mayTake: mayTake)
        guard mayTake else { return [] }
        let limits = try sessionLimits()
        while taken.count < count {
            let found = try takeFree(count - taken.count, for: node, suspects)
            guard !found.isEmpty else { break }
            let kept = try keep(found, within: limits)
            taken += kept
            // What exceeds the maximum of its session is not found again.
            guard kept.count < found.count else { break }
        }
        return taken
    }

    /// What is known of a node; it may take something only while it is alive.
    ///
    /// What it takes while it is declared lost is given back with the rest.
    private func state(of node: StoreNode) throws -> NodeTable.State? {
        let state: String? = try database.value(
            "SELECT state FROM node WHERE id = ?",
            [node.id]
        )
        return state.flatMap { NodeTable.State(rawValue: $0) }
    }

    /// Takes the downloads that the node has and does not know again, and gives those back that do
    /// not wait.
    private func takeUnknown(
        of node: StoreNode,
        known: some Sequence<Int64>,
        mayTake: Bool
    ) throws -> [Taken] {
        let unknown: [Int64] = try database.values(
            """
            SELECT id FROM download WHERE node = ? AND id <> ALL(CAST(? AS bigint[]))
            ORDER BY id\(database.rowLock)
            """,
            [node.id, Self.list(known)]
        )
        guard !unknown.isEmpty else { return [] }
        try giveBack(unknown)
        guard mayTake else { return [] }
        return try database.rows(
            """
            UPDATE download SET node = ?1, epoch = nextval('epoch')
            WHERE id = ANY(CAST(?2 AS bigint[])) AND node IS NULL AND state = 'waiting'
                AND (notBefore IS NULL OR notBefore <= ?3)
            RETURNING *
            """,
            [node.id, Self.list(unknown), database.now.timeIntervalSince1970],
            as: Self.taken
        )
    }

    private static let order =
        "(starts >= \(suspectStarts)), priority DESC, wasRunning DESC, position, id"

    private func takeFree(
        _ count: Int,
        for node: StoreNode,
        _ suspects: Bool
    ) throws -> [Taken] {
        // Each part uses its part of the index.
        let candidates = ["home = ?2", "home = ''"].map { home in
            """
            (SELECT id, starts, priority, wasRunning, position FROM download
            WHERE node IS NULL AND state = 'waiting' AND \(home)
                AND (notBefore IS NULL OR notBefore <= ?4)
                AND (starts < \(Self.suspectStarts) OR ?5 = 1)
                AND NOT EXISTS (SELECT 1 FROM session
                    WHERE session.identifier = download.session
                        AND session.maximumConcurrentDownloads <=
                            (SELECT count(*) FROM download AS other
                                WHERE other.session = session.identifier
                                    AND other.node IS NOT NULL))
            ORDER BY \(Self.order) LIMIT ?3 FOR UPDATE SKIP LOCKED)
            """
        }
        let rows = try database.rows(
            """
            WITH own AS \(candidates[0]), free AS \(candidates[1]),
                chosen AS (SELECT id FROM (SELECT * FROM own UNION ALL SELECT * FROM free) AS found
                    ORDER BY \(Self.order) LIMIT ?3)
            UPDATE download SET node = ?1, epoch = nextval('epoch') FROM chosen
            WHERE download.id = chosen.id
            RETURNING download.*
            """,
            [
                node.id, node.name, count, database.now.timeIntervalSince1970,
                suspects ? 1 : 0,
            ],
            as: Self.taken
        )
        return rows.sorted { Self.key($0) < Self.key($1) }
    }

    /// The order in which downloads start, as a key that is ascending.
    private static func key(_ taken: Taken) -> (Int, Int, Int, Int64, Int64) {
        (
            taken.isSuspect ? 1 : 0, -taken.row.priority.priority.rawValue,
            taken.wasRunning ? 0 : 1, taken.row.position, taken.row.id
        )
    }

    private static func taken(_ row: StoreRow) throws -> Taken {
        let download = try DownloadRows.download(row)
        let (starts, wasRunning): (Int, Bool) = (try row["starts"], try row["wasRunning"])
        return Taken(
            row: download,
            ownership: Ownership(download: download.id, epoch: try row["epoch"]),
            wasRunning: wasRunning,
            isSuspect: starts >= Self.suspectStarts
        )
    }

    /// Returns the sessions that have a maximum of downloads; locks their rows, so that two nodes do
    /// not exceed it together.
    private func sessionLimits() throws -> [String: Int] {
        let rows = try database.rows(
            """
            SELECT identifier, maximumConcurrentDownloads FROM session
            WHERE maximumConcurrentDownloads IS NOT NULL ORDER BY identifier\(database.rowLock)
            """
        )
        var limits: [String: Int] = [:]
        for row in rows {
            let (session, count): (String, Int) = (try row[0], try row[1])
            limits[session] = count
        }
        return limits
    }

    /// Gives back what exceeds the maximum of its session; returns the rest.
    private func keep(_ taken: [Taken], within limits: [String: Int]) throws -> [Taken] {
        let sessions = Set(taken.compactMap(\.row.session)).filter { limits[$0] != nil }
        guard !sessions.isEmpty else { return taken }
        var excess: [String: Int] = [:]
        for session in sessions {
            let count: Int? = try database.value(
                "SELECT count(*) FROM download WHERE session = ? AND node IS NOT NULL",
                [session]
            )
            excess[session] = max(0, (count ?? 0) - (limits[session] ?? .max))
        }
        var (kept, left) = ([Taken](), [Int64]())
        // The last ones are given back.
        for item in taken.reversed() {
            if let session = item.row.session, let count = excess[session], count > 0 {
                excess[session] = count - 1
                left.append(item.row.id)
            } else {
                kept.append(item)
            }
        }
        try giveBack(left)
        return kept.reversed()
    }

    // MARK: - Giving back

    /// Lets any node take downloads that this one has taken; those that run wait from now on.
    package func giveBack(_ ids: [Int64]) throws {
        guard database.dialect.isShared, !ids.isEmpty else { return }
        try database.run(
            """
            UPDATE download SET \(Self.giving) WHERE id = ANY(CAST(? AS bigint[]))
            """,
            [Self.list(ids)]
        )
    }

    /// Lets any node take some of the downloads of a node that is gone or lost; returns whether
    /// there may be more.
    func giveBack(ofNode node: Int64, limit: Int) throws -> Bool {
        let given: [Int64] = try database.values(
            """
            UPDATE download SET \(Self.giving) WHERE id IN (
                SELECT id FROM download WHERE node = ? ORDER BY id LIMIT ? FOR UPDATE)
            RETURNING id
            """,
            [node, limit]
        )
        return given.count == limit
    }

    private static let active = "state IN ('running', 'waitingForConnectivity')"
    private static let giving = """
        node = NULL, epoch = nextval('epoch'),
        wasRunning = CASE WHEN \(active) THEN 1 ELSE 0 END,
        state = CASE WHEN \(active) THEN 'waiting' ELSE state END
        """

    /// Takes a removed download that was put back from its node, if this has been lost meanwhile.
    func releaseFromLostNode(_ download: Int64) throws {
        guard database.dialect.isShared else { return }
        try database.run(
            """
            UPDATE download SET node = NULL, epoch = nextval('epoch') WHERE id = ?
                AND node IS NOT NULL AND NOT EXISTS (SELECT 1 FROM node
                    WHERE node.id = download.node AND node.state IN ('alive', 'draining'))
            """,
            [download]
        )
    }

    // MARK: - Files of a node

    /// Whether the file of a download is on this node, or it has none.
    func isHere(_ download: Int64) throws -> Bool {
        guard let node = database.node else { return true }
        let home: String? =
            try database.value("SELECT home FROM download WHERE id = ?", [download])
        return home ?? "" == "" || home == node.name
    }

    /// Records which node carries out an operation: the home of the download, otherwise this one.
    func setHome(ofIntention id: Int64, of download: Int64) throws {
        guard let node = database.node else { return }
        try database.run(
            """
            UPDATE intention SET home =
                COALESCE((SELECT NULLIF(home, '') FROM download WHERE download.id = ?), ?)
            WHERE id = ?
            """,
            [download, node.name, id]
        )
    }

    /// Returns the names of nodes that are not there and for which downloads wait, with the number
    /// of these.
    package func absentHomes() throws -> [(name: String, count: Int)] {
        guard database.dialect.isShared else { return [] }
        return try database.rows(
            """
            SELECT home, count(*) FROM download
            WHERE state = 'waiting' AND home <> '' AND NOT EXISTS (SELECT 1 FROM node
                WHERE node.name = download.home AND node.state IN ('alive', 'draining'))
            GROUP BY home ORDER BY home
            """
        ) { row in (try row[0], try row[1]) }
    }

    /// The ids in the form of an array of PostgreSQL.
    static func list(_ ids: some Sequence<Int64>) -> String {
        "{\(ids.map(String.init).sorted().joined(separator: ","))}"
    }
}

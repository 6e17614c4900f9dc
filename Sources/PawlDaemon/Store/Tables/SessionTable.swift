package import FoundationEssentials
package import PawlCore
package import PawlWire

/// The background sessions, and which of their events are acknowledged.
package struct SessionTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// Returns a page of the sessions that were registered, or that a download names.
    package func list(_ query: PageQuery) throws -> WireSessions {
        // One more row shows whether there are more.
        let names: [String] = try database.values(
            """
            SELECT identifier FROM session WHERE identifier > ?1
            UNION SELECT session FROM download WHERE session > ?1 ORDER BY 1 LIMIT ?2
            """,
            [query.cursor ?? "", query.limit + 1]
        )
        let page = names.prefix(query.limit)
        return WireSessions(
            try page.map(find),
            next: page.count < names.count ? page.last : nil
        )
    }

    /// Returns who has registered a session; the user if only a download names it, `nil` if none
    /// does.
    package func owner(of identifier: String) throws -> DownloadOwner? {
        let text: String? = try database.value(
            """
            SELECT owner FROM session WHERE identifier = ?1
            UNION ALL SELECT CAST(?2 AS TEXT) WHERE EXISTS (SELECT 1 FROM download WHERE session = ?1)
            LIMIT 1
            """,
            [identifier, DownloadOwner.user.text]
        )
        return text.map(ColumnCoding.owner)
    }

    /// Returns a session, whether or not it was registered.
    package func find(_ identifier: String) throws -> WireSession {
        let counts = try DownloadRows(database).counts(in: .session, identifier)
        var session = WireSession(identifier: identifier, counts: counts)
        let row = try database.row("SELECT * FROM session WHERE identifier = ?", [identifier])
        guard let row else { return session }
        session.acknowledged = try row["acknowledged"]
        session.maximumConcurrentDownloads = try row["maximumConcurrentDownloads"]
        session.limitBytesPerSecond = try row["limitBytesPerSecond"]
        if try row["relaunchCommand"] as String? != nil { session.hasRelaunchCommand = true }
        return session
    }

    /// Keeps the session's events from now on until they are acknowledged.
    ///
    /// `owner`: the owner of a new session; a session that exists keeps its own.
    package func register(
        _ registration: SessionRegistration,
        by owner: DownloadOwner = .user,
        at now: Date
    ) throws {
        let identifier = registration.identifier
        try database.run(
            """
            INSERT INTO session (identifier, acknowledged, seenAt, owner) VALUES (?, ?, ?, ?)
            ON CONFLICT (identifier) DO UPDATE SET seenAt = excluded.seenAt
            """,
            [
                identifier, try EventTable(database).last(), now.timeIntervalSince1970, owner.text,
            ]
        )
        if let command = registration.relaunchCommand {
            try database.run(
                "UPDATE session SET relaunchCommand = ? WHERE identifier = ?",
                [command.isEmpty ? nil : try ColumnCoding.text(command), identifier]
            )
            if let node = database.node {
                try database.run(
                    "UPDATE session SET home = ? WHERE identifier = ?",
                    [node.name, identifier]
                )
            }
        }
        if let count = registration.maximumConcurrentDownloads {
            try database.run(
                "UPDATE session SET maximumConcurrentDownloads = ? WHERE identifier = ?",
                [count, identifier]
            )
        }
        if let limit = registration.limitBytesPerSecond {
            try database.run(
                "UPDATE session SET limitBytesPerSecond = ? WHERE identifier = ?",
                [limit > 0 ? limit : nil, identifier]
            )
        }
        if registration.maximumConcurrentDownloads != nil
            || registration.limitBytesPerSecond != nil
        {
            database.noteChange(of: .sessions)
        }
    }

    /// The limits that a session's downloads share; `nil` means no limit of the session.
    package struct Limits: Hashable, Sendable {
        package var concurrentDownloads: Int?
        package var bytesPerSecond: Int64?

        package init(concurrentDownloads: Int? = nil, bytesPerSecond: Int64? = nil) {
            self.concurrentDownloads = concurrentDownloads
            self.bytesPerSecond = bytesPerSecond
        }
    }

    /// Returns the limits of the sessions that have any.
    package func limits() throws -> [ExactText: Limits] {
        let limits = try database.rows(
            """
            SELECT identifier, maximumConcurrentDownloads, limitBytesPerSecond FROM session
            WHERE COALESCE(maximumConcurrentDownloads, limitBytesPerSecond) IS NOT NULL
            """
        ) { row in
            let identifier: String = try row[0]
            let limits = Limits(concurrentDownloads: try row[1], bytesPerSecond: try row[2])
            return (ExactText(identifier), limits)
        }
        return Dictionary(limits, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the newest acknowledged event; `nil` if the session was not registered.
    package func acknowledged(_ session: String) throws -> Int64? {
        try database.value("SELECT acknowledged FROM session WHERE identifier = ?", [session])
    }

    /// Records an acknowledgement, unless a newer event is acknowledged already, or the event does
    /// not exist yet.
    package func acknowledge(_ acknowledgement: Acknowledgement, at now: Date) throws {
        if acknowledgement.event <= (try EventTable(database).last()) {
            try database.run(
                """
                UPDATE session SET acknowledged = ?1, seenAt = ?2
                WHERE identifier = ?3 AND acknowledged < ?1
                """,
                [
                    acknowledgement.event, now.timeIntervalSince1970, acknowledgement.session,
                ]
            )
        }
        try ErrorResponseTable(database).acknowledge(
            upTo: acknowledgement.event,
            of: acknowledgement.session
        )
    }

    /// Deletes the session; its downloads and feeds stay, and belong to no session.
    package func forget(_ identifier: String) throws {
        try database.run("DELETE FROM session WHERE identifier = ?", [identifier])
        database.noteChange(of: .sessions)
        try database.run("UPDATE download SET session = NULL WHERE session = ?", [identifier])
        // Otherwise they would add to the session of another program that takes the name.
        try FeedTable(database).forget(session: identifier)
        try RemovedTable(database).forget(session: identifier)
        try ErrorResponseTable(database).forget(session: identifier)
    }

    /// The command of a session whose downloads have all ended.
    struct Relaunch: Hashable, Sendable {
        var session: String
        var command: [String]
        /// The newest end of a download, for which the command runs.
        var event: Int64
    }

    /// Returns the commands for ends that are not acknowledged and that no command was run for: those
    /// that a program of this node has registered, if several share the queue.
    func relaunches() throws -> [Relaunch] {
        let events = try EventTable(database).name()
        let node = database.node
        return try database.rows(
            """
            SELECT identifier, relaunchCommand, newest FROM (
                SELECT identifier, relaunchCommand, (
                    SELECT id FROM \(events) AS event WHERE event.session = identifier
                        AND event.id > CASE WHEN acknowledged > relaunchedAt
                            THEN acknowledged ELSE relaunchedAt END
                        AND kind IN ('finished', 'failed', 'cancelled')
                    ORDER BY id DESC LIMIT 1
                ) AS newest
                FROM session
                WHERE relaunchCommand IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM download
                    WHERE download.session = identifier AND endedAt IS NULL
                ) \(node == nil ? "" : "AND COALESCE(home, ?1) = ?1")
            ) AS ended
            WHERE newest IS NOT NULL
            """,
            node.map { [$0.name] } ?? []
        ).compactMap { row in
            guard let command: [String] = ColumnCoding.value(try row["relaunchCommand"]) else {
                return nil
            }
            return Relaunch(
                session: try row["identifier"],
                command: command,
                event: try row["newest"]
            )
        }
    }

    func setRelaunched(_ relaunch: Relaunch) throws {
        try database.run(
            "UPDATE session SET relaunchedAt = ? WHERE identifier = ?",
            [relaunch.event, relaunch.session]
        )
    }
}

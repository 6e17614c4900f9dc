package import FoundationEssentials
internal import GRDB
internal import PawlCore
package import PawlWire

/// Sessions, and up to where their events are acknowledged.
extension StoreTransaction {
    /// All that were asked for, or that a download names.
    package func sessions(_ query: PageQuery) throws -> WireSessions {
        // One more tells whether there are more.
        let names = try String.fetchAll(
            database,
            sql: """
                SELECT identifier FROM session WHERE identifier > ?1
                UNION SELECT session FROM download WHERE session > ?1 ORDER BY 1 LIMIT ?2
                """,
            arguments: [query.cursor ?? "", query.limit + 1]
        )
        let page = names.prefix(query.limit)
        return WireSessions(
            try page.map(session),
            next: page.count < names.count ? page.last : nil
        )
    }

    /// Who has registered it; the user where only a download names it, nil where nobody does.
    package func owner(ofSession identifier: String) throws -> DownloadOwner? {
        let text = try String.fetchOne(
            database,
            sql: """
                SELECT owner FROM session WHERE identifier = ?1
                UNION ALL SELECT ?2 WHERE EXISTS (SELECT 1 FROM download WHERE session = ?1)
                LIMIT 1
                """,
            arguments: [identifier, DownloadOwner.user.text]
        )
        return text.map { DownloadOwner($0) ?? .token($0) }
    }

    /// One, whether or not it is there.
    package func session(_ identifier: String) throws -> WireSession {
        var session = WireSession(identifier: identifier, counts: try counts(of: identifier))
        let row = try Row.fetchOne(
            database,
            sql: "SELECT * FROM session WHERE identifier = ?",
            arguments: [identifier]
        )
        session.acknowledged = row?["acknowledged"]
        session.maximumConcurrentDownloads = row?["maximumConcurrentDownloads"]
        session.limitBytesPerSecond = row?["limitBytesPerSecond"]
        if row?["relaunchCommand"] as String? != nil { session.hasRelaunchCommand = true }
        return session
    }

    /// From now on its events are kept until they are acknowledged; what was before counts as
    /// acknowledged.
    ///
    /// `owner`: of one that is new; that of another one stays.
    package func register(
        _ registration: SessionRegistration,
        by owner: DownloadOwner = .user,
        at now: Date
    ) throws {
        let identifier = registration.identifier
        try database.execute(
            sql: """
                INSERT INTO session (identifier, acknowledged, seenAt, owner) VALUES (?, ?, ?, ?)
                ON CONFLICT (identifier) DO UPDATE SET seenAt = excluded.seenAt
                """,
            arguments: [identifier, try lastEvent(), now.timeIntervalSince1970, owner.text]
        )
        if let command = registration.relaunchCommand {
            try database.execute(
                sql: "UPDATE session SET relaunchCommand = ? WHERE identifier = ?",
                arguments: [command.isEmpty ? nil : try Self.text(command), identifier]
            )
        }
        if let count = registration.maximumConcurrentDownloads {
            try database.execute(
                sql: "UPDATE session SET maximumConcurrentDownloads = ? WHERE identifier = ?",
                arguments: [count, identifier]
            )
        }
        if let limit = registration.limitBytesPerSecond {
            try database.execute(
                sql: "UPDATE session SET limitBytesPerSecond = ? WHERE identifier = ?",
                arguments: [limit > 0 ? limit : nil, identifier]
            )
        }
    }

    /// What a session's downloads together may do; nil is as the queue allows.
    package struct SessionLimits: Hashable, Sendable {
        package var concurrentDownloads: Int?
        package var bytesPerSecond: Int64?

        package init(concurrentDownloads: Int? = nil, bytesPerSecond: Int64? = nil) {
            self.concurrentDownloads = concurrentDownloads
            self.bytesPerSecond = bytesPerSecond
        }
    }

    /// Those of the sessions that say any.
    package func sessionLimits() throws -> [String: SessionLimits] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT identifier, maximumConcurrentDownloads, limitBytesPerSecond FROM session
                WHERE COALESCE(maximumConcurrentDownloads, limitBytesPerSecond) IS NOT NULL
                """
        )
        let limits = rows.map { row in
            (
                row[0] as String,
                SessionLimits(concurrentDownloads: row[1], bytesPerSecond: row[2])
            )
        }
        return Dictionary(limits, uniquingKeysWith: { first, _ in first })
    }

    /// Nil where nobody ever asked for that session.
    package func acknowledged(_ session: String) throws -> Int64? {
        try Int64.fetchOne(
            database,
            sql: "SELECT acknowledged FROM session WHERE identifier = ?",
            arguments: [session]
        )
    }

    /// An older one than before, or one that was never told, changes nothing.
    package func acknowledge(_ acknowledgement: Acknowledgement, at now: Date) throws {
        try database.execute(
            sql: """
                UPDATE session SET acknowledged = ?, seenAt = ?
                WHERE identifier = ? AND acknowledged < ? AND ? <= ?
                """,
            arguments: [
                acknowledgement.event, now.timeIntervalSince1970, acknowledgement.session,
                acknowledgement.event,
                acknowledgement.event, try lastEvent(),
            ]
        )
    }

    /// Its downloads stay, and belong to none.
    package func forgetSession(_ identifier: String) throws {
        try database.execute(
            sql: "DELETE FROM session WHERE identifier = ?",
            arguments: [identifier]
        )
        try database.execute(
            sql: "UPDATE download SET session = NULL WHERE session = ?",
            arguments: [identifier]
        )
    }

    /// A session all of whose downloads have ended, and what it wants to be run then.
    struct Relaunch: Hashable, Sendable {
        var session: String
        var command: [String]
        /// The newest end that it is run for.
        var event: Int64
    }

    /// Those whose ends nobody has acknowledged, and for which nothing was run yet.
    func relaunches() throws -> [Relaunch] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT identifier, relaunchCommand, (
                    SELECT id FROM event WHERE event.session = identifier
                        AND event.id > MAX(acknowledged, relaunchedAt)
                        AND kind IN ('finished', 'failed', 'cancelled')
                    ORDER BY id DESC LIMIT 1
                ) AS event
                FROM session
                WHERE relaunchCommand IS NOT NULL AND event IS NOT NULL AND NOT EXISTS (
                    SELECT 1 FROM download
                    WHERE download.session = identifier AND endedAt IS NULL
                )
                """
        ).compactMap { row in
            guard let command: [String] = Self.value(row["relaunchCommand"]) else { return nil }
            return Relaunch(session: row["identifier"], command: command, event: row["event"])
        }
    }

    func relaunched(_ relaunch: Relaunch) throws {
        try database.execute(
            sql: "UPDATE session SET relaunchedAt = ? WHERE identifier = ?",
            arguments: [relaunch.event, relaunch.session]
        )
    }
}

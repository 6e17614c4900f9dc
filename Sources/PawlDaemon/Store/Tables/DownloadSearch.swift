internal import FoundationEssentials
package import PawlCore
package import PawlWire

/// Pages of the list, and the downloads that a selection means.
package struct DownloadSearch {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// Returns a page of the list.
    package func list(_ query: ListQuery) throws -> WireDownloadPage {
        var (conditions, arguments) = (["TRUE"], [(any SQLEncodable)?]())
        if !query.states.isEmpty {
            let states = query.states.map(\.rawValue).sorted()
            conditions.append("state IN (\(states.map { _ in "?" }.joined(separator: ", ")))")
            arguments += states.map { $0 as (any SQLEncodable)? }
        }
        if let session = query.session {
            conditions.append("session = ?")
            arguments += [session]
        }
        if let label = query.label {
            conditions.append("label = ?")
            arguments += [label]
        }
        if query.isPending {
            guard let session = query.session else {
                throw DownloadError.usage("'pending' requires 'session'")
            }
            let events = try EventTable(database).name()
            // The list does not depend on the row, so SQLite evaluates it once.
            conditions.append(
                """
                (endedAt IS NULL OR id IN (
                    SELECT event.download FROM \(events) AS event WHERE event.session = ?
                        AND event.kind IN ('finished', 'failed', 'cancelled') AND event.id >
                            (SELECT acknowledged FROM session WHERE identifier = ?)
                ))
                """
            )
            arguments += [session, session]
        }
        if let after = query.after {
            conditions.append(query.newestFirst ? "id < ?" : "id > ?")
            arguments += [after]
        }
        if !query.targets.isEmpty {
            let (condition, values) = try condition(query.targets)
            conditions.append(condition)
            arguments += values
        }
        if let text = query.search {
            try Self.checkPattern(text)
            let search = database.dialect.contains(text, in: ["name", "url"])
            conditions.append(search.sql)
            arguments += search.values
        }
        let order = query.newestFirst ? "DESC" : "ASC"
        arguments += [query.limit + 1]
        let found = try database.rows(
            """
            SELECT * FROM download WHERE \(conditions.joined(separator: " AND "))
            ORDER BY id \(order) LIMIT ?
            """,
            arguments,
            isKept: false,
            as: DownloadRows.download
        )
        let page = Array(found.prefix(query.limit))
        return WireDownloadPage(
            downloads: page,
            next: found.count > query.limit ? page.last?.id : nil
        )
    }

    /// Returns the downloads that a selection means, by id.
    ///
    /// `states`: the states of the downloads that `all` means if the selection names none.
    ///
    /// - Throws: `.notFound` for a target that matches no download of the named states.
    package func select(_ selection: Selection, states: Set<TaskState>) throws -> [Selected] {
        let targets = selection.targets ?? []
        guard selection.states?.isEmpty != true else {
            throw DownloadError.usage("'states' is empty", advice: "leave it out for any state")
        }
        guard selection.all != true else {
            guard targets.isEmpty else {
                throw DownloadError.usage("'all' and 'targets' cannot be combined")
            }
            let rows = try rows(in: selection.states ?? states, of: selection)
            return rows.map { Selected(download: $0, isNamed: false) }
        }
        guard !targets.isEmpty else {
            throw DownloadError.usage(
                "no download is selected",
                advice: "give IDs, names or patterns, or all"
            )
        }
        var found: [Int64: Selected] = [:]
        for target in targets {
            let isPattern = NamePattern.isOne(target)
            let rows = try rows(target, of: selection)
                .filter { selection.states?.contains($0.state) ?? true }
            guard !rows.isEmpty else {
                throw DownloadError(
                    .notFound,
                    selection.unmatched(target),
                    advice: "see 'pawl list --all'"
                )
            }
            for row in rows {
                let isNamed = !isPattern || found[row.id]?.isNamed == true
                found[row.id] = Selected(download: row, isNamed: isNamed)
            }
        }
        return found.values.sorted { $0.download.id < $1.download.id }
    }

    package struct Selected {
        package var download: WireDownload
        /// Whether its id or its name was given, and not a pattern.
        package var isNamed: Bool
    }

    private func rows(
        in states: Set<TaskState>,
        of selection: Selection
    ) throws -> [WireDownload] {
        let states = states.map(\.rawValue).sorted()
        return try database.rows(
            """
            SELECT * FROM download
            WHERE state IN (\(states.map { _ in "?" }.joined(separator: ", ")))
                AND (CAST(? AS TEXT) IS NULL OR session = ?)
                AND (CAST(? AS TEXT) IS NULL OR label = ?)
            ORDER BY id\(database.rowLock)
            """,
            states.map { $0 as (any SQLEncodable)? } + [
                selection.session, selection.session, selection.label, selection.label,
            ],
            isKept: false,
            as: DownloadRows.download
        )
    }

    /// Finds by id if a download has this id, otherwise by name.
    private func rows(_ target: String, of selection: Selection) throws -> [WireDownload] {
        if let id = Int64(target), let row = try DownloadRows(database).find(id),
            selection.groupsContain(row)
        {
            return [row]
        }
        let (condition, arguments) = try condition([target])
        return try database.rows(
            "SELECT * FROM download WHERE \(condition) ORDER BY id\(database.rowLock)",
            arguments,
            isKept: false,
            as: DownloadRows.download
        ).filter(selection.groupsContain)
    }

    /// The maximum length of a pattern in bytes; escaped, it may be three times as long.
    ///
    /// SQLite compares with at most 50,000 bytes.
    private static let mostPatternBytes = 16 << 10

    private static func checkPattern(_ text: String) throws(DownloadError) {
        guard text.utf8.count > mostPatternBytes else { return }
        throw DownloadError(
            .usage,
            "the pattern has \(text.utf8.count) bytes, which is too long",
            advice: "give at most \(mostPatternBytes) bytes"
        )
    }

    private func condition(
        _ targets: [String]
    ) throws(DownloadError) -> (String, [(any SQLEncodable)?]) {
        var (parts, arguments) = ([String](), [(any SQLEncodable)?]())
        for target in targets {
            if let id = Int64(target) {
                // By name only if no download has this id.
                parts.append(
                    "id = ? OR name = ? AND NOT EXISTS (SELECT 1 FROM download WHERE id = ?)"
                )
                arguments += [id, target, id]
            } else if NamePattern.isOne(target) {
                try Self.checkPattern(target)
                let match = database.dialect.matches(target, in: "name")
                parts.append(match.sql)
                arguments += match.values
            } else {
                parts.append("name = ?")
                arguments += [target]
            }
        }
        return ("(" + parts.joined(separator: " OR ") + ")", arguments)
    }
}

extension Selection {
    /// Whether a download belongs to the session and to the label to which it is limited.
    fileprivate func groupsContain(_ row: WireDownload) -> Bool {
        (session.map { row.session?.isExactly($0) == true } ?? true)
            && (label.map { row.label?.isExactly($0) == true } ?? true)
    }
}

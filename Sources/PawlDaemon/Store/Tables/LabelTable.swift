package import PawlCore
package import PawlWire

/// The labels and their settings.
package struct LabelTable {
    private let database: any StoreConnection

    /// The maximum number of labels that have settings.
    package static let most = 1000

    init(_ database: any StoreConnection) { self.database = database }

    /// Returns a page of the labels that have settings, or that a download has.
    package func list(_ query: PageQuery) throws -> WireLabels {
        // One more row shows whether there are more.
        let names: [String] = try database.values(
            """
            SELECT name FROM label WHERE name > ?1
            UNION SELECT label FROM download WHERE label > ?1 ORDER BY 1 LIMIT ?2
            """,
            [query.cursor ?? "", query.limit + 1]
        )
        let page = names.prefix(query.limit)
        return WireLabels(try page.map(find), next: page.count < names.count ? page.last : nil)
    }

    /// Returns a label, whether or not it has settings.
    package func find(_ name: String) throws -> WireLabel {
        let counts = try DownloadRows(database).counts(in: .label, name)
        var label = WireLabel(name: name, counts: counts)
        guard let row = try database.row("SELECT * FROM label WHERE name = ?", [name]) else {
            return label
        }
        let settings = Self.settings(row, name)
        label.folder = settings.folder
        label.limitBytesPerSecond = settings.limitBytesPerSecond
        label.priority = settings.priority
        return label
    }

    /// Returns the settings of the labels that have any.
    package func settings() throws -> [ExactText: LabelSettings] {
        let labels = try database.rows("SELECT * FROM label").compactMap { row in
            (row.ifValid("name") as String?).map { name in
                (ExactText(name), Self.settings(row, name))
            }
        }
        return Dictionary(labels, uniquingKeysWith: { first, _ in first })
    }

    /// In a damaged store, any value may have the wrong type.
    private static func settings(_ row: StoreRow, _ name: String) -> LabelSettings {
        var settings = LabelSettings(name: name)
        settings.folder = row.ifValid("folder")
        settings.limitBytesPerSecond = row.ifValid("limitBytesPerSecond")
        let number: Int? = row.ifValid("priority")
        settings.priority = number.flatMap { DownloadPriority(rawValue: $0) }
            .map { WirePriority($0) }
        return settings
    }

    /// Gives settings to a label; those that are `nil` stay as they are.
    package func set(_ change: LabelSettings) throws {
        let others: Int? = try database.value(
            "SELECT COUNT(*) FROM label WHERE name <> ?",
            [change.name]
        )
        guard (others ?? 0) < Self.most else {
            throw DownloadError(
                .conflict,
                "there are already \(Self.most) labels with settings",
                advice: "remove one: pawl label remove"
            )
        }
        try database.run(
            "INSERT INTO label (name) VALUES (?) ON CONFLICT DO NOTHING",
            [change.name]
        )
        if let folder = change.folder {
            try database.run(
                "UPDATE label SET folder = ? WHERE name = ?",
                [folder.isEmpty ? nil : folder, change.name]
            )
        }
        if let limit = change.limitBytesPerSecond {
            try database.run(
                "UPDATE label SET limitBytesPerSecond = ? WHERE name = ?",
                [limit > 0 ? limit : nil, change.name]
            )
        }
        if let priority = change.priority {
            try database.run(
                "UPDATE label SET priority = ? WHERE name = ?",
                [priority.priority.rawValue, change.name]
            )
        }
        database.noteChange(of: .labels)
    }

    /// Removes the settings of a label; returns the id of its newest download, or `nil` if it has
    /// none.
    package func removeSettings(_ name: String) throws -> Int64? {
        try database.run("DELETE FROM label WHERE name = ?", [name])
        database.noteChange(of: .labels)
        return try database.value("SELECT MAX(id) FROM download WHERE label = ?", [name])
    }

    /// Takes a label from some of its downloads, the oldest first; returns them, which have no label
    /// any more.
    ///
    /// - Parameters:
    ///   - name: The label.
    ///   - last: The id of the newest download that loses it.
    ///   - limit: The maximum number of downloads.
    package func take(_ name: String, upTo last: Int64, limit: Int) throws -> [WireDownload] {
        let ids: [Int64] = try database.values(
            """
            SELECT id FROM download WHERE label = ? AND id <= ?
            ORDER BY id LIMIT ?\(database.rowLock)
            """,
            [name, last, limit]
        )
        for id in ids { try database.run("UPDATE download SET label = NULL WHERE id = ?", [id]) }
        return try ids.compactMap { try DownloadRows(database).find($0) }
    }
}

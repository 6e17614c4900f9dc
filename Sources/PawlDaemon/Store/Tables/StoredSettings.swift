internal import FoundationEssentials
internal import PawlCore
package import PawlWire

/// The settings of the daemon, and the notes that the store keeps about itself.
package struct StoredSettings {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    private static let settingsName = "settings"
    private static let healthName = "healthy-at"
    private static let rebuiltName = "rebuilt-from"
    private static let missedName = "missed-events"
    private static let commitsName = "commits"

    /// Returns the settings of the daemon; the defaults if another version stored them in a
    /// different form.
    ///
    /// Nodes that share a queue have the same settings, except for those of their machines.
    package func settings() throws -> DaemonSettings {
        var settings = try settings(Self.settingsName) ?? DaemonSettings()
        if let name = nameOfMachine, let own = try self.settings(name) {
            settings.takeSettingsOfMachine(from: own)
        }
        return settings
    }

    /// Returns the settings in a row; `nil` if there is no such row.
    private func settings(_ name: String) throws -> DaemonSettings? {
        let sql = "SELECT value FROM setting WHERE name = ?\(database.rowLock)"
        let text: String? = try database.value(sql, [name])
        guard let text else { return nil }
        // The queue works without them.
        return (try? WireJSON.decode(DaemonSettings.self, from: text.utf8)) ?? DaemonSettings()
    }

    /// The name of the row with the settings of the machine; `nil` if they are with the others.
    private var nameOfMachine: String? {
        database.node.map { "\(Self.settingsName)@\($0.name)" }
    }

    /// Returns the settings as they were stored, which may be damaged.
    func document() throws -> SettingsDocument<DaemonSettings> {
        let row = try database.row(
            "SELECT value FROM setting WHERE name = ?",
            [Self.settingsName]
        )
        // Without a row, no setting was changed.
        guard let row else { return SettingsDocument() }
        let text: String = row.ifValid("value") ?? ""
        return try WireJSON.decode(SettingsDocument<DaemonSettings>.self, from: text.utf8)
    }

    package func set(_ settings: DaemonSettings) throws {
        var settings = settings
        if let name = nameOfMachine {
            var own = DaemonSettings()
            own.takeSettingsOfMachine(from: settings)
            settings.takeSettingsOfMachine(from: DaemonSettings())
            try set(own, for: name)
        }
        try set(settings, for: Self.settingsName)
        database.noteChange(of: .settings)
    }

    private func set(_ settings: DaemonSettings, for name: String) throws {
        let json = try WireJSON.encode(SettingsDocument(settings))
        try set(String(decoding: json, as: UTF8.self), for: name)
    }

    /// Writes a new value each time, which shows whether writes reach the disk.
    func noteHealth(at now: Date) throws {
        try set("\(now.timeIntervalSince1970)", for: Self.healthName)
    }

    /// Counts the commit of this transaction.
    func countCommit() throws {
        try set("\(try commits() + 1)", for: Self.commitsName)
    }

    /// Returns the number of commits.
    func commits() throws -> Int64 {
        try value(Self.commitsName).flatMap { Int64($0) } ?? 0
    }

    /// Returns the newest event that was deleted; `nil` if all are kept.
    func newestMissedEvent() throws -> Int64? { try value(Self.missedName).flatMap { Int64($0) } }

    func setNewestMissedEvent(_ id: Int64) throws { try set("\(id)", for: Self.missedName) }

    /// Returns the number of the damaged database that was read last; 0 if none was read.
    func lastRebuilt() throws -> Int { try value(Self.rebuiltName).flatMap { Int($0) } ?? 0 }

    func setRebuilt(from number: Int) throws { try set("\(number)", for: Self.rebuiltName) }

    private func value(_ name: String) throws -> String? {
        try database.value("SELECT value FROM setting WHERE name = ?", [name])
    }

    private func set(_ value: String, for name: String) throws {
        try database.run(
            """
            INSERT INTO setting (name, value) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """,
            [name, value]
        )
    }
}

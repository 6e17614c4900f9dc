internal import FoundationEssentials
internal import GRDB
internal import PawlCore
package import PawlWire

/// What holds for the whole queue, and what is noted of single downloads beside their rows.
extension StoreTransaction {
    private static let settingsName = "settings"

    package func settings() throws -> DaemonSettings {
        guard let text = try setting(Self.settingsName) else { return DaemonSettings() }
        // Those of another version may have another form: the queue goes on without.
        return (try? WireJSON.decode(DaemonSettings.self, from: text.utf8)) ?? DaemonSettings()
    }

    package func setSettings(_ settings: DaemonSettings) throws {
        let json = try WireJSON.encode(SettingsDocument(settings))
        try set(String(decoding: json, as: UTF8.self), for: Self.settingsName)
    }

    func setting(_ name: String) throws -> String? {
        try String.fetchOne(
            database,
            sql: "SELECT value FROM setting WHERE name = ?",
            arguments: [name]
        )
    }

    func set(_ value: String, for name: String) throws {
        try database.execute(
            sql: """
                INSERT INTO setting (name, value) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """,
            arguments: [name, value]
        )
    }

    /// A write that changes something each time, so that it shows whether writes go to the disk.
    func noteHealth(at now: Date) throws {
        try set("\(now.timeIntervalSince1970)", for: "healthy-at")
    }

    // MARK: - Of one download

    /// Its own limit; nil is none.
    package func setLimit(_ bytesPerSecond: Int64?, of id: Int64) throws {
        try database.cachedStatement(
            sql: "UPDATE download SET limitBytesPerSecond = ? WHERE id = ?"
        ).execute(arguments: [bytesPerSecond, id])
    }

    package func setDestination(_ path: String, of id: Int64) throws {
        try database.cachedStatement(sql: "UPDATE download SET destination = ? WHERE id = ?")
            .execute(arguments: [path, id])
    }

    /// What its file is to be called from its next run on; nil where that is decided.
    package func newName(of id: Int64) throws -> String? {
        let statement = try database.cachedStatement(
            sql: "SELECT name FROM renaming WHERE download = ?"
        )
        return try String.fetchOne(statement, arguments: [id])
    }

    /// The downloads whose file is to be called otherwise.
    package func newNames() throws -> Set<Int64> {
        try Int64.fetchSet(database, sql: "SELECT download FROM renaming")
    }

    package func setNewName(_ name: String?, of id: Int64) throws {
        try database.cachedStatement(sql: "DELETE FROM renaming WHERE download = ?")
            .execute(arguments: [id])
        guard let name else { return }
        try database.cachedStatement(sql: "INSERT INTO renaming (download, name) VALUES (?, ?)")
            .execute(arguments: [id, name])
    }

    /// It has failed, and waits so long; `outages`: how many of its failures in a row may be the network's.
    package func setRetry(_ wait: Duration, outages: Int, of id: Int64) throws {
        try database.cachedStatement(
            sql: "UPDATE download SET retryWait = ?, outages = ? WHERE id = ?"
        ).execute(arguments: [wait.seconds, outages, id])
    }

    package func outages(of id: Int64) throws -> Int {
        let statement = try database.cachedStatement(
            sql: "SELECT CASE WHEN failures > 0 THEN outages ELSE 0 END FROM download WHERE id = ?"
        )
        return try Int.fetchOne(statement, arguments: [id]) ?? 0
    }

    /// How long one that failed was to wait; nil where an earlier version wrote it.
    package func retryWait(of id: Int64) throws -> Duration? {
        let statement = try database.cachedStatement(
            sql: "SELECT retryWait FROM download WHERE id = ?"
        )
        return try Double.fetchOne(statement, arguments: [id]).map { .seconds($0) }
    }

    /// Where downloads that have not ended lie, or are to go.
    package func destinations() throws -> Set<String> {
        try String.fetchSet(
            database,
            sql: "SELECT DISTINCT COALESCE(path, destination) FROM download WHERE endedAt IS NULL"
        )
    }

    // MARK: - After damage

    private static let rebuiltName = "rebuilt-from"

    /// Whether nothing was ever added since that one was set aside, and it was not looked at.
    func isToRebuild(from number: Int) throws -> Bool {
        guard try lastDownload() == 0 else { return false }
        return try (setting(Self.rebuiltName).flatMap { Int($0) } ?? 0) < number
    }

    func setRebuilt(from number: Int) throws { try set("\(number)", for: Self.rebuiltName) }

    /// The newest id ever given; 0 where there was none.
    private func lastDownload() throws -> Int64 {
        try Int64.fetchOne(
            database,
            sql: "SELECT seq FROM sqlite_sequence WHERE name = 'download'"
        ) ?? 0
    }

    /// The next download to be added gets that id, which is higher than all before.
    func continueIDs(with id: Int64) throws {
        guard id > (try lastDownload()) else { return }
        try database.execute(
            sql: """
                DELETE FROM sqlite_sequence WHERE name = 'download';
                INSERT INTO sqlite_sequence (name, seq) VALUES ('download', ?)
                """,
            arguments: [id - 1]
        )
    }
}

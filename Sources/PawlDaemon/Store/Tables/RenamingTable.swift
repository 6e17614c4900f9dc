internal import GRDB

/// The new names that downloads get with their next run.
package struct RenamingTable {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Returns the name that the file gets; `nil` if no renaming is pending.
    package func newName(of id: Int64) throws -> String? {
        let statement = try database.cachedStatement(
            sql: "SELECT name FROM renaming WHERE download = ?"
        )
        return try String.fetchOne(statement, arguments: [id])
    }

    /// Returns the downloads whose renaming is pending.
    package func downloads() throws -> Set<Int64> {
        try Int64.fetchSet(database, sql: "SELECT download FROM renaming")
    }

    package func set(_ name: String?, of id: Int64) throws {
        try database.cachedStatement(sql: "DELETE FROM renaming WHERE download = ?")
            .execute(arguments: [id])
        guard let name else { return }
        try database.cachedStatement(sql: "INSERT INTO renaming (download, name) VALUES (?, ?)")
            .execute(arguments: [id, name])
    }
}

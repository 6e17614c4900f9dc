/// The new names that downloads get with their next run.
package struct RenamingTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// Returns the name that the file gets; `nil` if no renaming is pending.
    package func newName(of id: Int64) throws -> String? {
        try database.value("SELECT name FROM renaming WHERE download = ?", [id])
    }

    /// Returns the downloads whose renaming is pending.
    package func downloads() throws -> Set<Int64> {
        try Set(database.values("SELECT download FROM renaming"))
    }

    package func set(_ name: String?, of id: Int64) throws {
        try database.run("DELETE FROM renaming WHERE download = ?", [id])
        guard let name else { return }
        try database.run("INSERT INTO renaming (download, name) VALUES (?, ?)", [id, name])
    }
}

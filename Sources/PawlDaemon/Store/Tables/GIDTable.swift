/// The GIDs that clients of aria2 have chosen for their downloads.
///
/// They are a column of the downloads, so they are kept as long as these, even after a removal that
/// can be undone.
package struct GIDTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// Returns all chosen GIDs by the ids of their downloads.
    package func all() throws -> [Int64: String] {
        var gids: [Int64: String] = [:]
        for row in try database.rows("SELECT id, gid FROM download WHERE gid IS NOT NULL") {
            // In a damaged store, any value may have the wrong type.
            guard let id: Int64 = row.ifValid("id"),
                let gid: String = row.ifValid("gid")
            else { continue }
            gids[id] = gid
        }
        return gids
    }

    /// Returns the download for which a GID was chosen; `nil` if there is none.
    package func download(of gid: String) throws -> Int64? {
        try database.value("SELECT id FROM download WHERE gid = ?", [gid])
    }

    package func set(_ gid: String, of id: Int64) throws {
        try database.run("UPDATE download SET gid = ? WHERE id = ?", [gid, id])
        database.noteChange(of: .gids)
    }
}

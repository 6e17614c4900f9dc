internal import FoundationEssentials

/// The requests of the downloads, as JSON with their secrets.
package struct RequestTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// Returns the request of a download; `nil` if it was forgotten.
    package func request(of id: Int64) throws -> [UInt8]? {
        try database.value("SELECT body FROM request WHERE download = ?", [id])
    }

    package func set(_ body: [UInt8], of id: Int64) throws {
        try database.run(
            """
            INSERT INTO request (download, body) VALUES (?, ?)
            ON CONFLICT (download) DO UPDATE SET body = excluded.body
            """,
            [id, body]
        )
    }

    /// Removes the request with all of its secrets.
    package func forget(_ id: Int64) throws {
        try database.run(
            "UPDATE download SET confinedTo = \(Self.confiningFolder) WHERE id = ?",
            [id]
        )
        try database.run("DELETE FROM request WHERE download = ?", [id])
    }

    /// Returns the folder that no file of the download may leave; `nil` if it is not confined.
    package func confiningFolder(of id: Int64) throws -> String? {
        try database.value(
            """
            SELECT COALESCE(confinedTo, \(Self.confiningFolder)) FROM download WHERE id = ?
            """,
            [id]
        )
    }

    /// The expression for the folder of a request; it is NULL if the request is not JSON.
    static let confiningFolder = """
        (SELECT CASE WHEN json_valid(CAST(body AS TEXT)) THEN CAST(body AS TEXT) ->> '$.confinedTo' END
            FROM request WHERE request.download = download.id)
        """
}

internal import FoundationEssentials
internal import GRDB
package import PawlCore
package import PawlWire

/// The responses with which servers have refused the downloads of background sessions.
///
/// Each is kept until its session has acknowledged the failure, the download ends again, or the
/// download is removed.
package struct ErrorResponseTable {
    /// The maximum number of responses; the oldest are deleted.
    package static let mostKept = 1000

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Returns the response of a failed download; `nil` if none is kept.
    package func find(_ download: Int64) throws -> WireErrorResponse? {
        let row = try database.row(
            "SELECT response, body, isWhole FROM errorResponse WHERE download = ?",
            [download]
        )
        guard let row, let response: WireResponse = ColumnCoding.value(row["response"]) else {
            return nil
        }
        return WireErrorResponse(response, body: row["body"], isWhole: row["isWhole"])
    }

    /// Keeps the response of a download that has failed, if it belongs to a session.
    ///
    /// The newest event must be that of the failure.
    package func keep(_ refusal: ErrorResponse?, of download: WireDownload) throws {
        try forget(download.id)
        guard let refusal, let session = download.session else { return }
        let response = WireErrorResponse(refusal)
        try database.run(
            """
            INSERT INTO errorResponse (event, session, download, response, body, isWhole)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                try EventTable(database).last(), session, download.id,
                ColumnCoding.text(response.response), response.body, response.isWhole,
            ]
        )
        try database.run(
            """
            DELETE FROM errorResponse WHERE event <=
                (SELECT event FROM errorResponse ORDER BY event DESC LIMIT 1 OFFSET ?)
            """,
            [Self.mostKept]
        )
    }

    func forget(_ download: Int64) throws {
        try database.run("DELETE FROM errorResponse WHERE download = ?", [download])
    }

    /// Deletes the responses of the failures that a session has acknowledged.
    func acknowledge(upTo event: Int64, of session: String) throws {
        try database.run(
            "DELETE FROM errorResponse WHERE session = ? AND event <= ?",
            [session, event]
        )
    }

    func forget(session: String) throws {
        try database.run("DELETE FROM errorResponse WHERE session = ?", [session])
    }
}

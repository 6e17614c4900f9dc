internal import FoundationEssentials
package import PawlCore
package import PawlWire

/// The responses with which servers have refused the downloads of background sessions.
///
/// Each is kept until its session has acknowledged the failure, the download ends again, or the
/// download is removed.
package struct ErrorResponseTable {
    /// The maximum number of responses; the oldest are deleted.
    package static let mostKept = 1000

    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// Returns the response of a failed download; `nil` if none is kept.
    package func find(_ download: Int64) throws -> WireErrorResponse? {
        try EventTable(database).flush()
        let row = try database.row(
            "SELECT response, body, isWhole FROM errorResponse WHERE download = ?",
            [download]
        )
        guard let row, let response: WireResponse = ColumnCoding.value(try row["response"]) else {
            return nil
        }
        let body: [UInt8] = try row["body"]
        return WireErrorResponse(response, body: Data(body), isWhole: try row["isWhole"])
    }

    /// Keeps the response of a download that has failed, if it belongs to a session.
    ///
    /// `event`: the failure.
    package func keep(
        _ refusal: ErrorResponse?,
        of download: WireDownload,
        at event: PendingEvents.Index
    ) throws {
        try forget(download.id)
        guard let refusal, let session = download.session else { return }
        let response = WireErrorResponse(refusal)
        let entry = Entry(session: session, download: download.id, response: response)
        if let id = database.pendingEvents.id(of: event) {
            try insert(entry, at: id)
        } else {
            database.pendingEvents.attach(entry, to: event)
        }
    }

    /// A response that is kept with the event of its failure.
    struct Entry {
        var session: String
        var download: Int64
        var response: WireErrorResponse
    }

    /// Writes a response, unless its download was removed after the failure.
    func insert(_ entry: Entry, at event: Int64) throws {
        let sql = "SELECT 1 FROM download WHERE id = ?"
        guard try database.row(sql, [entry.download]) != nil else { return }
        try database.run(
            """
            INSERT INTO errorResponse (event, session, download, response, body, isWhole)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                event, entry.session, entry.download,
                ColumnCoding.text(entry.response.response), Array(entry.response.body),
                entry.response.isWhole,
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
        database.pendingEvents.removeResponses { $0.download == download }
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
        database.pendingEvents.removeResponses { $0.session.isExactly(session) }
        try database.run("DELETE FROM errorResponse WHERE session = ?", [session])
    }
}

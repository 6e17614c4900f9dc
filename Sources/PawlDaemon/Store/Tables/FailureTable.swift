package import PawlCore
internal import PawlWire

/// The downloads that have failed.
package struct FailureTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// Why a download has failed.
    package struct Failure: Sendable, Hashable {
        package var download: Int64
        package var kind: ErrorCode
        /// The host of its URL in lower case; empty if it has none.
        package var host: String
        package var title: String

        package init(download: Int64, kind: ErrorCode, host: String, title: String) {
            (self.download, self.kind) = (download, kind)
            (self.host, self.title) = (host, title)
        }
    }

    /// Returns a page of the failures, by the IDs of the downloads.
    ///
    /// There may be more failures than fit in memory.
    package func page(after id: Int64, limit: Int) throws -> [Failure] {
        try database.rows(
            """
            SELECT id, url, problem FROM download WHERE state = 'failed' AND id > ?
            ORDER BY id LIMIT ?
            """,
            [id, limit]
        ) { row in
            let url: String = try row["url"]
            let problem: Problem? = ColumnCoding.value(row.ifValid("problem"))
            return Failure(
                download: try row["id"],
                kind: problem?.code ?? .unknown,
                host: AddressParts(url).host?.lowercased() ?? "",
                title: problem?.title ?? ""
            )
        }
    }
}

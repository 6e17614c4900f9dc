package import struct FoundationEssentials.Date
package import PawlCore

/// One open transaction of the store; its calls block.
///
/// The tables know the store through this protocol alone, so that their rules exist only once. Their
/// statements are valid in each database; what must differ is in `dialect`:
///
/// - A parameter is `?`, or `?1` if it occurs more than once. Where the statement does not show its
///   type, there is a `CAST`.
/// - Names have no quotes, so a database may convert them to lower case.
/// - Columns have the types of `SQLValue`: integers and truth values (0 and 1) are 64-bit integers
///   (`bigint`), times and other numbers are `double precision`, texts are compared by their bytes
///   (`COLLATE "C"`).
/// - Where a statement orders its rows, no column of the order is NULL.
package protocol StoreConnection: AnyObject {
    var dialect: any SQLDialect { get }
    /// Whether the transaction may change something.
    var isWriting: Bool { get }
    /// The time of the database at the start of the transaction.
    var now: Date { get }
    /// The node of this daemon; `nil` if it has the queue for itself.
    var node: StoreNode? { get }
    /// The events of the transaction that have no numbers yet.
    var pendingEvents: PendingEvents { get }

    /// Records that the transaction changes what other daemons keep in memory; does nothing if the
    /// database belongs to one daemon.
    func noteChange(of topic: ChangeTopic)

    /// Returns the error of a statement in the words of the queue.
    func explained(_ error: any Error, _ context: String) -> DownloadError

    /// Runs a statement without a result.
    ///
    /// `isKept`: whether the compiled statement is kept for the next time; `false` for a text that
    /// varies.
    func execute(_ sql: String, _ values: [SQLValue], isKept: Bool) throws

    /// Adds rows to a table.
    ///
    /// - Parameters:
    ///   - columns: The names of the columns, separated by commas.
    ///   - rows: The values of these columns, row by row.
    func fill(_ table: String, _ columns: String, _ rows: [[SQLValue]]) throws

    /// Runs a query or a statement with RETURNING, and calls a closure for each row of the result.
    ///
    /// `isKept`: as for `execute`. The closure must not run the same query.
    func forEach(
        _ sql: String,
        _ values: [SQLValue],
        isKept: Bool,
        _ body: (StoreRow) throws -> Void
    ) throws
}

extension StoreConnection {
    package func noteChange(of topic: ChangeTopic) {}
}

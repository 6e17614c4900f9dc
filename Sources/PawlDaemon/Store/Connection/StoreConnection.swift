package import struct FoundationEssentials.Date
package import PawlCore

/// One open transaction of the store; its calls block.
///
/// The tables know the store through this protocol alone, so that their rules exist only once.
package protocol StoreConnection: AnyObject {
    /// The time of the database at the start of the transaction.
    var now: Date { get }
    /// The events of the transaction that have no numbers yet.
    var pendingEvents: PendingEvents { get }

    /// Returns the error of a statement in the words of the queue.
    func explained(_ error: any Error, _ context: String) -> DownloadError

    /// Runs a statement without a result.
    ///
    /// `isKept`: whether the compiled statement is kept for the next time; `false` for a text that
    /// varies.
    func execute(_ sql: String, _ values: [SQLValue], isKept: Bool) throws

    /// Runs an INSERT of one row into a table that numbers its rows, and returns the row's id.
    func insertRow(_ sql: String, _ values: [SQLValue]) throws -> Int64

    /// Runs a query, and calls a closure for each row of the result.
    ///
    /// `isKept`: as for `execute`. The closure must not run the same query.
    func forEach(
        _ sql: String,
        _ values: [SQLValue],
        isKept: Bool,
        _ body: (StoreRow) throws -> Void
    ) throws
}

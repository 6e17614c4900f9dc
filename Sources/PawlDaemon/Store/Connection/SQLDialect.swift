/// What differs between the databases in the statements of the tables.
package protocol SQLDialect: Sendable {
    /// What a query of a single table ends with, so that no other transaction can change the rows
    /// that it returns before the end of this one; it begins with a space, or is empty.
    var rowLock: String { get }

    /// Whether several daemons may share the database: then it has the table of nodes, and downloads
    /// have the columns of `DownloadRows.fleetColumns`.
    var isShared: Bool { get }

    /// The query for the highest id that was ever given to a download; it may return no row.
    var lastDownload: String { get }

    /// The query for new ids of downloads, in ascending order; its parameter is their number.
    ///
    /// The ids count as given.
    var newDownloads: String { get }

    /// The condition that a column matches a pattern of `NamePattern`, with regard to case.
    func matches(_ pattern: String, in column: String) -> SQLCondition

    /// The condition that one of some columns contains a text, without regard to case.
    func contains(_ text: String, in columns: [String]) -> SQLCondition
}

/// A condition of a statement with its parameters.
package struct SQLCondition: Sendable, Hashable {
    /// An expression that can be combined with others by `AND` and `OR`.
    package var sql: String
    package var values: [SQLValue]

    package init(_ sql: String, _ values: [SQLValue]) { (self.sql, self.values) = (sql, values) }
}

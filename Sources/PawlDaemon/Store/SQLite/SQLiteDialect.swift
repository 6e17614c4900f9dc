internal import PawlCore

/// What only SQLite understands.
struct SQLiteDialect: SQLDialect {
    /// There is only one transaction at a time that writes.
    var rowLock: String { "" }

    var isShared: Bool { false }

    var lastDownload: String { "SELECT seq FROM sqlite_sequence WHERE name = 'download'" }

    func matches(_ pattern: String, in column: String) -> SQLCondition {
        // GLOB also knows sets of characters.
        SQLCondition("\(column) GLOB ?", [.text(pattern.replacingASCII("[", with: "[[]"))])
    }

    func contains(_ text: String, in columns: [String]) -> SQLCondition {
        TextSearch(text, in: columns).condition
    }
}

internal import PawlCore

/// What only SQLite understands.
struct SQLiteDialect: SQLDialect {
    /// There is only one transaction at a time that writes.
    var rowLock: String { "" }

    var isShared: Bool { false }

    var lastDownload: String { "SELECT seq FROM sqlite_sequence WHERE name = 'download'" }

    /// The ids count as given when their rows are added, and nothing else writes until then.
    var newDownloads: String {
        """
        WITH RECURSIVE given (id) AS (
            SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'download'), 0) + 1
            UNION ALL SELECT id + 1 FROM given LIMIT ?)
        SELECT id FROM given
        """
    }

    func matches(_ pattern: String, in column: String) -> SQLCondition {
        // GLOB also knows sets of characters.
        SQLCondition("\(column) GLOB ?", [.text(pattern.replacingASCII("[", with: "[[]"))])
    }

    func contains(_ text: String, in columns: [String]) -> SQLCondition {
        TextSearch(text, in: columns).condition
    }
}

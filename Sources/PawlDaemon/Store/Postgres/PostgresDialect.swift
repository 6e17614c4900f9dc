/// What only PostgreSQL understands.
package struct PostgresDialect: SQLDialect {
    /// The collation in which letters have small forms.
    private let foldingCollation: String

    /// `hasICU`: whether the server was built with ICU; otherwise, the locale of the database
    /// determines which letters have small forms.
    package init(hasICU: Bool = true) {
        foldingCollation = hasICU ? "und-x-icu" : "default"
    }

    package var rowLock: String { " FOR UPDATE" }

    package var isShared: Bool { true }

    package var lastDownload: String {
        "SELECT last_value FROM download_id_seq WHERE is_called"
    }

    package var newDownloads: String {
        "SELECT newDownloads(CAST(? AS bigint))"
    }

    package func matches(_ pattern: String, in column: String) -> SQLCondition {
        // In a regular expression, a dot also matches the end of a line.
        var expression = "^"
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case "*": expression += ".*"
            case "?": expression += "."
            case "a"..."z", "A"..."Z", "0"..."9", "_": expression.unicodeScalars.append(scalar)
            case _ where scalar.isASCII:
                expression += "\\"
                expression.unicodeScalars.append(scalar)
            default: expression.unicodeScalars.append(scalar)
            }
        }
        return SQLCondition("\(column) ~ ?", [.text(expression + "$")])
    }

    package func contains(_ text: String, in columns: [String]) -> SQLCondition {
        let folded = text.lowercased()
        let isPlain = folded.utf8.allSatisfy { $0 < 0x80 }
        let conditions = columns.map { column in
            // Under "C", ILIKE ignores the case of ASCII letters alone.
            guard !isPlain else { return "\(column) ILIKE ? ESCAPE '\\'" }
            // Unlike Swift, ICU has another small letter for a sigma at the end of a word.
            let lower = "lower(\(column) COLLATE \"\(foldingCollation)\")"
            return "strpos(replace(\(lower), 'ς', 'σ'), ?) > 0"
        }
        let value = isPlain ? Self.likePattern(folded) : folded.replacing("ς", with: "σ")
        return SQLCondition(
            "(\(conditions.joined(separator: " OR ")))",
            columns.map { _ in .text(value) }
        )
    }

    private static func likePattern(_ text: String) -> String {
        var pattern = "%"
        for scalar in text.unicodeScalars {
            if scalar == "%" || scalar == "_" || scalar == "\\" { pattern += "\\" }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern + "%"
    }
}

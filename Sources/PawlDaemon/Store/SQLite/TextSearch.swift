/// Searches columns for a text, without regard to case.
///
/// SQLite's `LIKE` ignores the case of ASCII letters alone, and is fast. For a text with other
/// letters it only selects candidates, which are then folded and compared.
struct TextSearch {
    private let text: String
    private let columns: [String]

    init(_ text: String, in columns: [String]) {
        (self.text, self.columns) = (text.lowercased(), columns)
    }

    var condition: SQLCondition {
        let candidates = columns.map { "\($0) LIKE ? ESCAPE '\\'" }
        let matches = "(\(candidates.joined(separator: " OR ")))"
        let patterns = columns.map { _ in SQLValue.text(pattern) }
        guard !isPlain else { return SQLCondition(matches, patterns) }
        let others = columns.map { column in
            // The lengths in characters and in bytes differ.
            let hasOthers = "length(\(column)) <> length(CAST(\(column) AS BLOB))"
            return "\(hasOthers) AND \(Self.functionName)(\(column), ?)"
        }
        return SQLCondition(
            "(\(matches) AND (\(others.joined(separator: " OR "))))",
            patterns + columns.map { _ in .text(text) }
        )
    }

    private var isPlain: Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    /// The pattern for `LIKE`, with `%` in place of what only folding can compare.
    private var pattern: String {
        var pattern = "%"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%", "_", "\\": pattern += "\\\(scalar)"
            case _ where scalar.isASCII: pattern.unicodeScalars.append(scalar)
            case _ where pattern.hasSuffix("%") && !pattern.hasSuffix("\\%"): break
            default: pattern += "%"
            }
        }
        return pattern + "%"
    }

    /// The name of the SQL function that folds and compares.
    static let functionName = "holdsFolded"
}

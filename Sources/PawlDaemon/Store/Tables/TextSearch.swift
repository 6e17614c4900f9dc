/// Searches names and URLs for a text, without regard to case.
///
/// SQLite's `LIKE` ignores the case of ASCII letters alone, and is fast. For a text with other
/// letters it only selects candidates, which are then folded and compared.
struct TextSearch {
    private let text: String

    init(_ text: String) { self.text = text.lowercased() }

    var condition: String {
        let matches = "(name LIKE ? ESCAPE '\\' OR url LIKE ? ESCAPE '\\')"
        guard !isPlain else { return matches }
        let others = ["name", "url"].map { column in
            // The lengths in characters and in bytes differ.
            let hasOthers = "length(\(column)) <> length(CAST(\(column) AS BLOB))"
            return "\(hasOthers) AND \(Self.functionName)(\(column), ?)"
        }
        return "\(matches) AND (\(others.joined(separator: " OR ")))"
    }

    var arguments: [String] {
        isPlain ? [pattern, pattern] : [pattern, pattern, text, text]
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

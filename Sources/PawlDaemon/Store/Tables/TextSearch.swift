internal import GRDB

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
            return "\(hasOthers) AND \(Self.name)(\(column), ?)"
        }
        return "\(matches) AND (\(others.joined(separator: " OR ")))"
    }

    var arguments: StatementArguments {
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

    // MARK: - The SQL function

    private static let name = "holdsFolded"

    static let function = DatabaseFunction(name, argumentCount: 2, pure: true) { values in
        guard let text = String.fromDatabaseValue(values[0]),
            let sought = String.fromDatabaseValue(values[1])
        else { return false }
        return holds(text, sought)
    }

    /// Compares bytes: after folding, a letter has the same bytes in both texts.
    private static func holds(_ text: String, _ folded: String) -> Bool {
        let (bytes, sought) = (Array(text.lowercased().utf8), Array(folded.utf8))
        guard let first = sought.first, bytes.count >= sought.count else { return false }
        return (0...bytes.count - sought.count).contains { start in
            bytes[start] == first && bytes[start..<start + sought.count].elementsEqual(sought)
        }
    }
}

internal import GRDB

/// Looks for a text within names and URLs, whatever the capitals of either.
///
/// SQLite's `LIKE` does that for the letters of ASCII, and fast. Of others it leaves out what cannot fit, as
/// does a look at whether there are any; what may is folded and compared.
struct TextSearch {
    private let text: String

    init(_ text: String) { self.text = text.lowercased() }

    var condition: String {
        let fits = "(name LIKE ? ESCAPE '\\' OR url LIKE ? ESCAPE '\\')"
        guard !isPlain else { return fits }
        let holds = ["name", "url"].map { column in
            // In characters, and in bytes.
            let hasOthers = "length(\(column)) <> length(CAST(\(column) AS BLOB))"
            return "\(hasOthers) AND \(Self.name)(\(column), ?)"
        }
        return "\(fits) AND (\(holds.joined(separator: " OR ")))"
    }

    var arguments: StatementArguments {
        isPlain ? [pattern, pattern] : [pattern, pattern, text, text]
    }

    private var isPlain: Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    /// With anything in place of what only folding can compare.
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

    // MARK: - As a function of SQL

    private static let name = "holdsFolded"

    static let function = DatabaseFunction(name, argumentCount: 2, pure: true) { values in
        guard let text = String.fromDatabaseValue(values[0]),
            let sought = String.fromDatabaseValue(values[1])
        else { return false }
        return holds(text, sought)
    }

    /// By bytes, as each letter has the same ones in both when it is folded.
    private static func holds(_ text: String, _ folded: String) -> Bool {
        let (bytes, sought) = (Array(text.lowercased().utf8), Array(folded.utf8))
        guard let first = sought.first, bytes.count >= sought.count else { return false }
        return (0...bytes.count - sought.count).contains { start in
            bytes[start] == first && bytes[start..<start + sought.count].elementsEqual(sought)
        }
    }
}

internal import GRDB

extension TextSearch {
    /// The SQL function that compares what `LIKE` cannot compare.
    static let function = DatabaseFunction(functionName, argumentCount: 2, pure: true) { values in
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

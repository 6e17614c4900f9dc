internal import PawlCore

extension String {
    /// The text of a table: one name and value per line; a row without a value is left out.
    static func table(_ rows: [(name: String, value: String?)]) -> String {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { name, value in
            value.map { "\(name.padded(toColumns: width))  \($0.sanitized)\n" } ?? ""
        }.joined()
    }
}

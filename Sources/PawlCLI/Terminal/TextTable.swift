internal import PawlCore

extension String {
    /// The text of a table: one name and value per line; a row without a value is left out.
    static func table(_ rows: [(name: String, value: String?)]) -> String {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { name, value in
            value.map { "\(name.padded(toColumns: width))  \($0.sanitized)\n" } ?? ""
        }.joined()
    }

    /// The text of a table with several columns, which all rows have.
    ///
    /// `width`: the width of the terminal, to which lines are shortened; `nil` shortens nothing.
    static func columns(_ rows: [[String]], width: Int? = nil) -> String {
        let widths = (rows.first ?? []).indices.map { index in
            rows.map { DisplayWidth.of($0[index]) }.max() ?? 0
        }
        return rows.map { cells in
            let line = zip(cells, widths).map { $0.padded(toColumns: $1) }
                .joined(separator: "  ").trimmed
            return (width.map { line.shortened(toColumns: $0) } ?? line) + "\n"
        }.joined()
    }
}

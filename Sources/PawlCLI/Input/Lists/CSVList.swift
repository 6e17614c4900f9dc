internal import PawlCore

/// A list of comma-separated values (RFC 4180).
///
/// The first row names the columns: `url`, `name` for the file's name, and the keys of other lists.
/// Without such a row, the columns are the URL and the name.
enum CSVList {
    static func entries(of text: String, _ file: String) throws(DownloadError) -> [InputList.Entry]
    {
        var rows = try rows(of: text, file)[...]
        var columns = ["url", InputList.nameKey]
        if let first = rows.first, first.cells.contains(where: { $0.lowercased() == "url" }) {
            columns = first.cells.map { $0.lowercased() }
            rows = rows.dropFirst()
        }
        var entries: [InputList.Entry] = []
        for row in rows {
            guard row.cells.count <= columns.count else {
                throw .usage(
                    "\(row.location): there are \(row.cells.count) values for "
                        + "\(columns.count) columns",
                    advice: "put values that contain a comma in double quotes"
                )
            }
            let values = zip(columns, row.cells).filter { !$1.isEmpty }
            guard let url = values.first(where: { $0.0 == "url" })?.1 else {
                throw .usage("\(row.location): there is no URL", advice: "fill the 'url' column")
            }
            var entry = InputList.Entry(url: url, location: row.location)
            for (column, value) in values where column != "url" {
                try entry.add(column == InputList.nameKey ? "output" : column, value)
            }
            entries.append(entry)
        }
        return entries
    }

    private struct Row {
        var location: String
        var cells: [String] = []
    }

    private static func rows(of text: String, _ file: String) throws(DownloadError) -> [Row] {
        var rows: [Row] = []
        var reader = Reader(text)
        while let line = reader.nextRow() {
            let location = "\(file), line \(line)"
            var row = Row(location: location)
            repeat {
                guard let cell = reader.nextCell() else {
                    throw .usage(
                        "\(location): a value has wrong quotation marks",
                        advice: "put them around the whole value, and double those inside it"
                    )
                }
                row.cells.append(cell)
            } while reader.skipComma()
            if row.cells != [""] { rows.append(row) }
        }
        return rows
    }

    /// Reads cells one after the other.
    private struct Reader {
        private var rest: Substring.UnicodeScalarView
        private var line = 1

        init(_ text: String) { rest = text[...].unicodeScalars }

        /// Passes over the end of a row; returns the number of the next row's line, or `nil` at the
        /// end.
        mutating func nextRow() -> Int? {
            if rest.first == "\r" { rest.removeFirst() }
            if rest.first == "\n" {
                rest.removeFirst()
                line += 1
            }
            return rest.isEmpty ? nil : line
        }

        mutating func skipComma() -> Bool {
            guard rest.first == "," else { return false }
            rest.removeFirst()
            return true
        }

        private var isAtEndOfCell: Bool {
            rest.first.map { ",\r\n".unicodeScalars.contains($0) } ?? true
        }

        /// Returns the next cell; `nil` if it is not closed, or continues after its end.
        mutating func nextCell() -> String? {
            guard rest.first == "\"" else {
                let cell = rest.prefix { $0 != "," && $0 != "\n" && $0 != "\r" }
                rest = rest[cell.endIndex...]
                return Substring(cell).trimmed(of: InputList.blanks)
            }
            rest.removeFirst()
            var cell = String.UnicodeScalarView()
            while let next = rest.popFirst() {
                if next == "\"" {
                    guard rest.first == "\"" else { return isAtEndOfCell ? String(cell) : nil }
                    rest.removeFirst()
                } else if next == "\n" {
                    line += 1
                }
                cell.append(next)
            }
            return nil
        }
    }
}

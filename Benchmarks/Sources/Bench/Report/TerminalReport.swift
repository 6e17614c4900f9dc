/// Formats a case for the terminal.
enum TerminalReport {
    static func text(_ report: CaseReport) -> String {
        var lines = ["", "\(report.name): \(report.title)"]
        if let skipped = report.skipped {
            return (lines + ["  skipped: \(skipped)"]).joined(separator: "\n")
        }
        let table = [ReportTable.heads] + ReportTable(report).lines
        let widths = ReportTable.heads.indices.map { column in
            table.map { $0[column].count }.max() ?? 0
        }
        lines += table.map { cells in
            var line = "  " + pad(cells[0], widths[0], left: false)
            for column in 1..<(cells.count - 1) {
                line += "  " + pad(cells[column], widths[column], left: true)
            }
            let remark = cells.last ?? ""
            return remark.isEmpty ? line : line + "  " + remark
        }
        if let ideal = report.idealSeconds { lines.append("  ideal: \(FigureText.seconds(ideal))") }
        lines += report.goals.map { "  \($0.verdict): \($0.sentence)" }
        lines += report.notes.map { "  \($0)" }
        return lines.joined(separator: "\n")
    }

    private static func pad(_ text: String, _ width: Int, left: Bool) -> String {
        let spaces = String(repeating: " ", count: max(0, width - text.count))
        return left ? spaces + text : text + spaces
    }
}

/// The rows of a case as text, for the terminal and for Markdown.
struct ReportTable {
    static let heads = ["", "wall", "×", "CPU", "×", "peak", "×", ""]

    let lines: [[String]]

    init(_ report: CaseReport) {
        let rows = report.rows
        lines = rows.map { row in
            let remarks = [row.failure.map { "disqualified: \($0)" }] + row.notes.suffix(1)
            let remark = remarks.compactMap(\.self).joined(separator: "; ")
            guard let measurement = row.measurement, row.failure == nil else {
                return [row.label, "-", "", "-", "", "-", "", remark]
            }
            let cells = [Figure.wall, .cpu, .peak].flatMap { figure in
                Self.cells(figure, measurement, best: rows.bestPeer(figure)?.value)
            }
            return [row.label] + cells + [remark]
        }
    }

    /// Returns the figure, and its ratio to the best peer's.
    private static func cells(
        _ figure: Figure,
        _ measurement: Measurement,
        best: Double?
    ) -> [String] {
        guard let value = figure.value(of: measurement) else { return ["-", ""] }
        let text = figure == .peak ? FigureText.bytes(value) : FigureText.seconds(value)
        guard let best, best > 0 else { return [text, ""] }
        return [text, FigureText.ratio(value / best)]
    }
}

extension Goal {
    /// A text such as `wall of pawl / best peer (curl): 0.97 ×, at most 1.00 ×`.
    var sentence: String {
        let shown = value.map { FigureText.goal($0, unit) } ?? "not measured"
        return "\(text): \(shown), at most \(FigureText.goal(limit, unit))"
    }

    var verdict: String { isReached ? "reached" : value == nil ? "unknown" : "missed" }
}

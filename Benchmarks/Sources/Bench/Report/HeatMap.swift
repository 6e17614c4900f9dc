/// `docs/regret.svg`: one row per cell of the case `regret`, one column per program.
struct HeatMap {
    private static let labelWidth = 360
    private static let columnWidth = 62
    private static let rowHeight = 20
    private static let headHeight = 64

    private let result: RegretResult

    init(_ result: RegretResult) { self.result = result }

    var text: String {
        let labels = result.labels
        var top = Self.headHeight
        var parts = labels.enumerated().map { index, label in
            let x = Self.labelWidth + index * Self.columnWidth + Self.columnWidth / 2
            return "<text class=\"head\" x=\"\(x)\" y=\"54\">\(label)</text>"
        }
        for group in RegretCell.Group.allCases {
            let entries = result.entries.filter { $0.cell.group == group }
            guard !entries.isEmpty else { continue }
            parts.append("<text class=\"title\" x=\"0\" y=\"\(top + 14)\">\(group.rawValue)</text>")
            top += Self.rowHeight
            for entry in entries {
                parts.append("<text x=\"12\" y=\"\(top + 14)\">\(entry.cell.title)</text>")
                parts += labels.enumerated().map { draw(entry.ratio(of: $1), column: $0, top: top) }
                top += Self.rowHeight
            }
            top += 6
        }
        let width = Self.labelWidth + labels.count * Self.columnWidth
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(top)" \
            viewBox="0 0 \(width) \(top)" role="img" aria-label="Time of each program over the shortest time, by link and server">
            \(Self.style)
            <text x="0" y="16">The time of each program over the shortest time in the row: 1.00 is the best.</text>
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    private func draw(_ ratio: Double?, column: Int, top: Int) -> String {
        let x = Self.labelWidth + column * Self.columnWidth
        let text = ratio.map { FigureText.ratio($0) } ?? "-"
        return """
            <rect x="\(x + 1)" y="\(top + 1)" width="\(Self.columnWidth - 2)" \
            height="\(Self.rowHeight - 2)" rx="2" fill="\(ratio.map(Self.colour) ?? "#d0d7de")"/>\
            <text class="cell" x="\(x + Self.columnWidth / 2)" y="\(top + 14)">\(text)</text>
            """
    }

    /// Returns a colour from green, for 1, over yellow to red, for 2 and more.
    private static func colour(_ ratio: Double) -> String {
        let share = min(1, max(0, (ratio - 1) / 0.5))
        return "hsl(\(Int(130 - 130 * share)) 65% 72%)"
    }

    private static let style = """
        <style>
        text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #57606a; }
        .title { font-weight: 600; fill: #24292f; }
        .head { text-anchor: middle; font-size: 11px; }
        .cell { text-anchor: middle; fill: #1f2328; }
        @media (prefers-color-scheme: dark) {
        text { fill: #9198a1; }
        .title { fill: #e6edf3; }
        .cell { fill: #1f2328; }
        }
        </style>
        """
}

/// `docs/benchmarks.svg`: a bar a program, in two columns of cases.
struct PictureReport {
    private static let columnWidth = 440
    private static let gap = 40
    private static let labelWidth = 120
    private static let valueWidth = 96
    private static let rowHeight = 22
    private static let headHeight = 34
    private static let legendHeight = 40

    private let blocks: [Block]

    /// A case in the picture.
    private struct Block {
        let title: String
        let bars: [Bar]

        var height: Int { headHeight + bars.count * rowHeight + 14 }
    }

    private struct Bar {
        let label: String
        let isPawl: Bool
        let wallSeconds: Double
        let cpuSeconds: Double?
    }

    init(_ reports: [CaseReport]) {
        blocks = reports.compactMap { report in
            let bars = Self.bars(report.rows)
            return bars.count < 2 ? nil : Block(title: report.title, bars: bars)
        }
    }

    var text: String {
        var heights = [Self.legendHeight, Self.legendHeight]
        var parts: [String] = []
        for block in blocks {
            let column = heights[0] <= heights[1] ? 0 : 1
            let left = column * (Self.columnWidth + Self.gap)
            parts.append(draw(block, left: left, top: heights[column]))
            heights[column] += block.height
        }
        let width = 2 * Self.columnWidth + Self.gap
        let height = max(heights[0], heights[1])
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" role="img" aria-label="Wall and CPU time, case by case">
            \(Self.style)
            \(Self.legend)
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    /// All of ours, and of each peer its best.
    private static func bars(_ rows: [Row]) -> [Bar] {
        var bars: [Bar] = []
        var places: [Substring: Int] = [:]
        for row in rows {
            guard let measurement = row.measurement, row.failure == nil else { continue }
            let bar = Bar(
                label: row.label,
                isPawl: row.kind == .pawl,
                wallSeconds: measurement.wallSeconds,
                cpuSeconds: measurement.cpuSeconds
            )
            let tool = row.label.prefix { $0 != " " }
            if row.kind != .pawl, let place = places[tool] {
                if bar.wallSeconds < bars[place].wallSeconds { bars[place] = bar }
            } else {
                places[tool] = bars.count
                bars.append(bar)
            }
        }
        return bars
    }

    private func draw(_ block: Block, left: Int, top: Int) -> String {
        let most = block.bars.map { max($0.wallSeconds, $0.cpuSeconds ?? 0) }.max() ?? 1
        let room = Double(Self.columnWidth - Self.labelWidth - Self.valueWidth)
        var lines = ["<text class=\"title\" x=\"\(left)\" y=\"\(top + 20)\">\(block.title)</text>"]
        for (index, bar) in block.bars.enumerated() {
            let y = top + Self.headHeight + index * Self.rowHeight
            let start = left + Self.labelWidth
            let wall = max(1, Int(room * bar.wallSeconds / most))
            let cpu = bar.cpuSeconds.map { max(1, Int(room * $0 / most)) } ?? 0
            let kind = bar.isPawl ? "pawl" : "peer"
            lines += [
                "<text class=\"label \(kind)\" x=\"\(start - 8)\" y=\"\(y + 11)\">\(bar.label)</text>",
                "<rect class=\"\(kind)\" x=\"\(start)\" y=\"\(y)\" width=\"\(wall)\" height=\"10\" rx=\"1\"/>",
                "<rect class=\"\(kind) cpu\" x=\"\(start)\" y=\"\(y + 11)\" width=\"\(cpu)\" height=\"4\" rx=\"1\"/>",
                "<text class=\"value\" x=\"\(start + max(wall, cpu) + 6)\" y=\"\(y + 11)\">\(FigureText.seconds(bar.wallSeconds))</text>",
            ]
        }
        return lines.joined(separator: "\n")
    }

    private static let legend = """
        <rect class="pawl" x="0" y="10" width="14" height="10" rx="1"/>
        <text class="value" x="20" y="19">Pawl</text>
        <rect class="peer" x="66" y="10" width="14" height="10" rx="1"/>
        <text class="value" x="86" y="19">the others</text>
        <rect class="peer" x="166" y="9" width="14" height="7" rx="1"/>
        <rect class="peer cpu" x="166" y="17" width="10" height="4" rx="1"/>
        <text class="value" x="186" y="19">wall time, and CPU time below it: shorter is better</text>
        """

    private static let style = """
        <style>
        text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #57606a; }
        .title { font-weight: 600; font-size: 13px; fill: #24292f; }
        .label { text-anchor: end; }
        text.pawl { font-weight: 600; fill: #24292f; }
        rect.pawl { fill: #0f766e; }
        rect.peer { fill: #9aa4ae; }
        rect.cpu { opacity: 0.55; }
        @media (prefers-color-scheme: dark) {
        text { fill: #9198a1; }
        .title, text.pawl { fill: #e6edf3; }
        rect.pawl { fill: #2dd4bf; }
        rect.peer { fill: #6e7681; }
        }
        </style>
        """
}

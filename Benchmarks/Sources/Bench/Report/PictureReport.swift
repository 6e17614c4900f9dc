/// `docs/benchmarks.svg`: one bar per program, in two columns of cases.
struct PictureReport {
    private static let columnWidth = 440
    private static let gap = 40
    private static let labelWidth = 126
    private static let valueWidth = 96
    private static let rowHeight = 22
    private static let headHeight = 34
    private static let legendHeight = 40

    private let blocks: [Block]

    /// A case in the picture.
    private struct Block {
        let title: String
        let figure: Figure
        let bars: [Bar]

        var height: Int { headHeight + bars.count * rowHeight + 14 }
    }

    private struct Bar {
        let label: String
        let isPawl: Bool
        /// The figure that the case compares.
        let value: Double
        /// The CPU time, drawn below if the figure is the time.
        let cpuSeconds: Double?
    }

    init(_ reports: [CaseReport]) {
        blocks = reports.compactMap { report in
            let bars = Self.bars(report)
            return bars.count < 2 || !bars.contains(where: \.isPawl)
                ? nil : Block(title: report.title, figure: report.figure, bars: bars)
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
            viewBox="0 0 \(width) \(height)" role="img" aria-label="Time, CPU and memory of pawl and its peers, by case">
            \(Self.style)
            \(Self.legend)
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    /// Returns the bars: each row of Pawl, and the best row of each peer.
    private static func bars(_ report: CaseReport) -> [Bar] {
        var bars: [Bar] = []
        var indices: [Substring: Int] = [:]
        for row in report.rows where row.failure == nil {
            guard let value = row.measurement.flatMap(report.figure.value) else { continue }
            let bar = Bar(
                label: row.label,
                isPawl: row.kind == .pawl,
                value: value,
                cpuSeconds: report.figure == .wall ? row.measurement?.cpuSeconds : nil
            )
            let tool = row.label.prefix { $0 != " " }
            if row.kind != .pawl, let index = indices[tool] {
                if bar.value < bars[index].value { bars[index] = bar }
            } else {
                indices[tool] = bars.count
                bars.append(bar)
            }
        }
        return bars
    }

    private func draw(_ block: Block, left: Int, top: Int) -> String {
        let most = block.bars.map { max($0.value, $0.cpuSeconds ?? 0) }.max() ?? 1
        var lines = [Self.text("title", block.title, left, top + 20)]
        for (index, bar) in block.bars.enumerated() {
            let y = top + Self.headHeight + index * Self.rowHeight
            lines += draw(bar, block.figure, most: most, left: left + Self.labelWidth, top: y)
        }
        return lines.joined(separator: "\n")
    }

    private func draw(
        _ bar: Bar,
        _ figure: Figure,
        most: Double,
        left: Int,
        top: Int
    ) -> [String] {
        let room = Double(Self.columnWidth - Self.labelWidth - Self.valueWidth)
        let kind = bar.isPawl ? "pawl" : "peer"
        let length = max(1, Int(room * bar.value / most))
        let cpuLength = bar.cpuSeconds.map { max(1, Int(room * $0 / most)) } ?? 0
        let end = left + max(length, cpuLength) + 6
        let value =
            figure == .peak ? FigureText.bytes(bar.value) : FigureText.seconds(bar.value)
        var lines = [
            Self.text("label \(kind)", bar.label, left - 8, top + 11),
            Self.rectangle(kind, left, top, width: length, height: 10),
            Self.text("value", value, end, top + 11),
        ]
        if cpuLength > 0 {
            lines.append(Self.rectangle("\(kind) cpu", left, top + 11, width: cpuLength, height: 4))
        }
        return lines
    }

    private static func text(_ kind: String, _ text: String, _ x: Int, _ y: Int) -> String {
        "<text class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\">\(text)</text>"
    }

    private static func rectangle(
        _ kind: String,
        _ x: Int,
        _ y: Int,
        width: Int,
        height: Int
    ) -> String {
        "<rect class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\" rx=\"1\"/>"
    }

    private static let legend = """
        <rect class="pawl" x="0" y="10" width="14" height="10" rx="1"/>
        <text class="value" x="20" y="19">Pawl</text>
        <rect class="peer" x="66" y="10" width="14" height="10" rx="1"/>
        <text class="value" x="86" y="19">the others</text>
        <rect class="peer" x="166" y="9" width="14" height="7" rx="1"/>
        <rect class="peer cpu" x="166" y="17" width="10" height="4" rx="1"/>
        <text class="value" x="186" y="19">wall time, or memory if in MiB; CPU time below it: shorter is better</text>
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

/// The bar of a progress line: cells between two edges of one column each.
package enum ProgressBar {
    /// The cells from empty to seven eighths full.
    private static let eighths: [Character] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// The bar; if `fraction` is `nil`, a mark that moves with `frame`.
    package static func render(
        fraction: Double?,
        columns: Int,
        frame: Int,
        style: TerminalStyle
    ) -> String {
        let cells = max(0, columns - 2)
        let inner =
            fraction.map { filled($0, cells: cells, isUnicode: style.isUnicode) }
            ?? moving(cells: cells, frame: frame, isUnicode: style.isUnicode)
        let frames = style.isUnicode ? ("▕", "▏") : ("[", "]")
        return style.tint(frames.0, .dim) + style.tint(inner, .green)
            + style.tint(frames.1, .dim)
    }

    private static func filled(_ fraction: Double, cells: Int, isUnicode: Bool) -> String {
        let share = fraction.isFinite ? min(1, max(0, fraction)) : 0
        guard isUnicode else {
            let full = Int(share * Double(cells))
            return String(repeating: "#", count: full)
                + String(repeating: " ", count: cells - full)
        }
        let (full, rest) = Int(share * Double(cells * 8)).quotientAndRemainder(dividingBy: 8)
        var bar = String(repeating: "█", count: full)
        guard full < cells else { return bar }
        bar.append(eighths[rest])
        return bar + String(repeating: " ", count: cells - full - 1)
    }

    /// A mark that moves back and forth.
    private static func moving(cells: Int, frame: Int, isUnicode: Bool) -> String {
        let mark = min(3, cells)
        let way = cells - mark
        let step = way == 0 ? 0 : abs(frame % (2 * way))
        let start = step <= way ? step : 2 * way - step
        return String(repeating: " ", count: start)
            + String(repeating: isUnicode ? "█" : "#", count: mark)
            + String(repeating: " ", count: way - start)
    }

    /// A rotating character of one column, for lines without a bar.
    package static func spinner(frame: Int, isUnicode: Bool) -> String {
        let characters = isUnicode ? Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") : Array("|/-\\")
        return String(characters[abs(frame % characters.count)])
    }
}

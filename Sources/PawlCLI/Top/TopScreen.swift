package import FoundationEssentials
internal import PawlCore
internal import PawlWire

/// Draws `pawl top`.
package struct TopScreen: Sendable {
    private let style: TerminalStyle

    package init(style: TerminalStyle) { self.style = style }

    private static let keys = "? help  / filter  s sort  p pause  o open  x remove  u undo  q quit"

    private static let help = [
        "Up, Down, PgUp, PgDn, Home, End   select a download",
        "s        change the order: queue, newest, name, progress, speed",
        "/        show only names that contain a text; Enter keeps it, Escape removes it",
        "p, Space pause the download, or resume it",
        "r        resume or retry it",
        "t, b     move it to the top or the bottom of its priority",
        "o, Enter open its finished file",
        "c        cancel it, and delete its partial file",
        "x, Del   remove it from the list; its files are kept",
        "u        undo the last removal",
        "q        quit; the downloads continue",
    ]

    /// Returns the lines of the screen, each at most `columns` wide.
    package func lines(_ state: TopState, columns: Int, rows height: Int, now: Date) -> [String] {
        let body = max(1, height - 3)
        let content =
            state.showsHelp
            ? Self.help.map { $0.shortened(toColumns: columns) }
            : table(state, columns: columns, rows: body, now: now)
        let head = title(state, columns: columns)
        let filled = content.prefix(body + 1)
        let empty = Array(repeating: "", count: max(0, body + 1 - filled.count))
        return Array(([head] + filled + empty + [foot(state, columns: columns)]).prefix(height))
    }

    private func title(_ state: TopState, columns: Int) -> String {
        let (counts, speed) = state.summary
        let words = counts.map { "\($1) \($0.word)" }.joined(separator: ", ")
        var text = words.isEmpty ? "no downloads" : words
        text += "  \(ByteText.rate(Double(speed)))  order: \(state.order.rawValue)"
        if !state.filter.isEmpty || state.isTypingFilter { text += "  filter: \(state.filter)" }
        return style.tint(shown(text, columns), .bold)
    }

    private func foot(_ state: TopState, columns: Int) -> String {
        if let row = state.asksFor {
            return shown("cancel \(row.name) and delete its partial file? y/n", columns)
        }
        if state.isTypingFilter { return shown("filter: \(state.filter)_", columns) }
        if !state.message.isEmpty { return shown(state.message, columns) }
        return style.tint(shown(Self.keys, columns), .dim)
    }

    private func table(_ state: TopState, columns: Int, rows count: Int, now: Date) -> [String] {
        let rows = state.rows
        let selected = state.selection(in: rows)
        let first = max(0, min(selected - count / 2, rows.count - count))
        let visible = Array(rows.dropFirst(first).prefix(count))
        let text = DownloadTable(now: now).text(visible, columns: columns)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.dropLast().enumerated().map { index, line in
            let line = shown(line, columns)
            // The first line has the headings.
            if index == 0 { return style.tint(line, .dim) }
            guard index - 1 == selected - first, !visible.isEmpty else { return line }
            return style.hasColours
                ? style.tint(line.padded(toColumns: columns), .reverse)
                : "> " + shown(line, columns - 2)
        }
    }

    private func shown(_ text: String, _ columns: Int) -> String {
        style.showable(text).shortened(toColumns: columns, ellipsis: style.ellipsis)
    }
}

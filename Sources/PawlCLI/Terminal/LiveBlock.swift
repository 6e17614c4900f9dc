/// The lines at the bottom of the terminal that are drawn again and again.
///
/// Between two drawings the cursor stands, hidden, at the beginning of the block's first line: a
/// terminal that is resized moves the cursor with its line, so no counting of wrapped lines is
/// needed to find the block again.
package struct LiveBlock: Sendable {
    private(set) var lines: [String] = []
    private var size: Size?

    /// A terminal's.
    package struct Size: Hashable, Sendable {
        package var columns: UInt32
        package var rows: UInt32

        package init(columns: UInt32, rows: UInt32) {
            self.columns = columns
            self.rows = rows
        }
    }

    package init() {}

    /// What to write to draw `lines` in place of those drawn before; empty where nothing changed.
    ///
    /// No line may be wider than the terminal's columns - 1, and there must be fewer than it has
    /// rows.
    package mutating func draw(_ lines: [String], on size: Size) -> String {
        guard lines != self.lines || size != self.size else { return "" }
        self.lines = lines
        self.size = size
        return drawing
    }

    /// What to write to show `text` above the block.
    ///
    /// A block that was made for another size goes away: in fewer rows its first lines would scroll
    /// up for good. The next one is made for the new size.
    package mutating func printing(_ text: String, on size: Size) -> String {
        guard !lines.isEmpty else { return text }
        guard size == self.size else { return remove() + text }
        return "\r\u{1B}[J\(text)\(drawing)"
    }

    /// What to write to take the block away and give the cursor back.
    package mutating func remove() -> String {
        guard !lines.isEmpty else { return "" }
        lines = []
        return "\r\u{1B}[J\u{1B}[?25h"
    }

    /// Draws from the cursor.
    ///
    /// Wrapping is off meanwhile: a terminal that draws a character wider than was measured cuts
    /// the line instead.
    private var drawing: String {
        guard !lines.isEmpty else { return "" }
        let body = lines.joined(separator: "\u{1B}[K\r\n")
        let up = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : ""
        return "\u{1B}[?25l\u{1B}[?7l\r\(body)\u{1B}[J\u{1B}[?7h\(up)\r"
    }
}

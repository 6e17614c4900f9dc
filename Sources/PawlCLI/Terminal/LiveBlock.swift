/// The lines at the bottom of the terminal that are redrawn in place.
///
/// Between two drawings the hidden cursor is at the start of the block's first line. A terminal
/// that is resized moves the cursor with its line, so the block is found without counting wrapped
/// lines.
package struct LiveBlock: Sendable {
    private var lines: [String] = []
    private var size: Size?

    /// The size of a terminal.
    package struct Size: Hashable, Sendable {
        package var columns: UInt32
        package var rows: UInt32

        package init(columns: UInt32, rows: UInt32) {
            self.columns = columns
            self.rows = rows
        }
    }

    package init() {}

    /// The output that replaces the drawn lines by `lines`; empty if nothing has changed.
    ///
    /// Without lines, it removes the block.
    ///
    /// Each line must be narrower than the terminal, and there must be fewer lines than rows.
    package mutating func draw(_ lines: [String], on size: Size) -> String {
        guard !lines.isEmpty else { return remove() }
        guard lines != self.lines || size != self.size else { return "" }
        self.lines = lines
        self.size = size
        return drawing
    }

    /// The output that prints `text` above the block.
    ///
    /// A block that was drawn for another size is removed, because in fewer rows its first lines
    /// would scroll away permanently. The next drawing fits the new size.
    package mutating func printing(_ text: String, on size: Size) -> String {
        guard !lines.isEmpty else { return text }
        guard size == self.size else { return remove() + text }
        return "\r\u{1B}[J\(text)\(drawing)"
    }

    /// The output that removes the block and shows the cursor.
    package mutating func remove() -> String {
        guard !lines.isEmpty else { return "" }
        lines = []
        return "\r\u{1B}[J\u{1B}[?25h"
    }

    /// The output that draws the lines from the cursor.
    ///
    /// Wrapping is off in the meantime, so a terminal that draws a character wider than measured
    /// cuts the line instead.
    private var drawing: String {
        let body = lines.joined(separator: "\u{1B}[K\r\n")
        let up = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : ""
        return "\u{1B}[?25l\u{1B}[?7l\r\(body)\u{1B}[J\u{1B}[?7h\(up)\r"
    }
}

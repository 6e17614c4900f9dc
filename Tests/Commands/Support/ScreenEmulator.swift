/// As much of a terminal as the progress display uses: characters, CR, LF, cursor up, erase,
/// wrapping on and off; colours are skipped.
struct ScreenEmulator {
    private(set) var columns: Int
    /// The number of visible rows; those above have scrolled away permanently.
    private var height: Int
    private(set) var rows: [[Character]] = [[]]
    private var row = 0
    private var column = 0
    private var wraps = true
    /// Characters written after the last column while wrapping was off, which a terminal would not
    /// show.
    private(set) var lostCharacters = 0
    /// How often a text went on in the next line.
    private(set) var wrappedLines = 0
    private(set) var isCursorVisible = true
    /// How often the block was drawn: each drawing hides the cursor first.
    private(set) var drawings = 0
    /// Sequences that this terminal does not know.
    private(set) var unknown: [String] = []

    init(columns: Int, rows: Int = .max) {
        self.columns = columns
        height = rows
    }

    /// Reduces the rows; those below the cursor that no longer fit are cut.
    mutating func resize(rows count: Int) {
        height = count
        if rows.count > row + count { rows.removeSubrange((row + count)...) }
    }

    private var firstRow: Int { max(0, rows.count - height) }

    /// The lines without the spaces at their ends.
    var lines: [String] {
        rows.map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// All visible text, regardless of where lines were wrapped.
    var text: String { lines.joined() }

    mutating func feed(_ text: String) {
        var scalars = text.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            switch scalar {
            case "\u{1B}": escape(&scalars)
            case "\r": column = 0
            case "\n": lineFeed()
            case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
                unknown.append("\(scalar.value)")
            default: put(scalar)
            }
        }
    }

    private mutating func escape(_ scalars: inout String.UnicodeScalarView.Iterator) {
        guard let kind = scalars.next(), kind == "[" else {
            unknown.append("ESC")
            return
        }
        var parameters = ""
        while let scalar = scalars.next() {
            guard (0x40...0x7E).contains(scalar.value) else {
                parameters.unicodeScalars.append(scalar)
                continue
            }
            control(scalar, parameters)
            return
        }
    }

    private mutating func control(_ final: Unicode.Scalar, _ parameters: String) {
        switch (final, parameters) {
        case ("A", _): row = max(firstRow, row - (Int(parameters) ?? 1))
        case ("K", ""), ("K", "0"): eraseLine()
        case ("J", ""), ("J", "0"):
            eraseLine()
            rows.removeSubrange((row + 1)...)
        case ("l", "?7"): wraps = false
        case ("h", "?7"): wraps = true
        case ("l", "?25"):
            isCursorVisible = false
            drawings += 1
        case ("h", "?25"): isCursorVisible = true
        case ("m", _): break
        default: unknown.append(parameters + String(final))
        }
    }

    private mutating func eraseLine() {
        if rows[row].count > column { rows[row].removeSubrange(column...) }
    }

    private mutating func lineFeed() {
        row += 1
        if row == rows.count { rows.append([]) }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        let width = Self.width(scalar)
        guard width > 0 else { return }
        if column + width > columns {
            guard wraps else {
                lostCharacters += 1
                return
            }
            wrappedLines += 1
            column = 0
            lineFeed()
        }
        while rows[row].count < column { rows[row].append(" ") }
        for index in 0..<width {
            let character = index == 0 ? Character(scalar) : "\u{200B}"
            if column < rows[row].count {
                rows[row][column] = character
            } else {
                rows[row].append(character)
            }
            column += 1
        }
    }

    /// By its own rough table, so that the display's own is not judged by itself.
    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x300...0x36F, 0x200B...0x200F: 0
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFF01...0xFF60,
            0x1F300...0x1F64F:
            2
        default: 1
        }
    }
}

internal import Glibc

/// The terminal of `pawl top`: keys without waiting for Enter, and a screen of its own.
struct TopTerminal: ~Copyable {
    private var usual = termios()

    /// Takes over the terminal; `nil` if standard input is not a terminal.
    init?() {
        guard tcgetattr(STDIN_FILENO, &usual) == 0 else { return nil }
        var raw = usual
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON)
        withUnsafeMutableBytes(of: &raw.c_cc) { codes in
            // A read returns at once. Ctrl-Z would leave the terminal as it is now.
            codes[Int(VMIN)] = 0
            codes[Int(VTIME)] = 0
            codes[Int(VSUSP)] = 0
        }
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0 else { return nil }
    }

    deinit {
        var usual = usual
        _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual)
    }

    /// Enters the alternate screen, without a cursor and without wrapping.
    static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    static let leave = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// The output that replaces the screen.
    static func drawing(_ lines: [String]) -> String {
        "\u{1B}[H" + lines.joined(separator: "\u{1B}[K\r\n") + "\u{1B}[K\u{1B}[J"
    }

    /// The keys that were pressed since the last call.
    func keys() -> [TopKey] {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        return TopKey.keys(Array(bytes.prefix(max(0, count))))
    }
}

internal import Glibc

/// A line on the terminal that shows what is running.
///
/// Without a terminal nothing is shown.
enum Progress {
    private static let isTerminal = isatty(STDERR_FILENO) == 1

    static func show(_ text: String) { write("\r\u{1B}[K\(text)") }

    static func clear() { write("\r\u{1B}[K") }

    private static func write(_ text: String) {
        guard isTerminal else { return }
        _ = text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }
}

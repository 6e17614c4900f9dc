internal import PawlCore

/// The characters and colours that the terminal supports.
package struct TerminalStyle: Sendable, Hashable {
    /// Whether the terminal displays characters beyond ASCII.
    package var isUnicode: Bool
    package var hasColours: Bool

    package init(isUnicode: Bool, hasColours: Bool) {
        self.isUnicode = isUnicode
        self.hasColours = hasColours
    }

    package enum Tone: String {
        case bold = "1"
        case dim = "2"
        case reverse = "7"
        case red = "31"
        case green = "32"
    }

    package func tint(_ text: String, _ tone: Tone) -> String {
        hasColours && !text.isEmpty ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }

    package var ellipsis: String { isUnicode ? "…" : "..." }

    /// The text without control sequences and characters that the terminal cannot display.
    package func showable(_ text: String) -> String {
        let clean = text.sanitized
        guard !isUnicode else { return clean }
        return String(clean.map { $0.isASCII ? $0 : "?" })
    }
}

/// The properties of the terminal of a file descriptor.
package struct TerminalTraits: Sendable, Hashable {
    package var isTerminal: Bool
    /// Whether lines can be redrawn in place.
    package var canRedraw: Bool
    package var style: TerminalStyle

    package init(isTerminal: Bool, environment: [String: String]) {
        let kind = environment["TERM"] ?? ""
        self.isTerminal = isTerminal
        canRedraw = isTerminal && !kind.isEmpty && kind != "dumb"
        // https://no-color.org: any value but the empty one.
        let refusesColour = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        style = TerminalStyle(
            isUnicode: Self.isUnicode(environment),
            hasColours: canRedraw && !refusesColour
        )
    }

    /// The first of the three that is set and not empty decides (POSIX, 8.2).
    private static func isUnicode(_ environment: [String: String]) -> Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy
            .compactMap { environment[$0] }.first { !$0.isEmpty }
        let name = (locale ?? "").lowercased()
        return name.contains("utf-8") || name.contains("utf8")
    }
}

internal import Glibc
internal import PawlCore

/// Patterns of names as in shells: `*` matches any text, `?` one character.
package enum NamePattern {
    /// Whether a text is a pattern and not just a name.
    package static func isOne(_ text: String) -> Bool {
        text.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
    }

    /// Whether a name equals the text or matches it as a pattern.
    package static func matches(_ text: String, _ name: String) -> Bool {
        guard isOne(text) else { return text.isExactly(name) }
        // Only `*` and `?` are special.
        let pattern = text.replacingASCII("\\", with: "\\\\").replacingASCII("[", with: "\\[")
        return fnmatch(pattern, name, 0) == 0
    }
}

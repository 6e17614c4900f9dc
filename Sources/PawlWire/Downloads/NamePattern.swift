internal import Glibc

/// Patterns of names as in shells: `*` matches any text, `?` one character.
package enum NamePattern {
    /// Whether a text is a pattern and not just a name.
    package static func isOne(_ text: String) -> Bool {
        text.contains("*") || text.contains("?")
    }

    /// Whether a name equals the text or matches it as a pattern.
    package static func matches(_ text: String, _ name: String) -> Bool {
        guard isOne(text) else { return text == name }
        // Only `*` and `?` are special.
        let pattern = text.replacing("\\", with: "\\\\").replacing("[", with: "\\[")
        return fnmatch(pattern, name, 0) == 0
    }
}

internal import Glibc

/// Patterns of names as shells have them: `*` is any text, `?` one character.
package enum NamePattern {
    /// Whether a text is one, and not just a name.
    package static func isOne(_ text: String) -> Bool {
        text.contains("*") || text.contains("?")
    }

    /// Whether a name is that text, or as that pattern has it.
    package static func matches(_ text: String, _ name: String) -> Bool {
        guard isOne(text) else { return text == name }
        // Only these two mean something.
        let pattern = text.replacing("\\", with: "\\\\").replacing("[", with: "\\[")
        return fnmatch(pattern, name, 0) == 0
    }
}

/// Patterns of names as shells have them: `*` is any text, `?` one character.
package enum NamePattern {
    /// Whether a text is one, and not just a name.
    package static func isOne(_ text: String) -> Bool {
        text.contains("*") || text.contains("?")
    }
}

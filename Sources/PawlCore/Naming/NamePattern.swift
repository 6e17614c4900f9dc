/// Patterns of names as in shells: `*` matches any text, `?` one character.
package enum NamePattern {
    /// Whether a text is a pattern and not just a name.
    package static func isOne(_ text: String) -> Bool {
        text.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
    }

    /// Whether a name equals the text or matches it as a pattern.
    package static func matches(_ text: String, _ name: String) -> Bool {
        guard isOne(text) else { return text.isExactly(name) }
        let (pattern, name) = (Array(text.unicodeScalars), Array(name.unicodeScalars))
        var (position, index) = (0, 0)
        // Where the last star is, and up to where it has matched so far: only the last one has to
        // be tried again.
        var star: (position: Int, index: Int)?
        while index < name.count {
            if position < pattern.count, pattern[position] == "*" {
                star = (position, index)
                position += 1
            } else if position < pattern.count,
                pattern[position] == "?" || pattern[position] == name[index]
            {
                position += 1
                index += 1
            } else if let last = star {
                star = (last.position, last.index + 1)
                (position, index) = (last.position + 1, last.index + 1)
            } else {
                return false
            }
        }
        return pattern[position...].allSatisfy { $0 == "*" }
    }
}

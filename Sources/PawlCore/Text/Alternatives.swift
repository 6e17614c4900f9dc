extension Collection<String> {
    /// The texts as one of several possibilities: `a`, `a or b`, `a, b or c`; empty without a text.
    package var alternatives: String {
        let before = dropLast(1).joined(separator: ", ")
        let last = suffix(1).joined()
        return before.isEmpty ? last : "\(before) or \(last)"
    }
}

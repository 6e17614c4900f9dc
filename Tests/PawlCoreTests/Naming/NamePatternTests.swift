import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct NamePatternTests {
    @Test(
        arguments: [
            ("a.iso", "a.iso", true), ("a.iso", "A.iso", false), ("*", "", true), ("*", "a", true),
            ("?", "", false), ("?", "é", true), ("??", "é", false), ("*.iso", ".iso", true),
            ("*.iso", "a.iso.part", false), ("a*b*c", "a1b2b3c", true), ("a*b*c", "acb", false),
            ("*a", "aaa", true), ("[x]*", "[x].iso", true), ("[x]*", "x.iso", false),
            ("a\\*", "a\\b", true), ("**", "a/b", true), ("a?", "ab", true), ("a?", "abc", false),
        ]
    )
    func `a star is any text and a question mark one character`(
        pattern: String,
        name: String,
        matches: Bool
    ) {
        #expect(NamePattern.matches(pattern, name) == matches)
    }

    @Test func `a hostile pattern is compared quickly`() {
        let pattern = String(repeating: "a*", count: 500) + "b"
        #expect(!NamePattern.matches(pattern, String(repeating: "a", count: 5000)))
    }
}

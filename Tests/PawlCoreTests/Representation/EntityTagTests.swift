import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EntityTagTests {
    @Test(arguments: [
        ("\"abc\"", false, "\"abc\""),
        ("W/\"abc\"", true, "\"abc\""),
        (" \"a-b:c,d;e=f\" ", false, "\"a-b:c,d;e=f\""),
        ("\"\"", false, "\"\""),
        ("\"naïve\"", false, "\"naïve\""),
    ])
    func `a well-formed tag is parsed`(text: String, isWeak: Bool, opaque: String) {
        #expect(EntityTag(parsing: text) == EntityTag(isWeak: isWeak, opaque: opaque))
    }

    @Test(arguments: [
        "", "abc", "\"abc", "abc\"", "w/\"abc\"", "W\"abc\"", "W/", "W/abc", "\"a\"b\"", "\"a b\"",
        "\"a\", \"b\"", "\"a\"-gzip", "*",
    ])
    func `a malformed tag is refused`(text: String) {
        #expect(EntityTag(parsing: text) == nil)
    }

    @Test func `a malformed tag in a field counts as weak`() {
        #expect(EntityTag(lenient: "abc") == EntityTag(isWeak: true, opaque: "abc"))
        #expect(EntityTag(lenient: "\"abc\"") == EntityTag(isWeak: false, opaque: "\"abc\""))
        #expect(EntityTag(lenient: "  ") == nil)
    }

    // The examples of RFC 9110 §8.8.3.2.
    @Test(arguments: [
        ("W/\"1\"", "W/\"1\"", false, true),
        ("W/\"1\"", "W/\"2\"", false, false),
        ("W/\"1\"", "\"1\"", false, true),
        ("\"1\"", "\"1\"", true, true),
    ])
    func `tags compare strongly and weakly`(
        left: String,
        right: String,
        strongly: Bool,
        weakly: Bool
    ) throws {
        let left = try #require(EntityTag(parsing: left))
        let right = try #require(EntityTag(parsing: right))
        #expect(left.matchesStrongly(right) == strongly)
        #expect(right.matchesStrongly(left) == strongly)
        #expect(left.matchesWeakly(right) == weakly)
    }

    @Test func `an empty tag is not strong`() {
        let empty = EntityTag(isWeak: false, opaque: "\"\"")
        #expect(!empty.isStrong)
        #expect(!empty.matchesStrongly(empty))
    }

    @Test(arguments: ["\"abc\"", "W/\"abc\""])
    func `a tag is written as it was read`(text: String) throws {
        #expect(try #require(EntityTag(parsing: text)).description == text)
    }
}

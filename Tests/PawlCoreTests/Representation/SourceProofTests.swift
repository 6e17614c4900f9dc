import PawlCore
import Testing

/// The proof that another source's answer must give before its bytes are joined with others.
@Suite(.timeLimit(.minutes(5)))
struct SourceProofTests {
    private static let modified = "Tue, 03 Mar 2026 10:00:00 GMT"

    private func representation(_ change: (inout Representation) -> Void = { _ in })
        -> Representation
    {
        var made = Representation(total: 1000)
        change(&made)
        return made
    }

    private func digest(_ byte: UInt8) -> ContentDigest? {
        ContentDigest(.sha256, bytes: [UInt8](repeating: byte, count: 32))
    }

    @Test func `length alone proves nothing`() {
        let reason = representation().difference(toAnotherSource: representation(), digest: nil)
        #expect(reason?.hasPrefix("nothing proves") == true)
    }

    @Test func `the same strong tag is proof, whatever the dates are`() {
        let pinned = representation {
            $0.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
            $0.lastModified = Self.modified
        }
        let seen = representation { $0.entityTag = EntityTag(isWeak: false, opaque: "\"a\"") }
        #expect(pinned.difference(toAnotherSource: seen, digest: nil) == nil)
    }

    @Test func `an empty tag is not proof`() {
        let empty = representation { $0.entityTag = EntityTag(isWeak: false, opaque: "\"\"") }
        #expect(empty.difference(toAnotherSource: empty, digest: nil) != nil)
    }

    @Test(arguments: [(true, "\"a\""), (false, "\"b\"")])
    func `a weak or different tag is not proof`(isWeak: Bool, opaque: String) {
        let pinned = representation { $0.entityTag = EntityTag(isWeak: isWeak, opaque: "\"a\"") }
        let seen = representation { $0.entityTag = EntityTag(isWeak: isWeak, opaque: opaque) }
        #expect(pinned.difference(toAnotherSource: seen, digest: nil) != nil)
    }

    @Test(arguments: [
        (modified, true, true, true), (modified, true, false, false),
        (modified, false, true, false),
        ("Wed, 04 Mar 2026 10:00:00 GMT", true, true, false),
        ("Thu, 01 Jan 1970 00:00:01 GMT", true, true, false), ("once", true, true, false),
    ])
    func `the same date is proof if it is plausible and old on both sides`(
        date: String,
        isOldHere: Bool,
        isOldThere: Bool,
        isProof: Bool
    ) {
        let pinned = representation {
            $0.lastModified = date == Self.modified || date.hasPrefix("W") ? Self.modified : date
            $0.lastModifiedIsOld = isOldHere
            $0.entityTag = EntityTag(isWeak: false, opaque: "\"here\"")
        }
        let seen = representation {
            $0.lastModified = date
            $0.lastModifiedIsOld = isOldThere
            $0.entityTag = EntityTag(isWeak: false, opaque: "\"there\"")
        }
        #expect((pinned.difference(toAnotherSource: seen, digest: nil) == nil) == isProof)
    }

    @Test func `a different or unknown length never means the same file`() {
        let pinned = representation { $0.entityTag = EntityTag(isWeak: false, opaque: "\"a\"") }
        for total in [nil, Int64(999), 1001] {
            var seen = pinned
            seen.total = total
            #expect(pinned.difference(toAnotherSource: seen, digest: digest(1)) != nil)
            #expect(seen.difference(toAnotherSource: pinned, digest: digest(1)) != nil)
        }
    }

    @Test func `encoded bodies are never joined`() {
        let pinned = representation { $0.entityTag = EntityTag(isWeak: false, opaque: "\"a\"") }
        var seen = pinned
        seen.contentEncoding = "gzip"
        #expect(pinned.difference(toAnotherSource: seen, digest: digest(1)) != nil)
        #expect(seen.difference(toAnotherSource: pinned, digest: digest(1)) != nil)
    }

    @Test func `a digest given by the user requires only a matching length`() {
        let pinned = representation()
        #expect(pinned.difference(toAnotherSource: representation(), digest: digest(1)) == nil)
        let same = representation { $0.digest = digest(1) }
        #expect(pinned.difference(toAnotherSource: same, digest: digest(1)) == nil)
        let other = representation { $0.digest = digest(2) }
        #expect(pinned.difference(toAnotherSource: other, digest: digest(1)) != nil)
    }

    @Test func `a digest sent by both servers decides`() {
        let pinned = representation {
            $0.digest = digest(1)
            $0.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        }
        let same = representation { $0.digest = digest(1) }
        #expect(pinned.difference(toAnotherSource: same, digest: nil) == nil)
        var other = pinned
        other.digest = digest(2)
        #expect(pinned.difference(toAnotherSource: other, digest: nil) != nil)
    }
}

/// An entity tag (RFC 9110 §8.8.3).
package struct EntityTag: Hashable, Sendable {
    package var isWeak: Bool
    /// The tag with its quotes, without `W/`.
    package var opaque: String

    package init(isWeak: Bool, opaque: String) {
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// Parses one entity tag (RFC 9110 §8.8.3); `nil` if it is not valid.
    package init?(parsing text: String) {
        var scanner = FieldScanner(text.trimmed)
        let isWeak = scanner.skip("W")
        if isWeak, !scanner.skip("/") { return nil }
        guard scanner.skip("\"") else { return nil }
        let characters = scanner.take { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
        guard scanner.skip("\""), scanner.isAtEnd else { return nil }
        self.init(isWeak: isWeak, opaque: "\"\(characters)\"")
    }

    /// Accepts any `ETag` field.
    ///
    /// A malformed one (without quotes, as some servers send it) counts as weak: it proves nothing,
    /// but its change is still noticed.
    package init?(lenient text: String) {
        if let tag = EntityTag(parsing: text) {
            self = tag
            return
        }
        let text = text.trimmed
        guard !text.isEmpty else { return nil }
        self.init(isWeak: true, opaque: text.sanitized)
    }

    /// The weak comparison (RFC 9110 §8.8.3.2).
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Whether the tag identifies a version: broken servers send an empty tag for every version.
    package var isStrong: Bool { !isWeak && opaque != "\"\"" }

    /// The strong comparison: both strong and the same (RFC 9110 §8.8.3.2).
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        isStrong && other.isStrong && opaque == other.opaque
    }
}

extension EntityTag: CustomStringConvertible {
    /// The tag as HTTP writes it.
    package var description: String { isWeak ? "W/\(opaque)" : opaque }
}

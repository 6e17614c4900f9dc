package import struct FoundationEssentials.URL
package import PawlCore

/// Tells whether a partial file was begun with a URL, without holding that URL.
///
/// The digest is salted and short. It tells the URLs of one name apart, and is too short to find a
/// token in a query by it; who can guess all that a secret could be, such as four digits, can check
/// his guesses.
package struct SourceMark: Hashable, Sendable {
    /// 16 hexadecimal digits of salt, a hyphen, 8 of the digest.
    package let text: String

    /// `keeper`: who keeps the download; half of the salt then depends on it.
    package init(_ url: URL, keeper: String? = nil) {
        let random = Self.randomDigits()
        text = Self.text(
            url,
            salt: random + (Self.digits(of: keeper, random) ?? Self.randomDigits())
        )
    }

    /// Whether it was made for the download of this keeper; another mark looks so by chance once in four
    /// billion.
    package func isKept(by keeper: String) -> Bool {
        let salt = text.prefix(16)
        guard let own = Self.digits(of: keeper, String(salt.prefix(8))) else { return false }
        return salt.suffix(8) == own
    }

    private static func randomDigits() -> String {
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    private static func digits(of keeper: String?, _ random: String) -> String? {
        keeper.map { String(ShortChecksum.text(of: "\(random) \($0)").prefix(8)) }
    }

    /// `nil` if the text has a different format.
    init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [16, 8],
            parts.allSatisfy({ $0.allSatisfy(\.isHexDigit) })
        else { return nil }
        self.text = text
    }

    package func matches(_ url: URL) -> Bool {
        text == Self.text(url, salt: String(text.prefix(16)))
    }

    /// User and password are no part of what a URL names, and the server never sees a fragment.
    private static func text(_ url: URL, salt: String) -> String {
        var parts = AddressParts(url.absoluteString)
        parts.userInfo = nil
        parts.fragment = nil
        return salt + "-" + ShortChecksum.text(of: salt + parts.text).prefix(8)
    }
}

extension Checkpoint {
    /// Whether the partial file was begun with one of these URLs.
    package func isOf(_ urls: [URL]) -> Bool {
        if let mark { return urls.contains { mark.matches($0) } }
        // Checkpoints without a mark have only the URLs without their secrets.
        let known = sources.map { AddressParts($0).redacted }
        return urls.contains { known.contains($0.redacted) }
    }

    /// Whether its bytes are proven to be of the file for which `url` sent `seen`.
    ///
    /// Beyond one URL, a validator proves little: an entity tag is unique among the versions of
    /// one resource only (RFC 9110 §8.8.3), and files written in the same second have the same
    /// date. So validators count only for the same path of the same origin, as with a link whose
    /// signature is new; another server can send whatever it likes. A digest counts for any URL.
    ///
    /// `isVouched`: the user has given `url` in place of the one that the bytes came from: then the
    /// origin may be another, whose tags are its own.
    package func isProvenSame(
        _ seen: Representation,
        at url: URL,
        isVouched: Bool = false
    ) -> Bool {
        guard representation.total != nil, representation.total == seen.total,
            representation.contentEncoding == nil, seen.contentEncoding == nil
        else { return false }
        if let digest = representation.digest, digest.algorithm == seen.digest?.algorithm {
            return digest == seen.digest
        }
        // What is hidden in one is hidden in the other; older versions have hidden less.
        guard let first = sources.first, let own = URL(string: first),
            AddressParts(own.redacted).path == AddressParts(url.redacted).path,
            representation.difference(toAnotherSource: seen, digest: nil) == nil
        else { return false }
        guard let origin = Origin(own), origin == Origin(url) else { return isVouched }
        guard let tag = representation.entityTag, let seenTag = seen.entityTag else { return true }
        return tag.matchesWeakly(seenTag)
    }

    /// The URL whose answer the representation is, then the mirrors; secrets hidden.
    private var sources: [String] { source.split(separator: "\n").map(String.init) }
}

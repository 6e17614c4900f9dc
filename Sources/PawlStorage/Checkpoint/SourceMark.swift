package import struct FoundationEssentials.URL
package import PawlCore

/// A mark that shows whether a partial file was begun with a URL, without containing that URL.
///
/// The digest is salted and short. It distinguishes the URLs of one name, and is too short to find
/// a token in a query from it. Somebody who can guess all possible values of a secret, such as four
/// digits, can check the guesses.
package struct SourceMark: Hashable, Sendable {
    /// 16 hexadecimal digits of salt, a hyphen, and 8 digits of the digest.
    package let text: String

    /// Creates a mark.
    ///
    /// `queueIdentity` identifies the queue that owns the download, such as a daemon's; half of the
    /// salt depends on it.
    package init(_ url: URL, queueIdentity: String? = nil) {
        let random = Self.randomDigits()
        text = Self.text(
            Self.address(url),
            salt: random + (Self.digits(of: queueIdentity, random) ?? Self.randomDigits())
        )
    }

    /// Whether the mark was made for a download of this owner.
    ///
    /// A mark of another owner matches by chance once in four billion.
    package func belongs(toQueue queueIdentity: String) -> Bool {
        let salt = text.prefix(16)
        guard let own = Self.digits(of: queueIdentity, String(salt.prefix(8))) else { return false }
        return salt.suffix(8) == own
    }

    private static func randomDigits() -> String {
        UInt32.random(in: .min ... .max).hexadecimal
    }

    private static func digits(of queueIdentity: String?, _ random: String) -> String? {
        queueIdentity.map { String(SHA256.shortText(of: "\(random) \($0)").prefix(8)) }
    }

    /// Returns `nil` if the text has a different format.
    init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [16, 8],
            parts.allSatisfy({ $0.allSatisfy(\.isHexDigit) })
        else { return nil }
        self.text = text
    }

    package func matches(_ url: URL) -> Bool { matches(address: Self.address(url)) }

    /// Whether the mark was made for a URL with this address.
    func matches(address: String) -> Bool {
        text == Self.text(address, salt: String(text.prefix(16)))
    }

    /// Returns the part of a URL that is marked.
    ///
    /// User and password are not part of what a URL names, and the server never sees a fragment.
    static func address(_ url: URL) -> String {
        var parts = AddressParts(url.absoluteString)
        parts.userInfo = nil
        parts.fragment = nil
        return parts.text
    }

    private static func text(_ address: String, salt: String) -> String {
        salt + "-" + SHA256.shortText(of: salt + address).prefix(8)
    }
}

extension Checkpoint {
    /// Whether the partial file was begun with one of these URLs.
    package func isOf(_ urls: [URL]) -> Bool {
        if let mark { return urls.contains { mark.matches($0) } }
        // Checkpoints without a mark contain only the URLs without their secrets.
        let known = sources.map { AddressParts($0).redacted }
        return urls.contains { known.contains($0.redacted) }
    }

    /// Whether the bytes are proven to belong to the file that `url` described as `seen`.
    ///
    /// Beyond one URL, a validator proves little: an entity tag is unique only among the versions
    /// of one resource (RFC 9110 §8.8.3), and files written in the same second have the same date.
    /// So validators count only for a link that has a new signature, with the same origin, path and
    /// other parameters; another server can send any validators. A digest counts for any URL.
    ///
    /// `isVouched`: whether the user has given `url` in place of the URL that the bytes came from.
    /// Then the origin may be another one, with its own tags.
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
        // Both have the same parts hidden; older versions have hidden less.
        guard let first = sources.first, let own = URL(string: first) else { return false }
        let (known, given) = (AddressParts(own.redacted), AddressParts(url.redacted))
        guard known.path == given.path,
            representation.difference(toAnotherSource: seen, digest: nil) == nil
        else { return false }
        guard let origin = Origin(own), origin == Origin(url) else { return isVouched }
        guard
            isVouched
                || QueryRedaction.differOnlyInSignature(known.query ?? "", given.query ?? "")
        else { return false }
        guard let tag = representation.entityTag, let seenTag = seen.entityTag else { return true }
        return tag.matchesWeakly(seenTag)
    }

    /// The URL whose response defined the representation, then the mirrors, with their secrets
    /// hidden.
    private var sources: [String] { source.split(separator: "\n").map(String.init) }
}

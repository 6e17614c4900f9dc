/// The SHA-256 digest of a public key in Base64, with or without curl's prefix `sha256//`.
package enum PublicKeyText {
    /// The prefix with which curl writes such a digest.
    package static let prefix = "sha256//"
    private static let form: Advice = "write sha256// and the 44 characters of the digest in Base64"

    /// Returns the digest without the prefix and without spaces around it.
    package static func digest(of text: String) -> String {
        let plain = text.trimmed
        return plain.hasPrefix(prefix) ? String(plain.dropFirst(prefix.count)) : plain
    }

    /// Returns the digest; throws if the text is not the SHA-256 digest of a key.
    package static func parse(_ text: String) throws(ValueError) -> String {
        let digest = Self.digest(of: text)
        // A server's digest is compared with this as bytes, so that it has one way to be written.
        guard let bytes = [UInt8](base64: digest), bytes.count == 32, bytes.base64 == digest else {
            throw ValueError(
                "'\(text.sanitized(atMost: 60))' is not the SHA-256 digest of a key",
                advice: form
            )
        }
        return digest
    }
}

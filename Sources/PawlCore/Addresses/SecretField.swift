/// Decides by the names of header fields whether their values are secret.
package enum SecretField {
    /// Whether a header field must be kept from other origins, logs and listings.
    package static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return headers.contains(name) || looksSecret(name)
    }

    private static let headers: Set = [
        "authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "set-cookie2",
    ]

    /// The parts that mark a secret anywhere in a name: `accessToken`, `x-amz-security-token`,
    /// `AWSAccessKeyId`.
    private static let parts = [
        "token", "secret", "password", "passwd", "passphrase", "signature", "credential",
        "apikey", "accesskey", "privatekey", "sessionid",
    ]

    /// The words that mark a secret as a whole word: `sig` is secret, `design` is not.
    private static let words: Set = [
        "sig", "key", "pwd", "pass", "auth", "authkey", "passkey", "rsskey", "authorization",
        "session",
        "sid",
    ]

    /// Whether `name`, in lower case, indicates a secret.
    static func looksSecret(_ name: String) -> Bool {
        if parts.contains(where: { name.contains($0) }) { return true }
        return name.utf8.split { !$0.isLetter && !$0.isDigit }
            .contains { words.contains(String(Substring($0))) }
    }
}

/// Which names of header fields say that their values are secret.
package enum SecretField {
    /// Whether a header field is to be kept from other origins, logs and listings.
    package static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return headers.contains(name) || looksSecret(name)
    }

    private static let headers: Set = [
        "authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "set-cookie2",
    ]

    /// Found anywhere in a name: `accessToken`, `x-amz-security-token`, `AWSAccessKeyId`.
    private static let parts = [
        "token", "secret", "password", "passwd", "passphrase", "signature", "credential",
        "apikey", "accesskey", "privatekey", "sessionid",
    ]

    /// Found as whole words: `sig` is secret, `design` is not.
    private static let words: Set = [
        "sig", "key", "pwd", "pass", "auth", "authkey", "authorization", "session", "sid",
    ]

    /// `name` in lower case.
    static func looksSecret(_ name: String) -> Bool {
        if parts.contains(where: { name.contains($0) }) { return true }
        return name.utf8.split { !$0.isLetter && !$0.isDigit }
            .contains { words.contains(String(Substring($0))) }
    }
}

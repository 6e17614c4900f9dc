/// Decides which parts of a URL's query may be shown and stored.
///
/// A value is hidden unless its parameter is known to be harmless, or the value itself is short and
/// plain, because the names of secrets are too many to list. A name that indicates a secret hides
/// any value.
package enum QueryRedaction {
    /// The text that replaces a hidden value.
    package static let mark = "REDACTED"
    private static let mostHarmless = 200
    private static let mostDigits = 12
    private static let mostLetters = 12

    /// Returns the query with possible secrets hidden.
    ///
    /// Applying it twice changes nothing more.
    package static func redacted(_ query: String) -> String {
        query.pieces(at: "&")
            .map { parameter in
                guard let equals = parameter.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                    // `?download`, but also links whose whole query is a token.
                    return isPlain(parameter.percentDecoded) ? String(parameter) : mark
                }
                let value = parameter[parameter.utf8.index(after: equals)...].percentDecoded
                return shows(parameter[..<equals].percentDecoded, value)
                    ? String(parameter) : "\(parameter[..<equals])=\(mark)"
            }
            .joined(separator: "&")
    }

    /// Returns whether two queries differ at most in the parameters of a signature, so that they
    /// name the same file of one path; in both, secrets may be hidden.
    ///
    /// A hidden value of any other parameter may be different in the two.
    package static func differOnlyInSignature(_ one: String, _ other: String) -> Bool {
        rest(of: one).map { $0 == rest(of: other) } ?? false
    }

    /// Returns the parameters that do not belong to a signature; `nil` if the value of one is
    /// hidden.
    private static func rest(of query: String) -> [String]? {
        var rest: [String] = []
        for parameter in query.pieces(at: "&") where !parameter.isEmpty {
            let name = parameter.prefix { $0 != "=" }.percentDecoded.lowercased()
            let isSigning =
                signing.contains(name) || signingPrefixes.contains { name.hasPrefix($0) }
            guard !isSigning else { continue }
            guard !parameter.hasSuffix(mark) else { return nil }
            rest.append(String(parameter))
        }
        return rest.sorted()
    }

    /// The parameters of signed links: AWS and CloudFront, Google, Azure, Akamai, and common names.
    private static let signing: Set = [
        "access_token", "auth", "auth_key", "authorization", "awsaccesskeyid", "exp", "expire",
        "expires", "googleaccessid", "hdnea", "hdntl", "hdnts", "hmac", "jwt", "key-pair-id", "oe",
        "oh", "policy", "rlkey", "se", "sig", "sign", "signature", "ske", "skoid", "sks", "skt",
        "sktid", "skv", "sp", "spr", "sr", "st", "sv", "tempauth", "token", "verify",
    ]
    private static let signingPrefixes = ["x-amz-", "x-goog-"]

    /// Whether a parameter's value may be shown; name and value are decoded.
    static func shows(_ name: String, _ value: String) -> Bool {
        let name = name.lowercased()
        guard !value.isEmpty, value != mark else { return true }
        if isSecret(name) { return false }
        if isPlain(value) { return true }
        guard value.utf8.count <= mostHarmless, !value.contains("://"),
            !value.contains(where: { "?%#&".contains($0) })
        else { return false }
        if dispositions.contains(name) { return true }
        // With another separator, a part of the value would be a parameter with its own name.
        return harmless.contains(name) && !value.contains(where: { "=;".contains($0) })
    }

    /// Whether the value is a number, a version, a date, or a single word.
    ///
    /// No strong token looks like that.
    private static func isPlain(_ value: String) -> Bool {
        let bytes = value.utf8
        guard let first = bytes.first else { return true }
        if bytes.allSatisfy(\.isLetter) {
            let rest = bytes.dropFirst()
            let isLower = rest.allSatisfy { $0 >= UInt8(ascii: "a") }
            let isUpper = !isLower && bytes.allSatisfy { $0 < UInt8(ascii: "a") }
            return bytes.count <= mostLetters && (isLower || isUpper)
        }
        guard first.isDigit, bytes.last?.isDigit == true else { return false }
        return bytes.count(where: \.isDigit) <= mostDigits
            && bytes.allSatisfy { $0.isDigit || ".-:,".utf8.contains($0) }
    }

    private static func isSecret(_ name: String) -> Bool {
        if secret.contains(name) || SecretField.looksSecret(name) { return true }
        return name.utf8.split { !$0.isLetter && !$0.isDigit }
            .contains { words.contains(String(Substring($0))) }
    }

    /// The names of secrets in signed links, logins and share links, beside the names that contain
    /// one of `words`.
    private static let secret: Set = [
        "hdnea", "hdnts", "jwt", "oh", "phpsessid", "policy", "rlkey", "sessid", "st", "tempauth",
    ]

    /// The words that mark a secret.
    ///
    /// They are matched as whole words.
    private static let words: Set = [
        "access", "code", "hash", "hmac", "mac", "md5", "nonce", "otp", "pin", "psk", "pw",
        "refresh", "sha1", "sha256", "sign", "state", "ticket", "verify",
    ]

    /// The names of header fields for the response, which contain file names: S3's, Azure's.
    private static let dispositions: Set = [
        "response-content-disposition", "response-content-type", "rscd", "rsct",
    ]

    private static let harmless: Set = [
        // The file and its form.
        "alt", "arch", "architecture", "artifact", "attachment", "branch", "build", "channel",
        "codec", "dir", "disposition", "distro", "dl", "download", "edition", "ext", "extension",
        "file", "file_name", "filename", "fmt", "folder", "format", "fn", "kind", "lang",
        "language", "locale", "media", "mime", "mirror", "mode", "model", "name", "os", "package",
        "path", "platform", "product", "project", "quality", "raw", "ref", "release", "repo",
        "resolution", "revision", "size", "system", "tag", "target", "title", "type", "use_mirror",
        "v", "variant", "ver", "version",
        // A search, and the part of its result.
        "end", "from", "limit", "offset", "order", "page", "part", "q", "query", "range", "search",
        "sort", "start", "to",
        // The time and method of a signature, which do not help to forge one.
        "exp", "expire", "expires", "date", "se", "ske", "skt", "sp", "spr", "sr", "sv", "time",
        "timestamp", "x-amz-algorithm", "x-amz-checksum-mode", "x-amz-content-sha256", "x-amz-date",
        "x-amz-expires", "x-amz-signedheaders", "x-goog-algorithm", "x-goog-date",
        "x-goog-expires", "x-goog-signedheaders", "x-id",
    ]
}

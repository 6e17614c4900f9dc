/// A cookie as a line of Netscape's cookie file, which libcurl and other programs read and write.
///
/// Its fields, separated by tabs, are: domain, whether subdomains receive it, path, whether it
/// needs TLS, when it expires, name, value.
package struct CookieLine: Hashable, Sendable {
    /// What distinguishes a cookie from all others (RFC 6265 §5.3).
    package struct Key: Hashable, Sendable {
        package let domain: String
        package let path: String
        package let name: String
    }

    /// The line as it was read, without a line break.
    package let text: String
    package let key: Key
    package let value: String
    /// Whether only requests over TLS carry the cookie.
    package let isSecure: Bool
    /// Whether scripts of web pages cannot read it.
    package let isHTTPOnly: Bool
    /// The seconds since 1970 at which it expires; 0 if it lasts only as long as a session.
    package let expires: Int64

    /// Returns `nil` if the line is not a cookie.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "\t", omittingEmptySubsequences: false)
        // libcurl takes such a line for a header field.
        guard parts.count >= 6, !parts[0].lowercased().hasPrefix("set-cookie:") else { return nil }
        let mark = "#HttpOnly_"
        isHTTPOnly = parts[0].hasPrefix(mark)
        var domain = isHTTPOnly ? parts[0].dropFirst(mark.count) : parts[0][...]
        guard !domain.hasPrefix("#") else { return nil }
        // Some programs write the dot of a domain cookie, and some do not.
        if domain.hasPrefix(".") { domain = domain.dropFirst() }
        let hasSubdomains = parts[1].uppercased() == "TRUE"
        guard !domain.isEmpty else { return nil }
        key = Key(
            domain: (hasSubdomains ? "." : "") + domain.lowercased(),
            path: String(parts[2]),
            name: String(parts[5])
        )
        value = parts.count > 6 ? String(parts[6]) : ""
        isSecure = parts[3].uppercased() == "TRUE"
        expires = Int64(parts[4]) ?? 0
        self.text = String(text)
    }

    /// Whether the cookie may be kept in a file at this time, in seconds since 1970: it outlasts a
    /// session, and has not expired.
    package func isLasting(at now: Int64) -> Bool { expires > now }

    /// Whether both lines mean the same cookie with the same value and restrictions, even if they
    /// are written in another way.
    package func isSame(as other: CookieLine) -> Bool {
        key == other.key && value == other.value && expires == other.expires
            && isSecure == other.isSecure && isHTTPOnly == other.isHTTPOnly
    }

    package func hasExpired(at now: Int64) -> Bool { expires != 0 && expires <= now }
}

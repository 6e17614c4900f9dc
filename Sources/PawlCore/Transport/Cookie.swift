public import struct FoundationEssentials.Date
public import struct FoundationEssentials.URL

/// A cookie that a server has set (RFC 6265), or that a cookie file contains.
public struct Cookie: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The value, which is often a secret, such as the proof of a login.
    public let value: String
    /// The host that has set the cookie, in lower case.
    public let domain: String
    /// Whether the hosts below ``domain`` receive the cookie, too: `www.example.org` for the domain
    /// `example.org`.
    public let includesSubdomains: Bool
    /// The path with which the path of a URL must begin.
    public let path: String
    /// Whether only HTTPS requests carry the cookie.
    public let isSecure: Bool
    /// Whether the server keeps the cookie from the scripts of web pages.
    public let isHTTPOnly: Bool
    /// When the cookie expires; `nil` if it lasts as long as the session.
    public let expiryDate: Date?

    /// What distinguishes the cookie from all others.
    package let key: CookieLine.Key

    package init(_ line: CookieLine) {
        key = line.key
        name = Self.shown(key.name)
        value = Self.shown(line.value)
        includesSubdomains = key.domain.hasPrefix(".")
        domain = Self.shown(includesSubdomains ? String(key.domain.dropFirst()) : key.domain)
        path = Self.shown(key.path)
        isSecure = line.isSecure
        isHTTPOnly = line.isHTTPOnly
        expiryDate =
            line.expires == 0 ? nil : Date(timeIntervalSince1970: Double(line.expires))
    }

    /// Returns a text of a file, in which bytes that are not UTF-8 are replaced.
    private static func shown(_ text: String) -> String {
        String(decoding: LosslessText.bytes(of: text), as: UTF8.self)
    }
}

extension Cookie {
    /// Whether a request for the URL carries the cookie while it has not expired (RFC 6265 §5.4).
    package func applies(to url: URL) -> Bool {
        let parts = AddressParts(url.absoluteString)
        guard let scheme = URLScheme(of: parts.scheme), let host = parts.host?.lowercased() else {
            return false
        }
        let address = IPAddress(host)
        // libcurl also sends secure cookies to this machine without TLS.
        let isSafe =
            scheme == .https || host == "localhost" || address == .loopback4
            || address == .loopback6
        return (isSafe || !isSecure) && matches(host) && matches(path: parts.path)
    }

    private func matches(_ host: String) -> Bool {
        guard host != domain else { return true }
        return includesSubdomains && host.hasSuffix(".\(domain)") && IPAddress(host) == nil
    }

    /// Whether the path of a URL is within that of the cookie (RFC 6265 §5.1.4).
    private func matches(path asked: String) -> Bool {
        let slash = UInt8(ascii: "/")
        let (own, asked) = (path.utf8, (asked.isEmpty ? "/" : asked).utf8)
        guard own.first == slash, own.count > 1 else { return true }
        guard asked.starts(with: own) else { return false }
        return own.last == slash || asked.count == own.count
            || asked.dropFirst(own.count).first == slash
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The cookie without its value, such as `id of .example.org/films`.
    public var description: String {
        "\(name) of \(includesSubdomains ? "." : "")\(domain)\(path)".sanitized
    }

    /// The cookie without its value.
    public var debugDescription: String { description }

    /// An empty mirror, so that `dump` does not show the value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

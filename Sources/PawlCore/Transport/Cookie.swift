public import struct FoundationEssentials.Date
public import struct FoundationEssentials.URL

/// A cookie that a server has set (RFC 6265), that a cookie file contains, or that a program creates.
///
/// ```swift
/// var cookie = try Cookie("id", value: "7", domain: "example.org")
/// cookie.isSecure = true  // only HTTPS requests carry it
/// session.setCookie(cookie)
/// ```
public struct Cookie: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The value, which is often a secret, such as the proof of a login.
    public let value: String
    /// The host that has set the cookie, in lower case.
    public let domain: String
    /// Whether the hosts below ``domain`` receive the cookie, too: `www.example.org` for the domain
    /// `example.org`.
    public var includesSubdomains: Bool
    /// The path with which the path of a URL must begin.
    public let path: String
    /// Whether only HTTPS requests carry the cookie.
    public var isSecure: Bool
    /// Whether the server keeps the cookie from the scripts of web pages.
    public var isHTTPOnly: Bool
    /// When the cookie expires; `nil` if it lasts as long as the session.
    public var expiryDate: Date?

    /// The domain without a dot, the path and the name as a file contains them.
    private let exact: CookieLine.Key
    /// The value as a file contains it.
    private let exactValue: String

    package init(_ line: CookieLine) {
        let key = line.key
        includesSubdomains = key.domain.hasPrefix(".")
        let domain = includesSubdomains ? String(key.domain.dropFirst()) : key.domain
        exact = CookieLine.Key(domain: domain, path: key.path, name: key.name)
        exactValue = line.value
        name = Self.shown(key.name)
        value = Self.shown(line.value)
        self.domain = Self.shown(domain)
        path = Self.shown(key.path)
        isSecure = line.isSecure
        isHTTPOnly = line.isHTTPOnly
        expiryDate =
            line.expires == 0 ? nil : Date(timeIntervalSince1970: Double(line.expires))
    }

    /// Creates a cookie, which ``isSecure``, ``includesSubdomains`` and the other properties then
    /// restrict or extend.
    ///
    /// By default, the host of the domain alone receives it, with any path, over HTTP and HTTPS, as
    /// long as the session exists. A dot before the domain sets ``includesSubdomains``, as in
    /// Foundation.
    ///
    /// - Throws: `DownloadError` with the code `.usage` if a part is empty or has a character that
    ///   cannot be sent in it. The value may be empty.
    public init(
        _ name: String,
        value: String,
        domain: String,
        path: String = "/",
        expiryDate: Date? = nil
    ) throws(DownloadError) {
        includesSubdomains = domain.hasPrefix(".")
        self.domain = (includesSubdomains ? String(domain.dropFirst()) : domain).lowercased()
        guard Self.isPlain(name, without: "=;, "), !name.isEmpty else {
            throw .usage(
                "'\(name.sanitized(atMost: 40))' cannot be the name of a cookie",
                advice: "use letters and digits"
            )
        }
        guard Self.isPlain(value, without: ";") else {
            throw .usage(
                "the value of the cookie '\(name)' has a semicolon or a control character",
                advice: "encode it, such as with percent signs"
            )
        }
        guard Self.isPlain(self.domain, without: "/;:, #"), !self.domain.isEmpty else {
            throw .usage(
                "'\(domain.sanitized(atMost: 80))' cannot be the domain of a cookie",
                advice: "give the name of a host, such as example.org"
            )
        }
        guard path.utf8.first == UInt8(ascii: "/"), Self.isPlain(path, without: ";") else {
            throw .usage(
                "'\(path.sanitized(atMost: 80))' cannot be the path of a cookie",
                advice: "give a path that begins with a slash"
            )
        }
        self.name = name
        self.value = value
        self.path = path
        (isSecure, isHTTPOnly) = (false, false)
        self.expiryDate = expiryDate
        exact = CookieLine.Key(
            domain: Self.exact(self.domain),
            path: Self.exact(path),
            name: Self.exact(name)
        )
        exactValue = Self.exact(value)
    }

    /// What distinguishes the cookie from all others.
    package var key: CookieLine.Key {
        CookieLine.Key(
            domain: (includesSubdomains ? "." : "") + exact.domain,
            path: exact.path,
            name: exact.name
        )
    }

    /// The cookie as a line of a cookie file.
    package var line: CookieLine? {
        let expires = expiryDate.map { Int64($0.timeIntervalSince1970.clamped) } ?? 0
        let fields = [
            (isHTTPOnly ? "#HttpOnly_" : "") + key.domain, includesSubdomains ? "TRUE" : "FALSE",
            exact.path, isSecure ? "TRUE" : "FALSE", String(expires), exact.name, exactValue,
        ]
        return CookieLine(fields.joined(separator: "\t"))
    }

    /// Returns a text of a file, in which bytes that are not UTF-8 are replaced.
    private static func shown(_ text: String) -> String {
        String(decoding: LosslessText.bytes(of: text), as: UTF8.self)
    }

    /// Returns a text as a file contains it.
    private static func exact(_ text: String) -> String { LosslessText.text(of: Array(text.utf8)) }

    /// Whether a text has no control character and none of some others.
    private static func isPlain(_ text: String, without others: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && scalar.value != 0x7F
                && !others.unicodeScalars.contains(scalar)
        }
    }
}

extension Double {
    /// The number within the seconds that a date of a cookie can have: 0 would be a cookie without
    /// an expiry date.
    fileprivate var clamped: Double { isNaN ? 1 : Swift.min(Swift.max(self, 1), 1e15) }
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

public import struct FoundationEssentials.URL

/// The proxy to use.
///
/// Printing the value shows no name and no password.
public enum ProxyPolicy: Hashable, Sendable, CustomStringConvertible {
    /// The proxy that the environment variables `http_proxy`, `https_proxy` and `all_proxy` name
    /// for the URL, unless `no_proxy` contains its host.
    case environment
    /// No proxy, whatever the environment contains.
    case none
    /// This proxy for all URLs.
    ///
    /// The scheme is `http` or `https` for an HTTP proxy, and `socks4`, `socks4a`, `socks5` or
    /// `socks5h` for a SOCKS proxy, which resolves names itself with `socks4a` and `socks5h`. A
    /// name and password in the URL are sent to the proxy.
    case proxy(URL)

    /// A text that hides a name and password.
    public var description: String {
        switch self {
        case .environment: "environment"
        case .none: "none"
        case .proxy(let url): url.redacted
        }
    }

    /// Reads `none` or the URL of a proxy; without a scheme, it is an HTTP proxy.
    ///
    /// An error contains neither the name nor the password.
    package static func parse(_ text: String) throws(ValueError) -> ProxyPolicy {
        if text.lowercased() == "none" { return .none }
        let parts = AddressParts(text.contains("://") ? text : "http://" + text)
        let shown = AddressParts.withoutUser(parts.text).redacted.sanitized(atMost: 200)
        guard let scheme = parts.scheme?.lowercased(), schemes.contains(scheme) else {
            throw ValueError("'\(shown)' is not a proxy", advice: form)
        }
        guard !text.holdsUnsafeToShow, parts.hasUsableHost, parts.hasUsablePort,
            parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil,
            let url = URL(string: parts.text)
        else { throw ValueError("'\(shown)' is not the URL of a proxy", advice: form) }
        return .proxy(url)
    }

    package static let form: Advice =
        "write scheme://host:port with http, https, socks4, socks4a, socks5 or socks5h; or none"

    private static let schemes: Set<String> = [
        "http", "https", "socks4", "socks4a", "socks5", "socks5h",
    ]
}

package import struct FoundationEssentials.URL

extension URL {
    /// The host as written in a URL: in lower case, without the port, with brackets for an IPv6
    /// address (RFC 3986 §3.2.2).
    package var shownHost: String? {
        guard let host = host()?.lowercased() else { return nil }
        return host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }
}

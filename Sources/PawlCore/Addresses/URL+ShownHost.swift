package import struct FoundationEssentials.URL

extension URL {
    /// The host as a URL has it: in small letters, an IPv6 address in brackets (RFC 3986 §3.2.2), no port.
    package var shownHost: String? {
        guard let host = host()?.lowercased() else { return nil }
        return host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }
}

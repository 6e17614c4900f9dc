package import struct FoundationEssentials.URL

/// The scheme, host and port to which secrets belong (RFC 6454).
package struct Origin: Hashable, Sendable {
    package var scheme: String
    package var host: String
    package var port: Int

    /// Returns `nil` if the scheme is not that of a server, or if the host or the port is not valid.
    package init?(_ url: URL) {
        let parts = AddressParts(url.absoluteString)
        guard let scheme = URLScheme(of: parts.scheme), !scheme.isLocal, parts.hasUsablePort,
            let host = parts.host, !host.isEmpty
        else { return nil }
        self.scheme = scheme.rawValue
        self.host = host.lowercased()
        port = parts.port.flatMap { Int($0) } ?? scheme.usualPort
    }
}

extension Origin: CustomStringConvertible {
    /// The origin such as `https://example.org:8443`, with the port if it is not the default.
    package var description: String {
        let isUsual = URLScheme.usualPort(of: scheme) == port
        return "\(scheme)://\(host.sanitized)" + (isUsual ? "" : ":\(port)")
    }
}

package import struct FoundationEssentials.URL

/// Where secrets belong: scheme, host and port (RFC 6454).
package struct Origin: Hashable, Sendable {
    package var scheme: String
    package var host: String
    package var port: Int

    /// Nil for other schemes than HTTP's, and where host or port are none.
    package init?(_ url: URL) {
        let parts = AddressParts(url.absoluteString)
        guard let scheme = parts.scheme?.lowercased(), let usual = Self.usualPorts[scheme],
            parts.hasUsablePort, let host = parts.host, !host.isEmpty
        else { return nil }
        self.scheme = scheme
        self.host = host.lowercased()
        port = parts.port.flatMap { Int($0) } ?? usual
    }

    private static let usualPorts = ["http": 80, "https": 443]
}

extension Origin: CustomStringConvertible {
    /// `https://example.org:8443`, the port where it is not the usual one.
    package var description: String {
        let isUsual = Self.usualPorts[scheme] == port
        return "\(scheme)://\(host.sanitized)" + (isUsual ? "" : ":\(port)")
    }
}

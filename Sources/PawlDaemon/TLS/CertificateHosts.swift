internal import PawlCore

/// The hosts that a request over TLS may name, in addition to those of the daemon's own URLs (pure).
///
/// The names of the certificate are among them, and so is each address: a page whose name resolves to
/// this machine has another `Host`, and its name is not in the certificate.
struct CertificateHosts: Sendable {
    let port: UInt16
    /// Whether the certificate is for a name.
    let isNamed: @Sendable (String) -> Bool

    /// Whether they contain a host, which has small letters and its port.
    func contain(_ host: String) -> Bool {
        guard let name = name(of: host) else { return false }
        return IPAddress(name) != nil || isNamed(name)
    }

    /// Returns the host without the daemon's port; `nil` for another port.
    private func name(of host: String) -> String? {
        if host.hasSuffix(":\(port)") { return String(host.dropLast(":\(port)".count)) }
        // Without a port, that of HTTPS is meant.
        guard port == 443, host.hasSuffix("]") || !host.contains(":") else { return nil }
        return host
    }
}

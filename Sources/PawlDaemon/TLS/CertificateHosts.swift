internal import PawlCore

/// The hosts that a request over TLS may name, in addition to those of the daemon's own URLs (pure).
///
/// They are the names of the certificate and all addresses. A foreign page whose name resolves to this
/// machine sends that name as `Host`, and the certificate does not contain it.
struct CertificateHosts: Sendable {
    let port: UInt16
    /// Whether the certificate is for a name.
    let isNamed: @Sendable (String) -> Bool

    /// Whether they contain a host, which has small letters and its port.
    func contains(_ host: String) -> Bool {
        guard let name = name(of: host) else { return false }
        return IPAddress(name) != nil || isNamed(name)
    }

    /// Returns the host without the daemon's port; `nil` for another port.
    private func name(of host: String) -> String? {
        if host.hasSuffix(":\(port)") { return String(host.dropLast(":\(port)".count)) }
        // A host without a port means port 443.
        guard port == 443, host.hasSuffix("]") || !host.contains(":") else { return nil }
        return host
    }
}

internal import PawlCore
internal import PawlWire

/// The hosts that a request over TCP may name, and the origins of the daemon's own pages (pure).
///
/// Over TLS, they include the names of the certificate and all addresses. A foreign page whose name
/// resolves to this machine sends that name as `Host`, and the certificate does not contain it.
struct OwnHosts: Sendable {
    /// The hosts of the listener, with the port, and those of the base URL.
    private let hosts: Set<String>
    private let origins: Set<String>
    private let port: UInt16
    /// Whether the certificate is for a name; `nil` without TLS.
    private let isNamed: (@Sendable (String) -> Bool)?

    /// - Parameters:
    ///   - names: The names of the listener, without the port.
    ///   - schemes: The schemes of the daemon's own origins.
    ///   - base: The URL under which a reverse proxy serves the daemon.
    ///   - isNamed: Over TLS, whether the daemon's certificate is for a name or an address; `nil`
    ///     without TLS.
    init(
        _ names: [String],
        port: UInt16,
        schemes: [String],
        base: BaseURL?,
        isNamed: (@Sendable (String) -> Bool)?
    ) {
        let standardPort: UInt16 = isNamed == nil ? 80 : 443
        let own = names.map { "\($0):\(port)" } + (port == standardPort ? names : [])
        hosts = Set(own + (base?.hosts ?? []))
        origins = Set(
            own.flatMap { host in schemes.map { "\($0)://\(host)" } }
                + [base?.origin].compactMap(\.self)
        )
        (self.port, self.isNamed) = (port, isNamed)
    }

    var isSecure: Bool { isNamed != nil }

    /// The hosts that are known without the certificate, for a message.
    var text: String { hosts.sorted().joined(separator: ", ") }

    /// Whether a host, with its port, is one of the daemon.
    func contains(_ host: String) -> Bool {
        let host = host.lowercased()
        if hosts.contains(host) { return true }
        guard let isNamed, let name = name(of: host) else { return false }
        return IPAddress(name) != nil || isNamed(name)
    }

    /// Whether an `Origin` is that of the daemon itself.
    ///
    /// `named`: the `Host` fields of the request. A certificate may be for many names, whose other
    /// pages are not the daemon's.
    func contains(origin: String, of named: [String]) -> Bool {
        let origin = origin.lowercased()
        return origins.contains(origin)
            || isSecure && named.contains { origin == "https://\($0.lowercased())" }
    }

    /// Returns the host without the daemon's port; `nil` for another port.
    private func name(of host: String) -> String? {
        if host.hasSuffix(":\(port)") { return String(host.dropLast(":\(port)".count)) }
        // A host without a port means port 443.
        guard port == 443, host.hasSuffix("]") || !host.contains(":") else { return nil }
        return host
    }
}

package import PawlWire

/// The hosts that a request to aria2's RPC may name (pure).
///
/// Otherwise, a page whose name resolves to this address could send requests (DNS rebinding). In
/// contrast to the API, `localhost` is allowed: it is the default of many clients of aria2.
package struct Aria2Hosts: Sendable {
    /// The listener's own hosts, and those of the base URL.
    private let hosts: Set<String>
    private let origins: Set<String>
    /// The hosts of the daemon's certificate; `nil` without TLS.
    private let certificateHosts: CertificateHosts?

    /// - Parameters:
    ///   - base: The URL under which a reverse proxy serves the daemon.
    ///   - isNamed: With TLS, whether the daemon's certificate is for a name; `nil` without TLS.
    package init(
        _ address: ListenAddress,
        base: BaseURL? = nil,
        isNamed: (@Sendable (String) -> Bool)? = nil
    ) {
        let names = [address.hostText, "localhost"]
        let own =
            names.map { "\($0):\(address.port)" }
            + (address.port == 80 || address.port == 443 && isNamed != nil ? names : [])
        hosts = Set(own + (base?.hosts ?? []))
        origins = Set(
            own.flatMap { ["http://\($0)", "https://\($0)"] } + [base?.origin].compactMap(\.self)
        )
        certificateHosts = isNamed.map { CertificateHosts(port: address.port, isNamed: $0) }
    }

    /// Whether a request with these `Host` fields is answered.
    ///
    /// `forwarded`: the host that the client has named to a trusted proxy.
    package func allow(_ fields: [String], forwarded: String? = nil) -> Bool {
        fields.count == 1 && isOwn(fields[0]) && forwarded.map(isOwn) ?? true
    }

    private func isOwn(_ host: String) -> Bool {
        let host = host.lowercased()
        return hosts.contains(host) || certificateHosts?.contains(host) ?? false
    }

    /// Whether an `Origin` is that of the daemon itself, which some programs send.
    ///
    /// `hosts`: the `Host` fields of the request. A certificate may be for many names, whose other
    /// pages are not the daemon's.
    package func isOwn(origin: String, of hosts: [String] = []) -> Bool {
        let origin = origin.lowercased()
        return origins.contains(origin)
            || certificateHosts != nil && hosts.contains { origin == "https://\($0.lowercased())" }
    }

    package var text: String { hosts.sorted().joined(separator: ", ") }
}

package import PawlWire

/// The hosts that a request to aria2's RPC may name (pure).
///
/// Otherwise, a page whose name resolves to this address could send requests (DNS rebinding). In
/// contrast to the API, `localhost` is allowed: it is the default of many clients of aria2.
package struct Aria2Hosts: Sendable {
    private let own: OwnHosts

    /// - Parameters:
    ///   - base: The URL under which a reverse proxy serves the daemon.
    ///   - isNamed: With TLS, whether the daemon's certificate is for a name; `nil` without TLS.
    package init(
        _ address: ListenAddress,
        base: BaseURL? = nil,
        isNamed: (@Sendable (String) -> Bool)? = nil
    ) {
        own = OwnHosts(
            [address.hostText, "localhost"],
            port: address.port,
            schemes: ["http", "https"],
            base: base,
            isNamed: isNamed
        )
    }

    /// Whether a request with these `Host` fields is answered.
    ///
    /// `forwarded`: the host that the client has named to a trusted proxy.
    package func allow(_ fields: [String], forwarded: String? = nil) -> Bool {
        fields.count == 1 && own.contains(fields[0]) && forwarded.map { own.contains($0) } ?? true
    }

    /// Whether an `Origin` is that of the daemon itself, which some programs send.
    ///
    /// `hosts`: the `Host` fields of the request.
    package func isOwn(origin: String, of hosts: [String] = []) -> Bool {
        own.contains(origin: origin, of: hosts)
    }

    package var text: String { own.text }
}

package import PawlWire

/// The hosts that a request to aria2's RPC may name (pure).
///
/// Otherwise, a page whose name resolves to this address could send requests (DNS rebinding). In
/// contrast to the API, `localhost` is allowed: it is the default of many clients of aria2.
package struct Aria2Hosts: Sendable {
    /// The listener's own hosts, and those of the base URL.
    private let hosts: Set<String>
    private let origins: Set<String>

    /// `base`: the URL under which a reverse proxy serves the daemon.
    package init(_ address: ListenAddress, base: BaseURL? = nil) {
        let names = [address.hostText, "localhost"]
        let own = names.map { "\($0):\(address.port)" } + (address.port == 80 ? names : [])
        hosts = Set(own + (base?.hosts ?? []))
        origins = Set(
            own.flatMap { ["http://\($0)", "https://\($0)"] } + [base?.origin].compactMap(\.self)
        )
    }

    /// Whether a request with these `Host` fields is answered.
    ///
    /// `forwarded`: the host that the client has named to a trusted proxy.
    package func allow(_ fields: [String], forwarded: String? = nil) -> Bool {
        fields.count == 1 && hosts.contains(fields[0].lowercased())
            && forwarded.map { hosts.contains($0.lowercased()) } ?? true
    }

    /// Whether an `Origin` is that of the daemon itself, which some programs send.
    package func isOwn(origin: String) -> Bool { origins.contains(origin.lowercased()) }

    package var text: String { hosts.sorted().joined(separator: ", ") }
}

package import PawlCore
package import PawlWire

/// What the daemon knows about its reverse proxies (pure;
/// docs/decisions/049-from-elsewhere.md).
package struct ProxyRules: Sendable, Hashable {
    /// The URL under which a proxy serves the daemon.
    package var base: BaseURL?
    /// The proxies whose reports about their clients count.
    private var trusted: [AddressRange] = []

    package init() {}

    /// Ignores values that are not valid, which another version may have stored.
    package init(_ settings: DaemonSettings) {
        base = settings.baseURL.flatMap { try? BaseURL(parsing: $0) }
        trusted = settings.trustedProxies.compactMap { AddressRange($0) }
    }

    /// Whether what this peer reports about its clients counts.
    package func trusts(_ peer: IPAddress?) -> Bool {
        guard let peer else { return false }
        return trusted.contains { $0.contains(peer) }
    }

    /// Returns the client of a request that this peer has sent.
    ///
    /// It is the last hop that is not a trusted proxy. What comes before that hop may be invented.
    ///
    /// `isSecure`: whether the connection with the peer uses TLS.
    package func client(
        of peer: IPAddress?,
        _ fields: ForwardedFields,
        isSecure: Bool = false
    ) -> RequestClient {
        var client = RequestClient(address: peer, isSecure: isSecure)
        guard trusts(peer) else { return client }
        for hop in fields.hops.reversed() {
            client.isSecure = hop.scheme == "https"
            client.forwardedHost = hop.host
            // The hops before an unknown one were not seen by a trusted proxy.
            guard let address = hop.address else { break }
            client.address = address
            guard trusts(address) else { break }
        }
        return client
    }
}

/// The client of a request over TCP, as far as it is known.
package struct RequestClient: Sendable, Hashable {
    /// Its address; `nil` at the Unix socket.
    package var address: IPAddress?
    /// Whether the client uses TLS, with the daemon or, as a trusted proxy reports, with the proxy.
    package var isSecure: Bool
    /// The host that the client has named to a trusted proxy.
    package var forwardedHost: String?
    /// The base URL, if the request was sent to it.
    package var base: BaseURL?

    package init(address: IPAddress? = nil, isSecure: Bool = false) {
        (self.address, self.isSecure) = (address, isSecure)
    }
}

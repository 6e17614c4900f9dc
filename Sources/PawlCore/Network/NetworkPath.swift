/// How this machine reaches the network at one moment.
package struct NetworkPath: Hashable, Sendable {
    /// Whether an IPv4 route leads beyond this machine and its links.
    package var hasIPv4Route: Bool
    package var hasIPv6Route: Bool
    /// Whether the connection is metered; `nil` if it is not known.
    package var isMetered: Bool?
    /// The addresses of this machine's own interfaces.
    package var localAddresses: Set<IPAddress> = []

    package init(hasIPv4Route: Bool, hasIPv6Route: Bool, isMetered: Bool? = nil) {
        self.hasIPv4Route = hasIPv4Route
        self.hasIPv6Route = hasIPv6Route
        self.isMetered = isMetered
    }

    /// The value if nothing is known: everything counts as reachable.
    package static let unknown = NetworkPath(hasIPv4Route: true, hasIPv6Route: true)
    package static let none = NetworkPath(hasIPv4Route: false, hasIPv6Route: false)

    package var hasRoute: Bool { hasIPv4Route || hasIPv6Route }

    /// Whether a host is beyond this machine and its links, as far as its name shows.
    package func isRemote(_ host: String) -> Bool {
        guard let address = IPAddress(host) else { return !Self.isLocalName(host) }
        return !address.isLoopback && !address.isLinkLocal && !localAddresses.contains(address)
    }

    /// Whether there is a route to a host, as far as is known.
    package func reaches(_ host: String) -> Bool {
        guard isRemote(host) else { return true }
        guard let address = IPAddress(host) else { return hasRoute }
        return address.isIPv6 ? hasIPv6Route : hasIPv4Route
    }

    /// Whether the name is `localhost` or below it, which is loopback (RFC 6761 §6.3).
    private static func isLocalName(_ host: String) -> Bool {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return name == "localhost" || name.hasSuffix(".localhost")
    }
}

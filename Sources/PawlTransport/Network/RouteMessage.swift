package import PawlCore

/// The relevant content of one message of rtnetlink(7).
package enum RouteMessage: Hashable, Sendable {
    case link(index: Int32, isUsable: Bool)
    /// One of this machine's own addresses.
    case address(IPAddress)
    case route(RouteEntry)
    /// The end of a dump.
    case done
    /// The kernel refused the request.
    case failed
    /// Another message, which may report a change.
    case other
}

/// A route to another machine or network, over one link or several.
package struct RouteEntry: Hashable, Sendable {
    package var isIPv6: Bool
    /// The links of the route; empty if the kernel does not name them.
    package var links: [Int32]

    package init(isIPv6: Bool, links: [Int32]) {
        self.isIPv6 = isIPv6
        self.links = links
    }
}

/// The kernel's route for one address.
package struct RouteWay: Hashable, Sendable {
    /// Whether the address is this machine's own or not assigned.
    package var isOwn: Bool
    package var isIPv6: Bool
    package var prefixLength: Int
    /// Whether the route leads through a router.
    package var hasGateway = false

    package init(isOwn: Bool, isIPv6: Bool, prefixLength: Int) {
        self.isOwn = isOwn
        self.isIPv6 = isIPv6
        self.prefixLength = prefixLength
    }

    /// Whether the address belongs to this machine or to a network that it is connected to.
    ///
    /// Tunnels and modems have no router either, but they lead to all or large parts of the
    /// Internet.
    package var staysHere: Bool {
        isOwn || !hasGateway && prefixLength >= (isIPv6 ? 16 : 8)
    }
}

/// A message with the relevant parts of its header.
package struct NetlinkMessage: Hashable, Sendable {
    package var sequence: UInt32
    /// Whether the table changed during the dump, so that it must be requested again.
    package var isInterrupted: Bool
    package var body: RouteMessage
}

package import PawlCore

/// What one message of rtnetlink(7) says, as far as it matters here.
package enum RouteMessage: Hashable, Sendable {
    case link(index: Int32, isUsable: Bool)
    /// One of this machine's own.
    case address(IPAddress)
    case route(RouteEntry)
    /// The end of a dump.
    case done
    /// The kernel refused what was asked for.
    case failed
    /// Something else, which may be a change.
    case other
}

/// A route to somewhere else, by one link or several.
package struct RouteEntry: Hashable, Sendable {
    package var isIPv6: Bool
    /// Empty where the kernel does not say.
    package var links: [Int32]

    package init(isIPv6: Bool, links: [Int32]) {
        self.isIPv6 = isIPv6
        self.links = links
    }
}

/// The kernel's route for one address.
package struct RouteWay: Hashable, Sendable {
    /// Whether the address is one of this machine's, or of nobody.
    package var isOwn: Bool
    package var isIPv6: Bool
    package var prefixLength: Int
    /// Whether a router is asked.
    package var hasGateway = false

    package init(isOwn: Bool, isIPv6: Bool, prefixLength: Int) {
        self.isOwn = isOwn
        self.isIPv6 = isIPv6
        self.prefixLength = prefixLength
    }

    /// Whether the address is this machine's or of a network that it is on.
    ///
    /// A tunnel or a modem has no router either: what leads there is all of the Internet, or large parts
    /// of it.
    package var staysHere: Bool {
        isOwn || !hasGateway && prefixLength >= (isIPv6 ? 16 : 8)
    }
}

/// A message with what stands in its head.
package struct NetlinkMessage: Hashable, Sendable {
    package var sequence: UInt32
    /// Something changed while this was being told: it is to be asked for again.
    package var isInterrupted: Bool
    package var body: RouteMessage
}

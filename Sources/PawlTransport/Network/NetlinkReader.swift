internal import PawlCore

/// Parses datagrams of rtnetlink(7).
///
/// Bytes beyond the end are never read, whatever the datagram contains. Truncated or meaningless
/// parts are left out.
package enum NetlinkReader {
    /// Returns all complete messages of a datagram, in order.
    package static func messages(in datagram: ArraySlice<UInt8>) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var rest = datagram
        while let length = rest.number(UInt32.self, at: 0).map({ Int(clamping: $0) }),
            length >= headLength, length <= rest.count
        {
            let message = rest.prefix(length)
            if let type = message.number(UInt16.self, at: 4),
                let flags = message.number(UInt16.self, at: 6),
                let sequence = message.number(UInt32.self, at: 8)
            {
                messages.append(
                    NetlinkMessage(
                        sequence: sequence,
                        isInterrupted: flags & interruptedFlag != 0,
                        body: body(type, message.dropFirst(headLength))
                    )
                )
            }
            rest = rest.dropFirst(aligned(length))
        }
        return messages
    }

    private static let headLength = 16
    /// NLM_F_DUMP_INTR.
    private static let interruptedFlag: UInt16 = 0x10

    private enum Kind {
        static let error: UInt16 = 2
        static let done: UInt16 = 3
        static let newLink: UInt16 = 16
        static let newAddress: UInt16 = 20
        static let newRoute: UInt16 = 24
    }

    private static func body(_ type: UInt16, _ payload: ArraySlice<UInt8>) -> RouteMessage {
        switch type {
        case Kind.error: .failed
        // A dump that the kernel could not finish ends with an error code.
        case Kind.done: (payload.number(Int32.self, at: 0) ?? 0) < 0 ? .failed : .done
        case Kind.newLink: link(payload) ?? .other
        case Kind.newAddress: address(payload) ?? .other
        case Kind.newRoute: route(payload) ?? .other
        default: .other
        }
    }

    // MARK: - Links and addresses

    /// `struct ifinfomsg`.
    private static func link(_ payload: ArraySlice<UInt8>) -> RouteMessage? {
        guard let index = payload.number(Int32.self, at: 4),
            let flags = payload.number(UInt32.self, at: 8)
        else { return nil }
        // IFF_UP, IFF_RUNNING (it has a carrier), and not IFF_LOOPBACK.
        return .link(index: index, isUsable: flags & 0x49 == 0x41)
    }

    /// `struct ifaddrmsg`.
    ///
    /// On a point-to-point link IFA_ADDRESS is the address of the other end.
    private static func address(_ payload: ArraySlice<UInt8>) -> RouteMessage? {
        var own: IPAddress?
        for attribute in attributes(in: payload.dropFirst(8)) {
            switch attribute.type {
            case 1: own = own ?? IPAddress(bytes: attribute.value)
            case 2: own = IPAddress(bytes: attribute.value) ?? own
            default: break
            }
        }
        return own.map { .address($0) }
    }

    // MARK: - The way to one address

    /// Returns what a datagram reports about the route to one address, or `nil` if it reports
    /// nothing about it.
    package static func way(in datagram: ArraySlice<UInt8>, sequence: UInt32) -> RouteWay? {
        guard let length = datagram.number(UInt32.self, at: 0).map({ Int(clamping: $0) }),
            length >= headLength, length <= datagram.count,
            datagram.number(UInt16.self, at: 4) == Kind.newRoute,
            datagram.number(UInt32.self, at: 8) == sequence
        else { return nil }
        let payload = datagram.prefix(length).dropFirst(headLength)
        guard let head = payload.prefix(12).wholeArray(12) else { return nil }
        var way = RouteWay(
            // RTN_UNICAST; all other kinds are this machine's own addresses or not assigned.
            isOwn: head[7] != 1,
            isIPv6: head[0] == 10,
            prefixLength: Int(head[1])
        )
        for attribute in attributes(in: payload.dropFirst(12)) {
            switch attribute.type {
            // RTA_GATEWAY, RTA_VIA.
            case 5, 18: way.hasGateway = true
            // RTA_MULTIPATH.
            case 9: way.hasGateway = way.hasGateway || hasGateway(in: attribute.value)
            default: break
            }
        }
        return way
    }

    private static func hasGateway(in hops: ArraySlice<UInt8>) -> Bool {
        var rest = hops
        while let length = rest.number(UInt16.self, at: 0).map({ Int($0) }), length >= 8,
            length <= rest.count
        {
            let own = attributes(in: rest.prefix(length).dropFirst(8))
            if own.contains(where: { $0.type == 5 || $0.type == 18 }) { return true }
            rest = rest.dropFirst(aligned(length))
        }
        return false
    }

    // MARK: - Routes

    /// RTNH_F_DEAD, RTNH_F_LINKDOWN.
    private static let uselessFlags: UInt32 = 0x11
    /// RTM_F_CLONED.
    private static let clonedFlag: UInt32 = 0x200

    /// `struct rtmsg`.
    private static func route(_ payload: ArraySlice<UInt8>) -> RouteMessage? {
        guard let head = payload.prefix(12).wholeArray(12),
            let flags = payload.number(UInt32.self, at: 8)
        else { return nil }
        let isIPv6 = head[0] == 10
        // RTN_UNICAST, and not from the table of local addresses.
        guard isIPv6 || head[0] == 2, head[7] == 1, head[4] != 255,
            flags & (uselessFlags | clonedFlag) == 0
        else { return nil }
        var entry = RouteEntry(isIPv6: isIPv6, links: [])
        for attribute in attributes(in: payload.dropFirst(12)) {
            switch attribute.type {
            case 1:
                guard !staysOnLink(attribute.value, prefix: head[1]) else { return nil }
            case 4:
                if let link = attribute.value.number(Int32.self, at: 0) { entry.links = [link] }
            case 9:
                entry.links = liveHops(in: attribute.value)
                guard !entry.links.isEmpty else { return nil }
            default: break
            }
        }
        return .route(entry)
    }

    /// Whether a destination is reachable only on its own link.
    private static func staysOnLink(_ bytes: ArraySlice<UInt8>, prefix: UInt8) -> Bool {
        guard prefix > 0, let address = IPAddress(bytes: bytes) else { return false }
        return address.isLinkLocal || address.isMulticast || address.isLoopback
    }

    /// `struct rtnexthop`, repeated.
    private static func liveHops(in bytes: ArraySlice<UInt8>) -> [Int32] {
        var links: [Int32] = []
        var rest = bytes
        while let length = rest.number(UInt16.self, at: 0).map({ Int($0) }), length >= 8,
            length <= rest.count, let link = rest.number(Int32.self, at: 4)
        {
            if let flags = rest.dropFirst(2).first, UInt32(flags) & uselessFlags == 0 {
                links.append(link)
            }
            rest = rest.dropFirst(aligned(length))
        }
        return links
    }

    // MARK: - Attributes

    private struct Attribute {
        var type: UInt16
        var value: ArraySlice<UInt8>
    }

    /// `struct rtattr`, repeated.
    private static func attributes(in bytes: ArraySlice<UInt8>) -> [Attribute] {
        var attributes: [Attribute] = []
        var rest = bytes
        while let length = rest.number(UInt16.self, at: 0).map({ Int($0) }), length >= 4,
            length <= rest.count, let type = rest.number(UInt16.self, at: 2)
        {
            // The two highest bits are flags.
            attributes.append(
                Attribute(type: type & 0x3FFF, value: rest.prefix(length).dropFirst(4))
            )
            rest = rest.dropFirst(aligned(length))
        }
        return attributes
    }

    private static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension ArraySlice<UInt8> {
    /// Reads a number in the machine's byte order; `nil` if it would reach beyond the end.
    fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _: Number.Type,
        at offset: Int
    ) -> Number? {
        guard count - offset >= MemoryLayout<Number>.size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }

    fileprivate func wholeArray(_ count: Int) -> [UInt8]? {
        self.count == count ? Array(self) : nil
    }
}

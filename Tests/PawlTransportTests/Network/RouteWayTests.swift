import Glibc
import PawlCore
import PawlTransport
import Testing

/// What is read from the kernel's route for one address.
@Suite(.timeLimit(.minutes(5)))
struct RouteWayTests {
    private struct Route {
        var type: UInt8 = 1
        var isIPv6 = false
        var prefixLength: UInt8 = 24
        var attributes: [(type: UInt16, value: [UInt8])] = []
    }

    private func number<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    private func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
        return number(UInt16(value.count + 4)) + number(type) + value + padding
    }

    /// `struct nlmsghdr`, `struct rtmsg`, and attributes.
    private func bytes(_ route: Route, sequence: UInt32 = 1) -> [UInt8] {
        let family: UInt8 = route.isIPv6 ? 10 : 2
        let head: [UInt8] = [family, route.prefixLength, 0, 0, 254, 2, 0, route.type]
        let body =
            head + number(UInt32(0)) + route.attributes.flatMap { attribute($0.type, $0.value) }
        return number(UInt32(body.count + 16)) + number(UInt16(24)) + number(UInt16(0))
            + number(sequence) + number(UInt32(0)) + body
    }

    private func staysHere(_ route: Route) -> Bool? {
        NetlinkReader.way(in: bytes(route)[...], sequence: 1)?.staysHere
    }

    private let gateway: (type: UInt16, value: [UInt8]) = (5, [10, 0, 0, 1])

    @Test func `the route of an address shows whether it is local`() {
        // RTN_LOCAL, RTN_BROADCAST, RTN_ANYCAST, RTN_MULTICAST.
        for type: UInt8 in [2, 3, 4, 5] {
            #expect(staysHere(Route(type: type, prefixLength: 32, attributes: [gateway])) == true)
        }
        #expect(staysHere(Route()) == true)
        #expect(staysHere(Route(attributes: [gateway])) == false)
        #expect(staysHere(Route(prefixLength: 0, attributes: [gateway])) == false)
        // A modem, and a tunnel for half of the Internet.
        #expect(staysHere(Route(prefixLength: 0)) == false)
        #expect(staysHere(Route(prefixLength: 1)) == false)
        #expect(staysHere(Route(prefixLength: 8)) == true)
        #expect(staysHere(Route(isIPv6: true, prefixLength: 3)) == false)
        #expect(staysHere(Route(isIPv6: true, prefixLength: 64)) == true)
        // RTA_VIA: a router of the other family.
        let via = [10, 0] + [UInt8](repeating: 1, count: 16)
        #expect(staysHere(Route(attributes: [(18, via)])) == false)
    }

    @Test func `a multipath route leaves this network if one hop has a router`() {
        let bare = number(UInt16(8)) + [0, 0] + number(Int32(2))
        let routed = number(UInt16(16)) + [0, 0] + number(Int32(3)) + attribute(5, [10, 0, 0, 1])
        #expect(staysHere(Route(attributes: [(9, bare + bare)])) == true)
        #expect(staysHere(Route(attributes: [(9, bare + routed)])) == false)
    }

    @Test func `a truncated or unrelated message has no route`() {
        let whole = bytes(Route(attributes: [gateway]))
        for count in 0..<whole.count {
            #expect(NetlinkReader.way(in: whole[..<count], sequence: 1) == nil)
        }
        #expect(NetlinkReader.way(in: whole[...], sequence: 2) == nil)
    }

    @Test func `loopback belongs to this machine`() throws {
        #expect(OwnNetwork.holds(try #require(IPAddress("127.0.0.1"))))
    }

    @Test func `an address counts as this machine's if no descriptor is left to check`() async {
        // The limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            // This machine may be in one of these networks, but not in all.
            let addresses = ["192.0.2.1", "198.51.100.1", "203.0.113.1"].compactMap(IPAddress.init)
            guard let address = addresses.first(where: { !OwnNetwork.holds($0) }) else { exit(2) }
            var limit = rlimit()
            let kind = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
            guard getrlimit(kind, &limit) == 0 else { exit(3) }
            limit.rlim_cur = 0
            guard setrlimit(kind, &limit) == 0 else { exit(4) }
            exit(OwnNetwork.holds(address) ? 0 : 1)
        }
    }
}

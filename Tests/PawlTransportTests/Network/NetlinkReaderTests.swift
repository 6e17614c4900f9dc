import PawlCore
import PawlTesting
import PawlTransport
import Testing

/// How kernel messages, valid and invalid, are read.
@Suite(.timeLimit(.minutes(5)))
struct NetlinkReaderTests {
    private func snapshot(_ messages: [String]) -> RouteSnapshot {
        snapshot(RecordedNetlink.bytes(messages))
    }

    private func snapshot(_ bytes: [UInt8]) -> RouteSnapshot {
        var snapshot = RouteSnapshot()
        for message in NetlinkReader.messages(in: bytes[...]) { snapshot.take(message.body) }
        return snapshot
    }

    private func bodies(_ bytes: [UInt8]) -> [RouteMessage] {
        NetlinkReader.messages(in: bytes[...]).map(\.body)
    }

    @Test func `a namespace with a link and its routes reaches both families`() throws {
        let path = snapshot(RecordedNetlink.up).path
        #expect(path.hasIPv4Route)
        #expect(path.hasIPv6Route)
        #expect(path.localAddresses.contains(try #require(IPAddress("192.0.2.2"))))
        #expect(path.localAddresses.contains(try #require(IPAddress("2001:db8::2"))))
        #expect(path.localAddresses.contains(try #require(IPAddress("127.0.0.1"))))
        #expect(!path.localAddresses.contains(try #require(IPAddress("192.0.2.1"))))
    }

    @Test func `a link without its carrier leads nowhere`() {
        let path = snapshot(RecordedNetlink.withoutCarrier).path
        #expect(!path.hasIPv4Route)
        #expect(!path.hasIPv6Route)
        // Its addresses still belong to this machine.
        #expect(path.localAddresses.contains { $0 == IPAddress("192.0.2.2") })
    }

    @Test func `the routes that remain when the link is down are local`() {
        #expect(!snapshot(RecordedNetlink.down).path.hasRoute)
    }

    @Test func `each message is read as its own kind`() throws {
        let all = NetlinkReader.messages(in: RecordedNetlink.bytes(RecordedNetlink.up)[...])
        #expect(all.count == RecordedNetlink.up.count)
        #expect(all.allSatisfy { $0.sequence == 1 && !$0.isInterrupted })
        let bodies = all.map(\.body)
        #expect(bodies.count { $0 == .done } == 4)
        #expect(bodies.contains(.link(index: 1, isUsable: false)), "loopback")
        #expect(bodies.contains(.link(index: 3, isUsable: true)))
        let routes = bodies.compactMap { body in
            if case .route(let entry) = body { entry } else { nil as RouteEntry? }
        }
        // IPv4: the default route, the link's own, and the one over two hops. IPv6: the default
        // route and the link's own.
        #expect(routes.count { !$0.isIPv6 } == 3)
        #expect(routes.count(where: \.isIPv6) == 2)
        #expect(routes.contains { $0.links == [3, 3] })
    }

    @Test func `a dump interrupted by a change is marked`() throws {
        var bytes = RecordedNetlink.bytes(try #require(RecordedNetlink.up.first))
        bytes[6] |= 0x10
        let message = try #require(NetlinkReader.messages(in: bytes[...]).first)
        #expect(message.isInterrupted)
    }

    @Test func `an error message is read as a failure`() {
        // NLMSG_ERROR with EPERM, and NLMSG_DONE with it.
        let error =
            "24000000020000000100000000000000" + "ffffffff" + "14000000160001030100000000000000"
        #expect(bodies(RecordedNetlink.bytes(error)) == [.failed])
        let done = "14000000030002000100000000000000ffffffff"
        #expect(bodies(RecordedNetlink.bytes(done)) == [.failed])
        #expect(bodies(RecordedNetlink.bytes("10000000030002000100000000000000")) == [.done])
    }

    @Test(arguments: RecordedNetlink.up.indices)
    func `a truncated message is skipped`(index: Int) {
        let bytes = RecordedNetlink.bytes(RecordedNetlink.up[index])
        for count in bytes.indices { #expect(bodies(Array(bytes[..<count])).isEmpty) }
    }

    @Test func `false lengths end the reading`() {
        for length in [UInt32(0), 1, 15, 21, 0x7FFF_FFFF, 0xFFFF_FFFF] {
            var bytes = [UInt8](repeating: 0, count: 20)
            for index in 0..<4 { bytes[index] = UInt8(length >> (8 * UInt32(index)) & 0xFF) }
            #expect(bodies(bytes).isEmpty)
        }
    }

    /// Reads recorded messages with bits flipped and pieces doubled, removed and cut, and random
    /// bytes.
    @Test func `arbitrary bytes are read within their bounds`() {
        let recorded = RecordedNetlink.bytes(RecordedNetlink.up)
        for seed in TestSeed.seeds("netlink", count: 3000) {
            var random = SplitMix64(seed: seed)
            var bytes =
                seed % 8 == 0
                ? (0..<Int.random(in: 0...300, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                : recorded
            for _ in 0..<Int.random(in: 0...12, using: &random) { damage(&bytes, &random) }
            let messages = NetlinkReader.messages(in: bytes[...])
            #expect(messages.count <= bytes.count / 16)
            _ = snapshot(bytes).path
            // A slice that does not start at 0 is read the same way.
            let shifted = ([1, 2, 3] + bytes)[3...]
            #expect(NetlinkReader.messages(in: shifted) == messages)
        }
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        guard !bytes.isEmpty else { return }
        let offset = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, offset + Int.random(in: 1...40, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[offset] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 1: bytes[offset] = [0, 1, 4, 0xFF].randomElement(using: &random) ?? 0
        case 2: bytes.removeSubrange(offset..<end)
        case 3: bytes.insert(contentsOf: bytes[offset..<end], at: offset)
        default: bytes.removeSubrange(offset...)
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct RouteSnapshotTests {
    @Test func `a route counts if one of its links is up`() {
        var snapshot = RouteSnapshot()
        snapshot.take(.link(index: 1, isUsable: false))
        snapshot.take(.link(index: 2, isUsable: true))
        snapshot.take(.route(RouteEntry(isIPv6: false, links: [1])))
        #expect(!snapshot.hasIPv4Route)
        snapshot.take(.route(RouteEntry(isIPv6: false, links: [1, 2])))
        #expect(snapshot.hasIPv4Route)
        #expect(!snapshot.hasIPv6Route)
        snapshot.take(.route(RouteEntry(isIPv6: true, links: [])))
        #expect(snapshot.hasIPv6Route)
    }
}

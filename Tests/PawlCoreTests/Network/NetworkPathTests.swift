import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct NetworkPathTests {
    private let onlyIPv4 = NetworkPath(hasIPv4Route: true, hasIPv6Route: false)

    @Test(arguments: [
        "localhost", "LocalHost.", "a.localhost", "127.0.0.1", "127.8.9.10", "::1", "[::1]",
        "::ffff:127.0.0.1", "0.0.0.0", "fe80::1", "[fe80::1%25eth0]", "169.254.3.4",
    ])
    func `loopback and link-local addresses need no route`(host: String) {
        #expect(!NetworkPath.none.isRemote(host))
        #expect(NetworkPath.none.reaches(host))
    }

    @Test(arguments: [
        "example.org", "localhost.example.org", "notlocalhost", "192.0.2.1", "2001:db8::1",
        "128.0.0.1",
        "::2", "::ffff:192.0.2.1", "10.0.0.1", "",
    ])
    func `all other hosts need a route`(host: String) {
        #expect(NetworkPath.none.isRemote(host))
        #expect(!NetworkPath.none.reaches(host))
        #expect(NetworkPath.unknown.reaches(host))
    }

    @Test func `an address of a local interface needs no route`() throws {
        var path = NetworkPath.none
        path.localAddresses = [
            try #require(IPAddress("192.0.2.7")), try #require(IPAddress("2001:db8::7")),
        ]
        #expect(path.reaches("192.0.2.7"))
        #expect(path.reaches("[2001:db8:0:0::7]"))
        #expect(!path.reaches("192.0.2.8"))
    }

    @Test func `an address needs a route of its own family, a name any route`() {
        #expect(onlyIPv4.reaches("192.0.2.1"))
        #expect(!onlyIPv4.reaches("2001:db8::1"))
        #expect(onlyIPv4.reaches("example.org"))
    }

    @Test func `text that is not an address is a name`() {
        for text in ["1.2.3", "1.2.3.4.5", "256.1.1.1", "12345::", ":::", "[", "a.b", "1.2.3.4%"] {
            let isAddress = IPAddress(text) != nil
            #expect(isAddress == (text == "1.2.3.4%"), "\(text)")
        }
        #expect(IPAddress(bytes: [1, 2, 3]) == nil)
        #expect(IPAddress("::ffff:1.2.3.4") == IPAddress("1.2.3.4"))
    }
}

import PawlTransport
import Testing

/// Which requests go through a proxy, and to which hosts.
@Suite(.timeLimit(.minutes(5)))
struct ProxyRouteTests {
    @Test func `the exceptions of the environment are names, their ends, addresses and ranges`() {
        let text = "host.example, .inner.example 192.0.2.7,10.0.0.0/8,2001:db8::/32"
        let exceptions = ProxyExceptions { ["no_proxy": text][$0] }
        for host in [
            "host.example", "HOST.example.", "a.host.example", "inner.example", "a.inner.example",
            "192.0.2.7", "10.1.2.3", "2001:db8::1",
        ] {
            #expect(exceptions.contain(host), "\(host)")
        }
        for host in ["otherhost.example", "example", "192.0.2.8", "11.0.0.1", ""] {
            #expect(!exceptions.contain(host), "\(host)")
        }
        #expect(ProxyExceptions { ["NO_PROXY": "*"][$0] }.contain("a"))
        #expect(!ProxyExceptions { _ in nil }.contain("a"))
    }

    @Test func `a host on a private network is known by how it is written`() {
        for host in [
            "127.0.0.1", "127.1", "2130706433", "0x7f000001", "10.0.0.1", "192.168.1.1.",
            "[::1]", "fd00::1", "::ffff:10.0.0.1", "localhost", "a.LOCALHOST.", "router",
            "nas.local", "",
        ] {
            #expect(WrittenHost.isPrivate(host), "\(host)")
        }
        for host in ["host.example", "8.8.8.8", "2600::1", "[2600::1]", "10.example"] {
            #expect(!WrittenHost.isPrivate(host), "\(host)")
        }
    }
}

import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ProxyRulesTests {
    private let rules = {
        var settings = DaemonSettings()
        settings.trustedProxies = ["127.0.0.1", "10.0.0.0/8", "not an address"]
        return ProxyRules(settings)
    }()

    private func client(_ fields: ForwardedFields, from peer: String = "127.0.0.1") -> RequestClient
    {
        rules.client(of: IPAddress(peer), fields)
    }

    @Test func `without a trusted proxy, what a client reports is ignored`() {
        let fields = ForwardedFields(
            addresses: ["192.0.2.7"],
            schemes: ["https"],
            hosts: ["host.example"]
        )
        #expect(client(fields, from: "127.0.0.2") == RequestClient(address: IPAddress("127.0.0.2")))
        #expect(client(fields, from: "::1") == RequestClient(address: IPAddress("::1")))
        #expect(ProxyRules().client(of: nil, fields) == RequestClient())
    }

    @Test(
        arguments: [
            (["192.0.2.7"], "192.0.2.7"), (["9.9.9.9, 192.0.2.7"], "192.0.2.7"),
            (["9.9.9.9", "192.0.2.7"], "192.0.2.7"), (["192.0.2.7:4711"], "192.0.2.7"),
            (["192.0.2.7, 10.1.2.3"], "192.0.2.7"), (["[2001:db8::1]:80"], "2001:db8::1"),
            (["2001:db8::1"], "2001:db8::1"), (["10.0.0.1, 10.0.0.2"], "10.0.0.1"),
            (["9.9.9.9, unknown"], "127.0.0.1"), (["9.9.9.9, x, 10.0.0.2"], "10.0.0.2"),
            ([""], "127.0.0.1"), ([], "127.0.0.1"),
        ]
    )
    func `the client is the last hop that is not a trusted proxy`(values: [String], address: String)
    {
        #expect(client(ForwardedFields(addresses: values)).address == IPAddress(address))
    }

    @Test(
        arguments: [
            ("for=192.0.2.7;proto=https;host=host.example", "192.0.2.7", true),
            ("For=\"[2001:db8::1]:4711\" ; Proto=HTTPS;host=\"host.example\"", "2001:db8::1", true),
            (
                "for=9.9.9.9;proto=https, for=192.0.2.7;proto=http;host=host.example", "192.0.2.7",
                false
            ),
            ("for=\"9.9.9.9, for=8.8.8.8\", for=192.0.2.7;host=host.example", "192.0.2.7", false),
            (
                "for=192.0.2.7;proto=https;host=host.example, for=10.0.0.3;proto=http", "192.0.2.7",
                true
            ),
        ]
    )
    func `the field Forwarded is read as RFC 7239 defines it`(
        value: String,
        address: String,
        isSecure: Bool
    ) {
        let client = client(ForwardedFields(forwarded: [value]))
        #expect(client.address == IPAddress(address))
        #expect(client.isSecure == isSecure)
        #expect(client.forwardedHost == "host.example")
    }

    @Test(arguments: ["for=_hidden", "for=unknown", "for=", "for=\"x", "=;,;=", "by=10.0.0.1"])
    func `an unknown client has the address of the proxy`(value: String) {
        #expect(client(ForwardedFields(forwarded: [value])).address == IPAddress("127.0.0.1"))
    }

    @Test(
        arguments: [
            ["for=9.9.9.9;x=\"", "for=192.0.2.7"], ["for=9.9.9.9;x=\", for=192.0.2.7"],
            ["for=9.9.9.9;x=\"\\, for=\"192.0.2.7\""], ["for=9.9.9.9;x=\"a\"b, for=192.0.2.7"],
            ["for=9.9.9.9;for=8.8.8.8", "for=192.0.2.7"], ["for", "for=192.0.2.7"],
            ["for=9.9.9.9;x=\", for=\"192.0.2.7\""], ["f or=9.9.9.9", "for=192.0.2.7"],
        ]
    )
    func `a value that is not well formed cannot hide what a proxy has added`(values: [String]) {
        #expect(ForwardedFields(forwarded: values).hops.isEmpty)
        #expect(client(ForwardedFields(forwarded: values)).address == IPAddress("127.0.0.1"))
    }

    @Test func `each value of the field is read on its own`() {
        let fields = ForwardedFields(forwarded: [
            "for=\"9.9.9.9\"", "", "for=192.0.2.7;x=\"a,\\\"b\"",
        ])
        #expect(fields.hops.map(\.address) == [IPAddress("9.9.9.9"), IPAddress("192.0.2.7")])
        #expect(client(fields).address == IPAddress("192.0.2.7"))
    }

    @Test func `a request with fields of both kinds has no reported client`() {
        let fields = ForwardedFields(forwarded: ["for=9.9.9.9"], addresses: ["192.0.2.7"])
        #expect(client(fields) == RequestClient(address: IPAddress("127.0.0.1")))
        let hidden = ForwardedFields(forwarded: ["for=9.9.9.9"], schemes: ["https"])
        #expect(client(hidden) == RequestClient(address: IPAddress("127.0.0.1")))
    }

    @Test func `the scheme and the host come from the last proxy`() {
        let fields = ForwardedFields(
            schemes: ["http, HTTPS"],
            hosts: ["evil.example", "Host.example"]
        )
        #expect(client(fields).isSecure)
        #expect(client(fields).forwardedHost == "host.example")
        #expect(client(fields).address == IPAddress("127.0.0.1"))
    }

    @Test func `many hops are bounded`() {
        let many = (0..<100_000).map { _ in "10.0.0.1" }.joined(separator: ",")
        #expect(ForwardedFields(addresses: [many]).hops.count == 32)
        let long = Array(repeating: "for=10.0.0.1", count: 10_000).joined(separator: ",")
        #expect(ForwardedFields(forwarded: [long]).hops.count == 32)
    }
}

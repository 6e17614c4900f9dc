import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct Aria2FormTests {
    @Test func `a GID leads back to its download, and depends on the queue`() {
        let gids = Aria2GIDs(identity: "0123456789abcdef0123456789abcdef")
        let other = Aria2GIDs(identity: nil)
        let ids: [Int64] = [1, 2, 3, 1000, 1 << 40, .max]
        for id in ids {
            let gid = gids.gid(of: id)
            #expect(gid.utf8.count == 16 && gids.id(of: gid) == id)
            #expect(gids.id(of: gid.uppercased()) == id)
            #expect(other.gid(of: id) != gid)
        }
        #expect(Set(ids.map(gids.gid)).count == ids.count)
        for text in ["", "1", "zzzzzzzzzzzzzzzz", "+123456789abcdef", "0123456789abcdef0"] {
            #expect(gids.id(of: text) == nil, "\(text)")
        }
    }

    @Test func `a chosen GID takes the place of the usual one`() {
        let gids = Aria2GIDs(identity: nil)
        let usual = gids.gid(of: 5)
        gids.choose("00000000000000aa", for: 5)
        #expect(gids.gid(of: 5) == "00000000000000aa" && gids.id(of: "00000000000000AA") == 5)
        #expect(gids.ids([4, 5, 6], withPrefix: "000000") == [5])
        #expect(gids.ids([1, 2, 3, 4], withPrefix: String(gids.gid(of: 3).prefix(6))) == [3])
        gids.choose("00000000000000aa", for: 6)
        #expect(gids.gid(of: 5) == usual && gids.id(of: "00000000000000aa") == 6)
        gids.load([7: "00000000000000ab"])
        #expect(gids.gid(of: 6) != "00000000000000aa" && gids.gid(of: 7) == "00000000000000ab")
        #expect(Aria2GIDs.normalized("00000000000000AB") == "00000000000000ab")
        for text in ["", "0000000000000000", "1", "+123456789abcdef", "0123456789abcdeg"] {
            #expect(Aria2GIDs.normalized(text) == nil, "\(text)")
        }
    }

    @Test func `a document of XML-RPC has a limited number of values`() throws {
        func values(_ count: Int) throws -> Int {
            try read(String(repeating: "<value/>", count: count)).count
        }
        #expect(try values(50_000) == 50_000)
        #expect(throws: DownloadError.self) { try values(50_001) }
    }

    @Test func `values are written as strict JSON`() throws {
        let value: JSONValue = [
            "a": ["b\"\\\n\u{1}ü", 5, true, .null, .decimal(1.5)], "c": [:], "d": [],
        ]
        let bytes = JSONWriter.bytes(value)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"a":["b\"\\\u000a\u0001ü",5,true,null,1.5],"c":{},"d":[]}"#
        )
        try JSONCheck.check(bytes)
    }

    private func read(_ values: String) throws -> [JSONValue] {
        let text =
            "<methodCall><methodName> a.b </methodName><params>\(values)</params></methodCall>"
        let call = try XMLRPCCall(Array(text.utf8))
        #expect(call.method == "a.b")
        return call.parameters
    }

    @Test func `calls are read from XML`() throws {
        #expect(try read("") == [])
        #expect(
            try read(
                """
                <param><value>x y</value></param><param><value><int> 5 </int></value></param>
                <param><value><boolean>1</boolean></value></param>
                <param><value><string></string></value></param>
                """
            ) == ["x y", 5, true, ""]
        )
        #expect(
            try read(
                """
                <param><value> <array><data> <value><array><data></data></array></value>
                <value><struct><member><name>n</name><value>v</value></member></struct></value>
                </data></array> </value></param>
                """
            ) == [[[], ["n": "v"]]]
        )
    }

    @Test func `what is not a call of XML-RPC is refused`() {
        for text in [
            "", "<methodCall>", "<methodCall/>",
            "<methodCall><methodName>a</methodName><int>5</int></methodCall>",
            "<methodCall><methodName>a</methodName><value><int>x</int></value></methodCall>",
            "<methodCall><methodName>a</methodName><array/></methodCall>",
            "<methodCall><methodName>a</methodName><value><struct><value/></struct></value>"
                + "</methodCall>",
            "<methodCall><methodName>a</methodName><name>n</name></methodCall>",
        ] {
            #expect(throws: DownloadError.self, "\(text)") { try XMLRPCCall(Array(text.utf8)) }
        }
    }

    @Test func `a call may only name this machine`() throws {
        let hosts = Aria2Hosts(try ListenAddress(parsing: "127.0.0.1:6800"))
        #expect(hosts.allow(["127.0.0.1:6800"]) && hosts.allow(["LOCALHOST:6800"]))
        for fields in [[], ["127.0.0.1"], ["host:6800"], ["127.0.0.1:6800", "127.0.0.1:6800"]] {
            #expect(!hosts.allow(fields))
        }
        #expect(Aria2Hosts(ListenAddress(port: 80)).allow(["localhost"]))
        #expect(Aria2Hosts(ListenAddress(.loopback6, port: 6800)).allow(["[::1]:6800"]))
        #expect(hosts.isOwn(origin: "http://127.0.0.1:6800"))
        #expect(!hosts.isOwn(origin: "http://127.0.0.1") && !hosts.isOwn(origin: "null"))
    }

    @Test func `behind a proxy, a call may name the host of the base URL`() throws {
        let base = try BaseURL(parsing: "https://host.example/downloads/")
        let hosts = Aria2Hosts(try ListenAddress(parsing: "127.0.0.1:6800"), base: base)
        #expect(hosts.allow(["127.0.0.1:6800"]) && hosts.allow(["HOST.example"]))
        #expect(hosts.allow(["host.example:443"]) && !hosts.allow(["host.example:6800"]))
        #expect(hosts.allow(["127.0.0.1:6800"], forwarded: "host.example"))
        #expect(!hosts.allow(["host.example"], forwarded: "evil.example"))
        #expect(hosts.isOwn(origin: "https://host.example"))
        #expect(!hosts.isOwn(origin: "http://host.example"))
    }

    @Test func `over TLS, a call may name a host of the certificate and any address`() throws {
        let address = try ListenAddress(parsing: "0.0.0.0:6800")
        let hosts = Aria2Hosts(address, isNamed: { $0 == "nas.example" })
        for host in ["nas.example:6800", "NAS.example:6800", "192.0.2.1:6800", "[::1]:6800"] {
            #expect(hosts.allow([host]), "\(host)")
        }
        for host in ["nas.example", "nas.example:443", "evil.example:6800", "192.0.2.1"] {
            #expect(!hosts.allow([host]), "\(host)")
        }
        let own = ["nas.example:6800"]
        #expect(hosts.isOwn(origin: "https://nas.example:6800", of: own))
        #expect(!hosts.isOwn(origin: "http://nas.example:6800", of: own))
        #expect(!hosts.isOwn(origin: "https://other.example:6800", of: own))
        let standard = try ListenAddress(parsing: "0.0.0.0:443")
        #expect(Aria2Hosts(standard, isNamed: { $0 == "nas.example" }).allow(["nas.example"]))
    }

    @Test func `each option of aria2 leads to a setting`() {
        for option in Aria2Option.all {
            #expect(DownloadSettings.table[name: option.setting] != nil, "\(option.name)")
        }
        #expect(Set(Aria2Option.all.map(\.name)).count == Aria2Option.all.count)
    }
}

import FoundationEssentials
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SecureHostListTests {
    /// 2026-11-28, 00:00:00.
    private let now: Int64 = 1795824000

    private func list(_ lines: String...) -> SecureHostList {
        SecureHostList(lines.map { $0 + "\n" }.joined(), at: now)
    }

    private func secured(_ url: String, by list: SecureHostList) throws -> String? {
        list.secured(try #require(URL(string: url)), at: now)?.absoluteString
    }

    /// Whether a host's field changes the list, some time after `now`.
    private func learn(
        _ field: String,
        from host: String,
        _ list: inout SecureHostList,
        after seconds: Int64 = 0
    ) throws -> Bool {
        let demand = try #require(StrictTransportSecurity(field))
        return list.learn(demand, from: host, at: now + seconds)
    }

    @Test(arguments: [
        ("http://a.example/x?y", "https://a.example/x?y"),
        ("http://A.Example:80/", "https://A.Example/"),
        ("http://a.example.:8080/", "https://a.example.:8080/"),
        ("http://b.a.example/", nil), ("http://xa.example/", nil),
        ("https://a.example/", nil), ("ftp://a.example/", nil),
        ("http://sub.example/", "https://sub.example/"),
        ("http://x.y.sub.example/", "https://x.y.sub.example/"),
        ("http://xsub.example/", nil), ("http://old.example/", nil),
        ("http://ever.example/", "https://ever.example/"),
        ("http://192.0.2.1/", nil), ("http://[2001:db8::1]/", nil),
    ])
    func `a URL of a known host becomes an HTTPS one`(url: String, expected: String?) throws {
        let list = list(
            "# comment",
            "a.example \"20261128 00:00:01\"",
            ".sub.example \"20270101 00:00:00\"",
            "old.example \"20261128 00:00:00\"",
            "ever.example \"unlimited\"",
            "192.0.2.1 \"unlimited\"",
            "2001:db8::1 \"unlimited\""
        )
        #expect(try secured(url, by: list) == expected)
    }

    @Test func `the text is that of curl's file`() throws {
        var list = list("z.example \"20270131 23:59:59\"")
        _ = try learn("max-age=61", from: "A.example.", &list)
        let forever = "max-age=999999999999; includeSubDomains"
        _ = try learn(forever, from: "ever.example", &list)
        let lines = list.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(
            lines == [
                ".ever.example \"unlimited\"", "a.example \"20261128 00:01:01\"",
                "z.example \"20270131 23:59:59\"",
            ]
        )
        #expect(SecureHostList(list.text, at: now) == list)
        #expect(SecureHostList.isValid(list.text))
    }

    @Test(arguments: [
        "a.example", "a.example 20270131 23:59:59", "a.example \"20271301 00:00:00\"",
        "a.example \"20270131 24:00:00\"", "a.example \"99999999999999999999 00:00:00\"",
        "\"20270131 23:59:59\"", "remember the milk", "a\u{E9}.example \"unlimited\"",
    ])
    func `a line in another format is refused`(line: String) {
        #expect(!SecureHostList.isValid("# HSTS\n\n" + line))
        #expect(list(line).isEmpty)
    }

    @Test func `a host can end it, and addresses are not learned`() throws {
        var list = list("a.example \"unlimited\"")
        let ended = try learn("max-age=0", from: "a.example", &list)
        #expect(ended && list.isEmpty)
        let endedAgain = try learn("max-age=0", from: "a.example", &list)
        #expect(!endedAgain)
        for address in ["192.0.2.1", "[2001:db8::1]"] {
            _ = try learn("max-age=9", from: address, &list)
        }
        #expect(list.isEmpty)
    }

    @Test func `the same demand again changes nothing until some of its time has passed`() throws {
        var list = SecureHostList()
        let host = "a.example"
        let year = "max-age=31536000"
        let wider = "max-age=31536000; includeSubDomains"
        let changes = try [
            learn(year, from: host, &list), learn(year, from: host, &list, after: 60),
            learn(year, from: host, &list, after: 400_000),
            learn(wider, from: host, &list, after: 400_000),
            learn("max-age=60", from: host, &list, after: 400_000),
        ]
        #expect(changes == [true, false, true, true, true])
        #expect(!list.text.contains("2027"))
    }

    @Test func `changes of another process stay`() throws {
        let before = list("a.example \"unlimited\"", "b.example \"unlimited\"")
        var after = before
        _ = try learn("max-age=0", from: "a.example", &after)
        _ = try learn("max-age=9", from: "c.example", &after)
        var file = list("a.example \"unlimited\"", "d.example \"unlimited\"")
        file.apply(from: before, to: after, at: now)
        #expect(
            file == list("c.example \"20261128 00:00:09\"", "d.example \"unlimited\"")
        )
    }

    @Test func `a server cannot fill the memory`() throws {
        var list = SecureHostList()
        for number in 0..<20_010 {
            _ = try learn("max-age=\(number + 1)", from: "h\(number).example", &list)
        }
        #expect(try secured("http://h0.example/", by: list) != nil)
        #expect(try secured("http://h20009.example/", by: list) == nil)
    }

    @Test func `a long file is kept whole`() throws {
        let lines = (0..<20_010).map { "h\($0).example \"unlimited\"" }
        let before = SecureHostList(lines.joined(separator: "\n"), at: 0)
        var after = before
        _ = try learn("max-age=0", from: "h5.example", &after)
        var file = before
        file.apply(from: before, to: after, at: now)
        #expect(file.text.split(separator: "\n").count { !$0.hasPrefix("#") } == 20_009)
    }
}

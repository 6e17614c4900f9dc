import FoundationEssentials
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AlternativeServiceListTests {
    /// 2026-11-28, 00:00:00.
    private let now: Int64 = 1_795_824_000

    private func list(_ lines: String...) -> AlternativeServiceList {
        AlternativeServiceList(lines.map { $0 + "\n" }.joined(), at: now)
    }

    private func endpoint(_ host: String, _ port: Int = 443) throws -> AlternativeService.Endpoint {
        try #require(AlternativeService.Endpoint(host, port: port))
    }

    /// Whether the field of a host changes the list, some time after `now`.
    private func learn(
        _ field: String,
        from host: String,
        _ list: inout AlternativeServiceList,
        after seconds: Int64 = 0
    ) throws -> Bool {
        let field = try #require(AlternativeServicesField(field))
        return list.learn(field, from: try endpoint(host), at: now + seconds)
    }

    private func lines(_ list: AlternativeServiceList) -> [Substring] {
        list.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    @Test(arguments: [
        ("h2=\":8443\"", ["h2 :8443 86400 false"]),
        (
            "h3=\":443\"; ma=60; persist=1, http%2F1.1=\"b.example:81\" ; v=\"4,6\"",
            ["h3 :443 60 true", "h1 b.example:81 86400 false"]
        ),
        ("h3-29=\":443\", , h2=\"[2001:db8::1]:444\"", ["h2 [2001:db8::1]:444 86400 false"]),
        ("clear", []), ("w=\":1\"", []),
    ])
    func `a field names alternatives`(text: String, expected: [String]) throws {
        let field = try #require(AlternativeServicesField(text))
        let members = field.members.map {
            "\($0.version.rawValue) \($0.host):\($0.port) \($0.maximumAgeSeconds) \($0.persists)"
        }
        #expect(members == expected)
    }

    @Test(arguments: ["h2", "h2=:443", "h2=\":443\"; ma=x", "h2=\":443\" x", "=\":443\""])
    func `another field names none`(text: String) {
        #expect(AlternativeServicesField(text) == nil)
    }

    @Test func `the text is that of curl's file`() throws {
        let known = "h2 z.example 443 h3 [2001:db8::1] 8443 \"20270131 23:59:59\" 1 0"
        var list = list("# comment", known, "h2 old.example 443 h2 a 1 \"20261128 00:00:00\" 0 0")
        _ = try learn("h2=\"B.example.:8443\"; ma=61, http/1.1=\":81\"", from: "a.example", &list)
        #expect(
            lines(list) == [
                "h1 a.example 443 h2 b.example 8443 \"20261128 00:01:01\" 0 0",
                "h1 a.example 443 h1 a.example 81 \"20261129 00:00:00\" 0 0",
                "h1 z.example 443 h3 [2001:db8::1] 8443 \"20270131 23:59:59\" 1 0",
            ]
        )
        #expect(AlternativeServiceList(list.text, at: now) == list)
        #expect(AlternativeServiceList.isValid(list.text))
    }

    @Test(arguments: [
        "h2 a.example 443 h2 b.example 8443", "remember the milk",
        "h2 a.example 0 h2 b.example 8443 \"20270131 23:59:59\" 0 0",
        "h2 a.example 443 h9 b.example 8443 \"20270131 23:59:59\" 0 0",
        "h2 a.example 443 h2 b/x 8443 \"20270131 23:59:59\" 0 0",
        "h2 a.example 443 h2 b:1 8443 \"20270131 23:59:59\" 0 0",
    ])
    func `a line in another format is refused`(line: String) {
        #expect(!AlternativeServiceList.isValid("# Alt-Svc\n\n" + line))
        #expect(list(line).isEmpty)
    }

    @Test func `a field replaces the alternatives of its origin`() throws {
        var list = AlternativeServiceList()
        let changes = try [
            learn("h2=\":8443\"; ma=100000", from: "a.example", &list),
            learn("h2=\":8443\"; ma=100000", from: "a.example", &list, after: 60),
            learn("h2=\":8443\"; ma=100000", from: "a.example", &list, after: 2_000),
            learn("h2=\":8444\"; ma=100000", from: "a.example", &list, after: 2_000),
            learn("clear", from: "a.example", &list), learn("clear", from: "a.example", &list),
            learn("h2=\":8443\"; ma=0", from: "a.example", &list),
        ]
        #expect(changes == [true, false, true, true, true, false, false])
        #expect(list.isEmpty)
    }

    @Test func `changes of another process stay`() throws {
        func line(_ host: String) -> String {
            "h1 \(host) 443 h2 \(host) 8443 \"20261128 00:00:09\" 0 0"
        }
        let before = list(line("a"), line("b"))
        var after = before
        _ = try learn("clear", from: "a", &after)
        _ = try learn("h2=\":8443\"; ma=9", from: "c", &after)
        var file = list(line("a"), line("d"))
        file.apply(from: before, to: after, at: now)
        #expect(file == list(line("c"), line("d")))
    }

    @Test func `a server cannot fill the memory`() throws {
        var list = AlternativeServiceList()
        for number in 0..<20_010 {
            _ = try learn("h2=\":1\"", from: "h\(number).example", &list)
        }
        let field = (1...20).map { "h2=\":\($0)\"" }.joined(separator: ", ")
        _ = try learn(field, from: "h0.example", &list)
        #expect(lines(list).count == 20_007)
    }

    // MARK: - The choice for a request

    private func service(
        _ url: String,
        _ change: (inout TransferRequest) throws -> Void = { _ in }
    ) throws -> Int? {
        let services = AlternativeServices(
            list(
                "h1 a.example 443 h2 a.example 2 \"20270131 23:59:59\" 0 0",
                "h1 a.example 443 h1 a.example 1 \"20270131 23:59:59\" 0 0"
            )
        )
        var request = TransferRequest(url: try #require(URL(string: url)))
        try change(&request)
        return services.service(for: request, at: now)?.endpoint.port
    }

    @Test func `an alternative is used only with the protocol that was named`() throws {
        #expect(try service("https://A.example/x") == 1)
        #expect(try service("https://a.example/") { $0.multiplexes = true } == 2)
        #expect(try service("https://a.example/") { $0.connection.httpVersion = .http2 } == 2)
        #expect(try service("https://a.example/") { $0.connection.httpVersion = .http3 } == nil)
        for url in ["http://a.example/", "https://a.example:444/", "https://b.example/"] {
            #expect(try service(url) == nil)
        }
        let ownAddress = try service("https://a.example/") { request in
            request.connection.fixedAddresses = [try .parse("a.example:*:192.0.2.1")]
        }
        #expect(ownAddress == nil)
    }

    @Test func `an alternative that has failed is not used for some minutes`() throws {
        let services = AlternativeServices(
            list("h1 a.example 443 h1 b.example 1 \"20270131 23:59:59\" 0 0")
        )
        let request = TransferRequest(url: try #require(URL(string: "https://a.example/")))
        let service = try #require(services.service(for: request, at: now))
        services.noteFailure(of: service, at: now)
        #expect(services.service(for: request, at: now + 299) == nil)
        #expect(services.service(for: request, at: now + 300) == service)
    }
}

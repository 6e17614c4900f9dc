import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RequestGuardTests {
    private let rules = RequestGuard(ListenAddress(port: 6880))
    private let manager = Authority.token(TokenName.main, .manage)

    private func asked(
        _ method: String = "GET",
        _ path: String = "/v1/downloads",
        _ change: (inout RequestGuard.Facts) -> Void = { _ in }
    ) -> RequestGuard.Facts {
        var asked = RequestGuard.Facts(method, path, hosts: ["127.0.0.1:6880"])
        asked.credentials = .right(manager)
        change(&asked)
        return asked
    }

    private func status(_ asked: RequestGuard.Facts) -> Int? {
        switch rules.judge(asked) {
        case .allowed: nil
        case .refused(let status, let text):
            text.message.isEmpty || text.advice.isEmpty ? 0 : status
        case .wrongCredentials: 401
        case .moved: 308
        }
    }

    @Test func `the listener's own address is accepted as host`() {
        #expect(status(asked { $0.hosts = ["127.0.0.1:6880"] }) == nil)
        let rules = RequestGuard(ListenAddress(.loopback6, port: 6880))
        #expect(rules.judge(asked { $0.hosts = ["[::1]:6880"] }) == .allowed(manager))
    }

    @Test(
        arguments: [
            [], ["evil.example"], ["evil.example:6880"], ["127.0.0.1"], ["127.0.0.1:80"],
            ["127.0.0.1:6880", "127.0.0.1:6880"], ["127.0.0.1:6880.evil.example"],
            ["localhost.:6880"], ["localhost:6880"], ["[::1]:6880"], ["127.0.0.2:6880"], [""],
            [" 127.0.0.1:6880"],
        ]
    )
    func `any other host is refused, even with the token`(hosts: [String]) {
        #expect(status(asked { $0.hosts = hosts }) == 421)
    }

    @Test func `a host in the request target counts, too`() {
        #expect(status(asked("GET", "http://127.0.0.1:6880/v1/downloads")) == nil)
        for path in ["http://evil/v1/downloads", "HTTP://127.0.0.1/", "http:///v1/downloads"] {
            #expect(status(asked("GET", path)) == 421, "\(path)")
        }
    }

    @Test func `at the standard port the host has no port`() {
        let rules = RequestGuard(ListenAddress(port: 80))
        var asked = RequestGuard.Facts("GET", "/", hosts: ["127.0.0.1"])
        asked.credentials = .right(.page)
        #expect(rules.judge(asked) == .allowed(.page))
    }

    @Test(
        arguments: [
            "null", "https://127.0.0.1:6880", "http://127.0.0.1:6881", "http://127.0.0.1",
            "http://evil.example", "http://evil.example:6880", "file://", "",
            "http://localhost:6880", "http://[::1]:6880",
            "http://127.0.0.1:6880/",
        ]
    )
    func `a page of another origin is refused`(origin: String) {
        #expect(status(asked { $0.origins = [origin] }) == 403)
        #expect(status(asked { $0.origins = ["http://127.0.0.1:6880", origin] }) == 403)
    }

    @Test func `the daemon's own page is accepted`() {
        #expect(
            status(
                asked("POST", "/v1/downloads") {
                    $0.origins = ["http://127.0.0.1:6880"]
                    $0.sites = ["same-origin"]
                    $0.contentType = "application/json; charset=utf-8"
                    $0.bodyBytes = 10
                }
            ) == nil
        )
        #expect(status(asked { $0.sites = ["none"] }) == nil)
    }

    @Test(arguments: ["cross-site", "same-site", "", "x"])
    func `a page of another site or port is refused`(site: String) {
        #expect(status(asked { $0.sites = [site] }) == 403)
    }

    @Test(arguments: ["cross-site", "same-site"])
    func `another site may open the page as a document, and request nothing else`(site: String) {
        func opens(
            _ method: String = "GET",
            _ path: String = "/",
            _ change: (inout RequestGuard.Facts) -> Void = { _ in }
        ) -> Int? {
            status(
                asked(method, path) {
                    $0.sites = [site]
                    $0.modes = ["navigate"]
                    $0.destinations = ["document"]
                    change(&$0)
                }
            )
        }
        #expect(opens() == nil)
        #expect(opens { $0.credentials = .none } == nil)
        for (method, path) in [
            ("POST", "/"), ("HEAD", "/"), ("GET", "/assets/main.js"), ("GET", "/worker.js"),
            ("GET", "/v1/downloads"), ("GET", "//"), ("GET", ""),
            ("GET", "http://127.0.0.1:6880/"), ("POST", "/v1/login"),
        ] {
            #expect(opens(method, path) == 403, "\(method) \(path)")
        }
        for mode in ["cors", "no-cors", "same-origin", "websocket", ""] {
            #expect(opens { $0.modes = [mode] } == 403, "\(mode)")
        }
        for destination in ["iframe", "frame", "object", "embed", "empty", "script", ""] {
            #expect(opens { $0.destinations = [destination] } == 403, "\(destination)")
        }
        #expect(opens { $0.modes = [] } == 403)
        #expect(opens { $0.destinations = [] } == 403)
        #expect(opens { $0.destinations = ["document", "iframe"] } == 403)
        #expect(opens { $0.sites = [site, site] } == 403)
        #expect(opens { $0.origins = ["http://evil.example"] } == 403)
        #expect(opens { $0.origins = ["null"] } == 403)
        #expect(opens { $0.hosts = ["evil.example:6880"] } == 421)
        #expect(opens { $0.bodyBytes = 1 } == 400)
    }

    @Test(
        arguments: [
            nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
            "application/jsonx", "", "text/plain; application/json",
        ]
    )
    func `a body without the JSON content type is refused`(type: String?) {
        for (method, path) in [
            ("POST", "/v1/downloads"), ("PATCH", "/v1/settings"), ("DELETE", "/v1/sessions"),
        ] {
            let asked = asked(method, path) {
                $0.bodyBytes = 1
                $0.contentType = type
            }
            #expect(status(asked) == 415)
        }
    }

    @Test func `only changing methods accept a body, up to a limit`() {
        for (method, path) in [("GET", "/v1/downloads"), ("GET", "/"), ("HEAD", "/assets/a.js")] {
            let asked = asked(method, path) {
                $0.bodyBytes = nil
                $0.contentType = "application/json"
            }
            #expect(status(asked) == 400)
        }
        for (bytes, expected) in [(1 << 20, nil), (1 << 20 + 1, 413)] as [(Int64, Int?)] {
            let asked = asked("POST") {
                $0.bodyBytes = bytes
                $0.contentType = "application/json"
            }
            #expect(status(asked) == expected)
        }
    }

    @Test func `an unauthenticated body must be small`() {
        for credentials in [RequestGuard.CredentialState.none, .wrong] {
            for (bytes, expected) in [(1024, nil), (1025, 413)] as [(Int64, Int?)] {
                let asked = asked("POST", "/v1/login") {
                    $0.bodyBytes = bytes
                    $0.contentType = "application/json"
                    $0.credentials = credentials
                }
                #expect(status(asked) == expected)
            }
        }
    }

    @Test func `the base URL is accepted besides the daemon's own address`() throws {
        let base = try BaseURL(parsing: "https://host.example/downloads/")
        let rules = RequestGuard(ListenAddress(port: 6880), base: base)
        func judge(
            _ host: String,
            origin: String? = nil,
            forwarded: String? = nil,
            path: String = "/v1/status"
        ) -> RequestGuard.Verdict {
            var asked = asked("GET", path)
            (asked.hosts, asked.forwardedHost) = ([host], forwarded)
            asked.origins = [origin].compactMap(\.self)
            return rules.judge(asked)
        }
        func status(_ verdict: RequestGuard.Verdict) -> Int? {
            if case .refused(let status, _) = verdict { status } else { nil }
        }
        let allowed = RequestGuard.Verdict.allowed(manager)
        for host in ["host.example", "HOST.example:443", "127.0.0.1:6880"] {
            #expect(judge(host, origin: "https://host.example") == allowed)
            #expect(judge(host, origin: "http://127.0.0.1:6880") == allowed)
            #expect(judge(host, forwarded: "host.example") == allowed)
            // A page under a foreign name could name the daemon there.
            #expect(status(judge(host, forwarded: "evil.example")) == 421)
        }
        for host in ["host.example:80", "evil.example", "host.example:6880", "example"] {
            #expect(status(judge(host)) == 421)
            #expect(status(judge(host, forwarded: "host.example")) == 421)
        }
        for origin in ["http://host.example", "https://host.example:444", "https://example"] {
            #expect(status(judge("host.example", origin: origin)) == 403)
        }
        #expect(judge("host.example", path: "/downloads") == .moved(to: base.text))
        #expect(status(judge("evil.example", path: "/downloads")) == 421)
    }

    @Test func `the token determines the authority`() {
        for authority in [Authority.page, .token("tool", .read), manager] {
            let asked = asked { $0.credentials = .right(authority) }
            #expect(rules.judge(asked) == .allowed(authority))
        }
        #expect(
            rules.judge(asked("GET", "/") { $0.credentials = .none }) == .allowed(.nobody)
        )
    }

    @Test func `without a token only the page's files, the login and readiness are open`() {
        let methods = ["GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS", "TRACE"]
        let paths = [
            "/", "/assets/page.js", "/assets", "/v1/login", "/v1/downloads", "/healthz", "",
            "//", "/assetsx/", "/v1/login/", "/V1/LOGIN", "/readyz", "/readyz/",
        ]
        let open: Set<String> = [
            "GET /", "HEAD /", "GET /assets/page.js", "HEAD /assets/page.js", "POST /v1/login",
            "GET /readyz", "HEAD /readyz",
        ]
        for method in methods {
            for path in paths {
                for credentials in [RequestGuard.CredentialState.none, .wrong] {
                    let asked = asked(method, path) { $0.credentials = credentials }
                    let expected = open.contains("\(method) \(path)") ? nil : 401
                    #expect(status(asked) == expected, "\(method) \(path)")
                }
            }
        }
    }

    @Test func `a wrong token is distinguished from none`() {
        #expect(rules.judge(asked { $0.credentials = .wrong }) == .wrongCredentials)
    }

    @Test func `over TLS the names of the certificate and addresses are accepted`() {
        let rules = RequestGuard(ListenAddress(port: 6880), isNamed: { $0 == "nas.example" })
        func judge(_ host: String, origin: String? = nil) -> RequestGuard.Verdict {
            var asked = asked()
            (asked.hosts, asked.origins) = ([host], [origin].compactMap(\.self))
            return rules.judge(asked)
        }
        func status(_ verdict: RequestGuard.Verdict) -> Int? {
            if case .refused(let status, _) = verdict { status } else { nil }
        }
        let allowed = RequestGuard.Verdict.allowed(manager)
        for host in [
            "nas.example:6880", "NAS.example:6880", "192.0.2.1:6880", "[2001:db8::1]:6880",
        ] {
            #expect(judge(host) == allowed, "\(host)")
            #expect(judge(host, origin: "https://\(host)") == allowed, "\(host)")
            #expect(status(judge(host, origin: "http://\(host)")) == 403, "\(host)")
            #expect(status(judge(host, origin: "https://other.example:6880")) == 403, "\(host)")
        }
        for host in ["nas.example", "nas.example:80", "evil.example:6880", "nas.example:6880:6880"]
        {
            #expect(status(judge(host)) == 421, "\(host)")
        }
    }

    @Test func `over TLS the standard port is that of HTTPS`() {
        let rules = RequestGuard(ListenAddress(port: 443), isNamed: { $0 == "nas.example" })
        for host in ["nas.example", "nas.example:443", "127.0.0.1", "[::1]"] {
            #expect(rules.judge(asked { $0.hosts = [host] }) == .allowed(manager), "\(host)")
        }
    }
}

import PawlCore
import PawlTesting
import PawlTransport
import Testing

/// Exchanges through proxies, which are programs of Debian.
@Suite(.timeLimit(.minutes(5)))
struct ProxyTests {
    private func request(
        _ origin: TestOrigin,
        through proxy: String,
        host: String = "127.0.0.1"
    ) throws -> TransferRequest {
        var request = TransferRequest(url: try origin.url(host: host))
        request.connection.proxy = try ProxyPolicy.parse(proxy)
        return request
    }

    private func origin() throws -> TestOrigin {
        try TestOrigin { connection in while true { try connection.answer("hello") } }
    }

    @Test func `an HTTP proxy forwards requests`() async throws {
        let proxy = try await ProxyServers.http()
        let origin = try origin()
        let record = try await fetch(
            request(origin, through: "http://127.0.0.1:\(proxy.port)")
        )
        #expect(record.text == "hello", "\(record.message)")
        #expect(record.heads.first?["Via"]?.contains("tinyproxy") == true)
    }

    @Test func `an HTTP proxy forwards TLS unchanged`() async throws {
        let proxy = try await ProxyServers.http()
        let tls = try #require(try TLSServer())
        let origin = try TestOrigin(tls: tls) { try $0.answer("hello") }
        // Without a scheme, it is an HTTP proxy.
        var request = try request(origin, through: "127.0.0.1:\(proxy.port)")
        request.connection.authoritiesFile = tls.certificateFile
        #expect(try await fetch(request).text == "hello")
        await proxy.waitForLog(containing: "CONNECT 127.0.0.1:\(origin.port)")
        request.connection.authoritiesFile = nil
        #expect(try await fetch(request).failure == .certificateRefused)
    }

    @Test(arguments: [false, true])
    func `an HTTP proxy that requires a login gets it`(isTLS: Bool) async throws {
        let proxy = try await ProxyServers.http(login: "me pass")
        let tls = isTLS ? try TLSServer() : nil
        let origin = try TestOrigin(tls: tls) { try $0.answer("hello") }
        for (login, isRight) in [("me:pass@", true), ("me:wrong@", false), ("", false)] {
            var request = try request(origin, through: "http://\(login)127.0.0.1:\(proxy.port)")
            request.connection.authoritiesFile = tls?.certificateFile
            let record = try await fetch(request)
            if isRight {
                #expect(record.text == "hello", "\(record.message)")
            } else if isTLS {
                #expect(record.failure == .proxyUnauthorized, "\(record.message)")
            } else {
                // tinyproxy answers a wrong password like an origin.
                #expect([401, 407].contains(record.heads.first?.status))
            }
            #expect(!record.message.contains("wrong"))
        }
    }

    @Test(arguments: ["socks5", "socks5h"])
    func `a SOCKS 5 proxy connects`(scheme: String) async throws {
        let proxy = try await ProxyServers.socks5()
        let origin = try origin()
        let record = try await fetch(
            request(origin, through: "\(scheme)://127.0.0.1:\(proxy.port)", host: "localhost")
        )
        #expect(record.text == "hello", "\(record.message)")
        // The proxy logs the name only if it was to resolve it.
        let name = scheme == "socks5h" ? "localhost" : "127.0.0.1"
        await proxy.waitForLog(containing: "connected to \(name):")
    }

    @Test func `a SOCKS 5 proxy that requires a login gets it`() async throws {
        let proxy = try await ProxyServers.socks5(login: ("me", "p@ss:/"))
        let origin = try origin()
        let right = try await fetch(
            request(origin, through: "socks5://me:p%40ss%3A%2F@127.0.0.1:\(proxy.port)")
        )
        #expect(right.text == "hello", "\(right.message)")
        for login in ["me:wrong@", ""] {
            let record = try await fetch(
                request(origin, through: "socks5://\(login)127.0.0.1:\(proxy.port)")
            )
            #expect(record.failure == .proxyUnauthorized, "\(record.message)")
        }
    }

    @Test func `a SOCKS 4 proxy connects`() async throws {
        let proxy = try await ProxyServers.socks4()
        let origin = try origin()
        let record = try await fetch(
            request(origin, through: "socks4://127.0.0.1:\(proxy.port)", host: "localhost")
        )
        #expect(record.text == "hello", "\(record.message)")
    }

    /// None of Debian's proxies has this version, so the origin itself plays the proxy.
    @Test func `a SOCKS 4a proxy gets the name`() async throws {
        let origin = try TestOrigin { connection in
            // Connect to port 80 of the address 0.0.0.1, which stands for a name, without a user.
            let request: [UInt8] = [4, 1, 0, 80, 0, 0, 0, 1, 0]
            guard try connection.read(request.count) == request,
                try connection.read(18) == Array("somewhere.example".utf8) + [0]
            else { return }
            try connection.send([0, 0x5A, 0, 0, 0, 0, 0, 0])
            try connection.answer("hello")
        }
        var request = TransferRequest(url: try makeURL("http://somewhere.example/"))
        request.connection.proxy = try ProxyPolicy.parse("socks4a://127.0.0.1:\(origin.port)")
        let record = try await fetch(request)
        #expect(record.text == "hello", "\(record.message)")
    }

    @Test func `a proxy that cannot be reached is named in the error`() async throws {
        let port = try UnusedPort.find()
        let origin = try origin()
        let record = try await fetch(
            request(origin, through: "http://127.0.0.1:\(port)")
        )
        #expect(record.failure == .cannotConnect)
        #expect(record.message.contains("\(port)"), "\(record.message)")
        let unknown = try await fetch(request(origin, through: "http://proxy.invalid:1"))
        #expect(unknown.failure == .proxyNotResolved)
        let resolving = try await fetch(request(origin, through: "socks5h://proxy.invalid:1"))
        #expect(resolving.failure == .proxyNotResolved, "\(resolving.message)")
    }

    @Test func `a name that a SOCKS proxy does not resolve is that of the server`() async throws {
        let proxy = try await ProxyServers.socks5()
        var request = TransferRequest(url: try makeURL("http://origin.invalid/"))
        request.connection.proxy = try ProxyPolicy.parse("socks5://127.0.0.1:\(proxy.port)")
        #expect(try await fetch(request).failure == .nameNotResolved)
    }

    @Test func `a proxy that refuses to connect is not the server`() async throws {
        // tinyproxy answers 500 if the server refuses the connection.
        let proxy = try await ProxyServers.http()
        let port = try UnusedPort.find()
        var request = TransferRequest(url: try makeURL("https://127.0.0.1:\(port)/"))
        request.connection.proxy = try ProxyPolicy.parse("127.0.0.1:\(proxy.port)")
        let record = try await fetch(request)
        #expect(record.failure == .proxyRefused, "\(record.message)")
        let error = DownloadError(TransferFailure(.proxyRefused, ""), host: "a.example")
        #expect(error.message == "the proxy did not connect to a.example")
    }

    /// A connection that was made through a proxy leads elsewhere.
    @Test func `a connection is reused only for requests that take the same route`() async throws {
        let proxy = try await ProxyServers.http()
        let origin = try origin()
        try await withTransport { transport in
            for through in ["none", "127.0.0.1:\(proxy.port)", "none", "127.0.0.1:\(proxy.port)"] {
                let record = try await fetch(
                    request(origin, through: through),
                    over: transport
                )
                let isForwarded = record.heads.first?["Via"] != nil
                #expect(isForwarded == (through != "none"), "\(record.message)")
            }
        }
    }
}

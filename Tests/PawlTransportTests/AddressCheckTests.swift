import PawlCore
import PawlTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AddressCheckTests {
    private func request(_ origin: TestOrigin, host: String, allows: Bool) throws -> TransferRequest
    {
        var request = TransferRequest(url: try origin.url(host: host))
        request.connection.allowsPrivateAddresses = allows
        return request
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `an address of this machine is not connected to unless allowed`(
        host: String
    ) async throws {
        let origin = try TestOrigin { try $0.answer("x") }
        let refused = try await fetch(request(origin, host: host, allows: false))
        #expect(refused.failure == .addressRefused, "\(refused.message)")
        #expect(refused.heads.isEmpty)
        #expect(origin.connections == 0)
        let allowed = try await fetch(request(origin, host: host, allows: true))
        #expect(allowed.text == "x")
    }

    /// libcurl reuses a connection that another transfer has opened, without checking its address.
    @Test func `a forbidden address is not reached over an existing connection`() async throws {
        let origin = try TestOrigin { connection in while true { try connection.answer("x") } }
        try await withTransport { transport in
            for allows in [true, false, true, false] {
                let record = try await fetch(
                    request(origin, host: "127.0.0.1", allows: allows),
                    over: transport
                )
                #expect(record.text == (allows ? "x" : ""))
                #expect(record.failure == (allows ? nil : .addressRefused))
            }
        }
        #expect(origin.connections >= 1)
    }

    /// A proxy connects to what it is told, and its own address may be a private one.
    @Test(arguments: [
        ("127.0.0.1", false), ("[::1]", false), ("router.local", false), ("other.example", true),
        ("[2600::1]", true), ("8.8.8.8", true),
    ])
    func `a proxy is not told to connect to an alternative on a private network`(
        host: String,
        isAllowed: Bool
    ) async throws {
        let proxy = try TestOrigin { connection in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\n")
        }
        var request = TransferRequest(url: try makeURL("https://host.example/x"))
        request.connection.proxy = try ProxyPolicy.parse("http://127.0.0.1:\(proxy.port)")
        request.connection.allowsPrivateAddresses = false
        request.connection.allowsPrivateProxies = true
        let endpoint = try #require(AlternativeService.Endpoint(host, port: 443))
        request.alternative = AlternativeService(.http1, endpoint, expiry: .max)
        let record = try await fetch(request)
        #expect(record.failure == (isAllowed ? .proxyRefused : .addressRefused))
        #expect(proxy.connections == (isAllowed ? 1 : 0))
    }

    @Test func `the error states what to do, and that a retry is useless`() {
        let error = DownloadError(TransferFailure(.addressRefused, ""), host: "router.local")
        #expect(error.code == .notAllowed)
        #expect(!error.isRetryable)
        #expect(error.message.contains("router.local"))
        #expect(error.advice.contains("pawl daemon allow"))
    }
}

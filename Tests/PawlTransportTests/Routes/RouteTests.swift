import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlTransport
import Testing

/// The ways in which a connection reaches its server.
@Suite(.timeLimit(.minutes(5)))
struct RouteTests {
    /// An origin that answers with the `Host` field that it received.
    private func origin() throws -> TestOrigin {
        try TestOrigin { connection in
            while true {
                let head = try connection.readHead()
                let host = head.first { $0.hasPrefix("Host: ") } ?? ""
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(host.utf8.count)\r\n\r\n\(host)"
                )
            }
        }
    }

    @Test func `a fixed address replaces the resolved one`() async throws {
        let origin = try origin()
        var request = TransferRequest(url: try origin.url(host: "nowhere.invalid"))
        #expect(try await fetch(request).failure == .nameNotResolved)
        for entry in ["nowhere.invalid:\(origin.port):127.0.0.1", "*:*:127.0.0.1"] {
            request.connection.fixedAddresses = [try FixedAddress.parse(entry)]
            #expect(try await fetch(request).text == "Host: nowhere.invalid:\(origin.port)")
        }
        request.connection.fixedAddresses = [try FixedAddress.parse("other.invalid:*:127.0.0.1")]
        #expect(try await fetch(request).failure == .nameNotResolved)
    }

    @Test func `a fixed address applies only to the requests that have it`() async throws {
        let origin = try origin()
        try await withTransport { transport in
            var request = TransferRequest(url: try origin.url(host: "nowhere.invalid"))
            request.connection.fixedAddresses = [try FixedAddress.parse("*:*:127.0.0.1")]
            #expect(try await fetch(request, over: transport).outcome == .completed)
            request.connection.fixedAddresses = []
            #expect(try await fetch(request, over: transport).failure == .nameNotResolved)
        }
    }

    @Test func `several fixed addresses are tried one after the other`() async throws {
        let origin = try origin()
        var request = TransferRequest(url: try origin.url(host: "nowhere.invalid"))
        // The server listens on one address only.
        for list in ["127.0.0.3,127.0.0.1", "[::1],127.0.0.1", "127.0.0.1,127.0.0.3"] {
            let entry = "nowhere.invalid:\(origin.port):\(list)"
            request.connection.fixedAddresses = [try FixedAddress.parse(entry)]
            let record = try await fetch(request)
            #expect(record.text == "Host: nowhere.invalid:\(origin.port)", "\(list)")
        }
        request.connection.fixedAddresses = [
            try FixedAddress.parse("nowhere.invalid:*:127.0.0.3,127.0.0.4")
        ]
        #expect(try await fetch(request).failure == .cannotConnect)
    }

    @Test func `the version of IP can be chosen`() async throws {
        let origin = try origin()
        var request = TransferRequest(url: try origin.url())
        request.connection.ipVersion = .v4
        #expect(try await fetch(request).outcome == .completed)
        request.connection.ipVersion = .v6
        let record = try await fetch(request)
        #expect(record.failure != nil)
        #expect(record.heads.isEmpty)
    }

    /// libcurl itself reuses a connection of the other version (7.88).
    @Test func `a connection of the other version of IP is not reused`() async throws {
        let origin = try origin()
        try await withTransport { transport in
            var request = TransferRequest(url: try origin.url(host: "localhost"))
            request.connection.ipVersion = .v4
            #expect(try await fetch(request, over: transport).outcome == .completed)
            request.connection.ipVersion = .v6
            #expect(try await fetch(request, over: transport).failure != nil)
            #expect(origin.connections == 1)
        }
    }

    @Test(arguments: ["lo", "127.0.0.2"])
    func `the interface can be chosen`(interface: String) async throws {
        let origin = try origin()
        var request = TransferRequest(url: try origin.url())
        request.connection.interface = interface
        let record = try await fetch(request)
        #expect(record.outcome == .completed, "\(record.message)")
        if interface != "lo" { #expect(record.heads.first?.localAddress == interface) }
    }

    @Test(arguments: ["pawl-missing", "192.0.2.77"])
    func `an interface that does not exist is an error`(interface: String) async throws {
        let origin = try origin()
        var request = TransferRequest(url: try origin.url())
        request.connection.interface = interface
        #expect(try await fetch(request).failure == .interfaceFailed)
        let error = DownloadError(TransferFailure(.interfaceFailed, ""), host: "a.example")
        #expect(error.advice.contains("interface"))
    }

    @Test func `a name server over HTTPS resolves names`() async throws {
        let tls = try #require(try TLSServer())
        let origin = try origin()
        let resolver = try TestOrigin(tls: tls) { connection in
            while true { try connection.answerNames(with: [127, 0, 0, 1]) }
        }
        var request = TransferRequest(url: try origin.url(host: "somewhere.example"))
        request.connection.nameServer = try resolver.url("/dns-query", host: "localhost")
        request.connection.authoritiesFile = tls.certificateFile
        let record = try await fetch(request)
        #expect(record.text == "Host: somewhere.example:\(origin.port)", "\(record.message)")
        #expect(resolver.connections > 0)
    }

    /// Without a cookie of the server, a client asks for one with its first packet.
    @Test(.enabled(if: Self.canUseFastOpen), arguments: [false, true])
    func `TCP Fast Open is used on request`(isWanted: Bool) async throws {
        let origin = try TestOrigin { connection in
            _ = try connection.readHead()
            let answer = connection.firstPacket.map { $0.usesFastOpen ? "fast" : "slow" } ?? "none"
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\(answer)")
        }
        var request = TransferRequest(url: try origin.url())
        request.connection.usesTCPFastOpen = isWanted
        #expect(try await fetch(request).text == (isWanted ? "fast" : "slow"))
    }

    /// Whether this system's clients may use TCP Fast Open, which Linux lets them by default.
    private static var canUseFastOpen: Bool {
        let text = try? String(contentsOfFile: "/proc/sys/net/ipv4/tcp_fastopen", encoding: .utf8)
        return Int(text?.filter(\.isNumber) ?? "").map { $0 & 1 == 1 } ?? false
    }

    @Test func `HTTP/3 without a libcurl that has it is an error`() async throws {
        let origin = try origin()
        var request = TransferRequest(url: try origin.url())
        request.connection.httpVersion = .http3
        let record = try await fetch(request)
        guard record.failure == .notBuiltIn else {
            return #expect(record.outcome == .completed, "\(record.message)")
        }
        let error = DownloadError(TransferFailure(.notBuiltIn, record.message), host: "a.example")
        #expect(error.message.contains("(HTTP/3)"))
    }

    @Test func `HTTP/1.1 is used on request`() async throws {
        let server = try await NginxServer()
        try server.put("file", patternedBytes(1_000))
        for version in [HTTPVersion.http1, .http2] {
            var request = TransferRequest(url: try makeURL(server.url("file")))
            request.connection.authoritiesFile = server.authority
            request.connection.httpVersion = version
            request.multiplexes = true
            let record = try await fetch(request)
            #expect(
                record.heads.first?.protocolVersion == (version == .http1 ? "HTTP/1.1" : "HTTP/2")
            )
        }
    }

    /// More groups than a loop keeps connections for.
    @Test func `many routes in turn all lead to the server`() async throws {
        let origin = try origin()
        try await withTransport { transport in
            for number in 0..<150 {
                var request = TransferRequest(url: try origin.url())
                request.connection.fixedAddresses = [
                    FixedAddress(host: "unused\(number).example", port: nil, address: "127.0.0.1")
                ]
                #expect(try await fetch(request, over: transport).outcome == .completed)
            }
        }
        #expect(origin.connections == 150)
    }
}

extension OriginConnection {
    /// Answers a query of DNS over HTTPS: questions for IPv4 addresses with this one, and others
    /// with none (RFC 8484, RFC 1035 §4).
    fileprivate func answerNames(with address: [UInt8]) throws {
        let head = try readHead()
        let length = head.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.drop { $0 != ":" }.dropFirst().filter { $0 != " " }) }
        let query = try read(length ?? 0)
        guard query.count > 16 else { throw Gone() }
        let isForIPv4 = query[query.count - 3] == 1
        var reply = query
        // A response without an error, and the number of answers.
        (reply[2], reply[3], reply[7]) = (0x81, 0x80, isForIPv4 ? 1 : 0)
        if isForIPv4 {
            // The name of the question, type A, class IN, a minute, four bytes.
            reply += [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4] + address
        }
        try send(
            "HTTP/1.1 200 OK\r\nContent-Type: application/dns-message\r\n"
                + "Content-Length: \(reply.count)\r\n\r\n"
        )
        try send(reply)
    }
}

import FoundationEssentials
import PawlCLI
import PawlCore
import PawlTesting
import Testing

/// The options that decide how to connect, in the built program.
@Suite(.timeLimit(.minutes(5)))
struct RouteOptionTests {
    private let resource = Resource(size: 300_000)

    @Test func `every option reaches the settings`() throws {
        var options = DownloadOptions()
        for (name, value) in [
            ("proxy", "socks5h://me:secret@proxy.example:1080"), ("http2", "true"),
            ("ipv6", "true"), ("interface", "eth0"), ("resolve", "a.example:443:192.0.2.1"),
            ("resolve", "*:*:[2001:db8::1],192.0.2.2"), ("dns-over-https", "https://dns.example/q"),
            ("tcp-fast-open", "true"), ("cert", "/dev/null"), ("key", "/dev/null"),
            ("key-password", "secret"),
            ("pinned-public-key", "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
        ] {
            try options.apply(OptionAssignment(name, value))
        }
        let connection = options.settings.connection
        #expect(connection.proxy == (try .parse("socks5h://me:secret@proxy.example:1080")))
        #expect(!"\(connection.proxy)".contains("secret"))
        #expect(connection.httpVersion == .http2)
        #expect(connection.ipVersion == .v6)
        #expect(connection.interface == "eth0")
        #expect(
            connection.fixedAddresses == [
                FixedAddress(host: "a.example", port: 443, address: "192.0.2.1"),
                FixedAddress(host: nil, port: nil, addresses: ["2001:db8::1", "192.0.2.2"]),
            ]
        )
        #expect(connection.nameServer?.absoluteString == "https://dns.example/q")
        #expect(connection.usesTCPFastOpen)
        #expect(
            connection.clientIdentity
                == ClientIdentity(
                    certificateFile: "/dev/null",
                    keyFile: "/dev/null",
                    keyPassword: "secret"
                )
        )
        #expect(connection.pinnedPublicKeys == ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="])
    }

    @Test(arguments: [
        ("http1.1", HTTPVersion.http1), ("http2", .http2), ("http3", .http3),
    ])
    func `each version of HTTP has an option`(name: String, version: HTTPVersion) throws {
        var options = DownloadOptions()
        try options.apply(OptionAssignment(name, "true"))
        #expect(options.settings.connection.httpVersion == version)
    }

    @Test(arguments: [("ipv4", IPVersion.v4), ("ipv6", .v6)])
    func `each version of IP has an option`(name: String, version: IPVersion) throws {
        var options = DownloadOptions()
        try options.apply(OptionAssignment(name, "true"))
        #expect(options.settings.connection.ipVersion == version)
    }

    @Test(arguments: [
        ("proxy", "ftp://proxy.example"), ("proxy", "http://me:secret@"),
        ("proxy", "http://proxy.example/path"), ("interface", "a/b"),
        ("interface", "a-name-that-is-too-long"), ("resolve", "a.example:443"),
        ("resolve", "a.example:x:192.0.2.1"), ("resolve", "a.example:443:b.example"),
        ("resolve", "a.example:443:192.0.2.1,"),
        ("resolve", "a b:443:192.0.2.1"), ("dns-over-https", "http://dns.example/q"),
        ("pinned-public-key", "sha256//abc"), ("http3", "false"), ("cert", "/missing/file"),
    ])
    func `a value that is not valid is refused`(name: String, value: String) {
        var options = DownloadOptions()
        let error = #expect(throws: DownloadError.self) {
            try options.apply(OptionAssignment(name, value))
        }
        #expect(
            error?.code == .usage || error?.code == .fileUnreadable,
            "\(String(describing: error))"
        )
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `the proxy of the environment is used unless the option says otherwise`()
        async throws
    {
        let workshop = try Workshop(resource)
        let port = try UnusedPort.find()
        let settings = ProcessSettings(
            environment: ["http_proxy": "http://127.0.0.1:\(port)", "no_proxy": nil]
        )
        let refused = try await workshop.run(workshop.url, "--retries", "0", settings: settings)
        #expect(refused.status != .code(0))
        #expect(refused.errors.contains("\(port)"), "\(refused.errors)")
        #expect(workshop.origin.requests.isEmpty)
        let direct = try await workshop.run(workshop.url, "--proxy", "none", settings: settings)
        try expectOnly(Workshop.name, resource, in: workshop, direct)
    }

    @Test func `the option replaces the proxy of the environment`() async throws {
        let workshop = try Workshop(resource)
        let proxy = try await ServerProgram("microsocks") { _, port in
            ["-i", "127.0.0.1", "-p", "\(port)", "-u", "me", "-P", "s3cret"]
        }
        let settings = ProcessSettings(
            environment: ["http_proxy": "http://127.0.0.1:1", "no_proxy": "127.0.0.1"]
        )
        let address = "127.0.0.1:\(proxy.port)"
        let run = try await workshop.run(
            workshop.url,
            "-v",
            "--proxy",
            "socks5://me:s3cret@\(address)",
            settings: settings
        )
        try expectOnly(Workshop.name, resource, in: workshop, run)
        await proxy.waitForLog(containing: "connected to 127.0.0.1:")
        #expect(!run.everything.contains("s3cret"))
        let other = try await workshop.run(
            workshop.url,
            "-o",
            "other",
            "--proxy",
            "socks5://me:wr0ng@\(address)",
            settings: settings
        )
        #expect(other.status == .code(ErrorCode.unauthorized.exitStatus), "\(other.errors)")
        #expect(other.errors.contains("the proxy did not accept the name and password"))
        #expect(!other.everything.contains("wr0ng"))
    }

    /// `ps` shows the arguments of every user's processes.
    @Test func `a proxy that cannot be reached is named as such`() async throws {
        let workshop = try Workshop()
        let port = try UnusedPort.find()
        let proxy = "http://127.0.0.1:\(port)"
        let ways: [(scheme: String, options: [String], variables: [String: String?])] = [
            ("http", ["--proxy", proxy], [:]), ("http", [], ["http_proxy": proxy]),
            ("https", [], ["https_proxy": proxy]), ("https", [], ["HTTPS_PROXY": proxy]),
            ("http", [], ["all_proxy": proxy]), ("https", [], ["ALL_PROXY": proxy]),
        ]
        for (scheme, options, variables) in ways {
            let none = ["no_proxy": String?.none, "NO_PROXY": nil]
            let run = try await workshop.run(
                ["\(scheme)://localhost:1/file", "--retries", "0"] + options,
                ProcessSettings(environment: variables.merging(none) { given, _ in given })
            )
            expectError(.network, run)
            #expect(run.errors.contains("cannot connect to the proxy"), "\(run.errors)")
        }
        let direct = try await workshop.run(
            ["http://localhost:\(port)/file", "--retries", "0"],
            ProcessSettings(environment: ["http_proxy": proxy, "no_proxy": "localhost"])
        )
        expectError(.network, direct)
        #expect(direct.errors.contains("cannot connect to localhost"), "\(direct.errors)")
    }

    @Test func `secrets are not in the list of processes`() async throws {
        let workshop = try Workshop()
        let gate = Latch()
        workshop.serve(.resource(resource).holdAfterBytes(1_000, until: gate))
        let run = try workshop.start(
            workshop.url + "?token=s3cret&plain=visible",
            "-o",
            "file",
            "-u",
            "me:s3cret",
            "-HX-Key: s3cret",
            "--header=Cookie: a=s3cret",
            "--mirror",
            "http://me:s3cret@127.0.0.1:1/disk.iso",
            "--connect-timeout",
            "17"
        )
        await workshop.origin.waitForRequests(1)
        let bytes = try Data(contentsOf: URL(filePath: "/proc/\(run.identifier)/cmdline"))
        let line = String(decoding: bytes, as: UTF8.self)
        #expect(!line.contains("s3cret"), "\(line)")
        #expect(line.contains("--connect-timeout\u{0}17"))
        gate.release()
        #expect(await run.waitForExit() == .code(0), "\(run.errors)")
    }

    @Test func `only the server of the URL receives the client certificate`() async throws {
        let workshop = try Workshop()
        let folder = workshop.folder
        let made = try await ProcessRunner.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=client", "-days",
                "2", "-keyout", folder.path("key"), "-out", folder.path("cert"),
            ]
        )
        #expect(made.status == .code(0), "\(made.errors)")
        let server = try await NginxServer(
            http2: false,
            "ssl_client_certificate \(folder.path("cert")); ssl_verify_client on;"
        )
        try server.put("file", [UInt8](repeating: 7, count: 1_000))
        let other = try await NginxServer(
            http2: false,
            "location = /moved { return 302 \(server.url("file")); }"
        )
        let options = [
            "--cacert", server.authority, "--cert", folder.path("cert"), "--key",
            folder.path("key"), "-o", "result",
        ]
        let direct = try await workshop.run([server.url("file")] + options)
        #expect(direct.status == .code(0), "\(direct.errors)")
        let moved = try await workshop.run([other.url("moved")] + options)
        #expect(moved.status != .code(0))
        #expect(moved.errors.contains("answered 400"), "\(moved.errors)")
    }

    @Test func `a file that contains no authorities is a mistake, with advice`() async throws {
        let server = try await NginxServer()
        try server.put("file", [7])
        let workshop = try Workshop()
        try workshop.folder.write("other", "no certificate\n")
        let run = try await workshop.run(server.url("file"), "--cacert", "other")
        expectFailure(.usage, run)
        #expect(run.errors.contains("the file of certificate authorities cannot be used (other: "))
        #expect(run.errors.contains("with --cacert"), "\(run.errors)")
    }

    /// Another authority would not help.
    @Test func `the advice for a refused certificate depends on the reason`() async throws {
        let workshop = try Workshop()
        let expired = try await NginxServer(certificate: .expired)
        let late = try await workshop.run(expired.url("file"), "--cacert", expired.authority)
        expectFailure(.tlsFailed, late)
        #expect(late.errors.contains("check the clock of this machine"), "\(late.errors)")
        let server = try await NginxServer()
        let elsewhere = try await workshop.run(
            server.url("file", host: "other.example"),
            "--resolve",
            "other.example:\(server.port):127.0.0.1",
            "--cacert",
            server.authority
        )
        expectFailure(.tlsFailed, elsewhere)
        #expect(elsewhere.errors.contains("check the host name in the URL"))
        for run in [late, elsewhere] { #expect(!run.errors.contains("--cacert"), "\(run.errors)") }
        let unknown = try await workshop.run(server.url("file"))
        expectFailure(.tlsFailed, unknown)
        #expect(unknown.errors.contains("--cacert"), "\(unknown.errors)")
    }

    @Test func `an option limits the redirects that are followed`() async throws {
        let workshop = try Workshop()
        workshop.origin.route("/moved", .redirect(to: "/file"))
        workshop.origin.route("/file", .resource(resource))
        let url = workshop.origin.url("/moved")
        let refused = try await workshop.run(url, "--max-redirects", "0")
        expectFailure(.redirectRefused, refused)
        #expect(refused.errors.contains("--max-redirects"), "\(refused.errors)")
        #expect(workshop.origin.requests(to: "/file").isEmpty)
        let followed = try await workshop.run(url, "--max-redirects", "1")
        #expect(followed.status == .code(0), "\(followed.errors)")
        expectFailure(.usage, try await workshop.run(url, "--max-redirects", "101"))
    }

    @Test func `HTTP2 is used for segments, too, on request`() async throws {
        let workshop = try Workshop()
        let server = try await NginxServer()
        let content = Resource(size: 6 << 20).bytes()
        try server.put("file", content)
        let run = try await workshop.run(
            server.url("file"),
            "--cacert",
            server.authority,
            "--http2",
            "-x",
            "4"
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.read("file") == content)
        let requests = try await server.close()
        #expect(requests.allSatisfy { $0.version == "HTTP/2.0" })
        #expect(requests.count > 1)
    }
}

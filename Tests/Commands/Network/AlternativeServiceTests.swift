import PawlCore
import PawlTesting
import Testing

/// `--alt-svc`: other servers of the same origin.
@Suite(.timeLimit(.minutes(5)))
struct AlternativeServiceTests {
    private let content = [UInt8](repeating: 7, count: 100_000)

    private func server(
        certificate: TestCertificate? = .localhost,
        _ lines: String = ""
    ) async throws -> NginxServer {
        let server = try await NginxServer(certificate: certificate, lines)
        for name in ["first", "second", "third"] { try server.put(name, content) }
        return server
    }

    /// A server that names another one, for both versions of HTTP.
    private func server(naming other: NginxServer) async throws -> NginxServer {
        let services = ["h2", "http%2F1.1"].map { "\($0)=\\\":\(other.port)\\\"; ma=3600" }
        return try await server(
            "add_header Alt-Svc \"\(services.joined(separator: ", "))\" always;"
        )
    }

    private func run(
        _ workshop: Workshop,
        _ server: NginxServer,
        _ name: String,
        _ options: [String] = ["--http1.1"],
        variables: [String: String?] = [:]
    ) async throws {
        let run = try await workshop.run(
            [server.url(name), "--alt-svc", "services"] + options
                + (options.contains("--retries") ? [] : ["--retries", "0"])
                + (options.contains("--cacert") ? [] : ["--cacert", server.authority]),
            ProcessSettings(environment: variables)
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.read(name) == content)
    }

    /// Makes an alternative known that no server has named.
    private func write(_ port: UInt16, for server: NginxServer, _ workshop: Workshop) throws {
        try workshop.folder.write(
            "services",
            "h1 127.0.0.1 \(server.port) h1 127.0.0.1 \(port) \"20991231 23:59:59\" 0 0\n"
        )
    }

    private func paths(_ server: NginxServer) async throws -> Set<String> {
        Set(try await server.close().map(\.path))
    }

    @Test(arguments: [["--http1.1"], ["--http2"], ["-x", "4", "--http1.1"]])
    func `the second run connects to the server that the first has named`(
        options: [String]
    ) async throws {
        let workshop = try Workshop()
        let other = try await server()
        let server = try await server(naming: other)
        try await run(workshop, server, "first", options)
        let text = try workshop.folder.readText("services")
        let learned = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let start = "h1 127.0.0.1 \(server.port) h2 127.0.0.1 \(other.port) \"20"
        #expect(learned.count == 2)
        #expect(learned.first?.hasPrefix(start) == true, "\(text)")
        try await run(workshop, server, "second", options)
        #expect(try await !paths(server).contains("/second"))
        let requests = try await other.close().filter { $0.path == "/second" }
        #expect(!requests.isEmpty)
        let version = options.contains("--http2") ? "HTTP/2.0" : "HTTP/1.1"
        #expect(requests.allSatisfy { $0.version == version }, "\(requests)")
    }

    @Test func `without the option, nothing is followed or kept`() async throws {
        let workshop = try Workshop()
        let other = try await server()
        let server = try await server(naming: other)
        for name in ["first", "second"] {
            let run = try await workshop.run(server.url(name), "--cacert", server.authority)
            #expect(run.status == .code(0), "\(run.errors)")
        }
        #expect(workshop.folder.list() == ["first", "second"])
        #expect(try await paths(other).isEmpty)
    }

    @Test func `a server without a certificate for the host is not used`() async throws {
        let workshop = try Workshop()
        let stranger = try await server(certificate: .otherHost)
        let server = try await server()
        try write(stranger.port, for: server, workshop)
        // The certificate itself is trusted; its name is another one.
        let both = [TestCertificate.localhost, .otherHost].compactMap { $0?.pem }
        try workshop.folder.write("both.pem", both.joined(separator: "\n"))
        try await run(workshop, server, "first", ["--http1.1", "--cacert", "both.pem"])
        #expect(try await paths(stranger).isEmpty)
        #expect(try await paths(server) == ["/first"])
    }

    /// The variables name proxies that are not used for the URL.
    @Test(arguments: [
        [:], ["http_proxy": "http://127.0.0.1:1"],
        ["https_proxy": "http://127.0.0.1:1", "no_proxy": "127.0.0.1"],
    ])
    func `if nothing listens at the alternative, the server of the URL is asked`(
        variables: [String: String]
    ) async throws {
        let workshop = try Workshop()
        let server = try await server()
        try write(try UnusedPort.find(), for: server, workshop)
        try await run(workshop, server, "first", variables: variables.mapValues { $0 })
        #expect(try await paths(server) == ["/first"])
    }

    @Test func `if the alternative never answers, a retry asks the server of the URL`() async throws
    {
        let workshop = try Workshop()
        let silent = try ScriptedOrigin(tls: true)
        silent.routeDefault(.raw("", thenClose: false))
        let server = try await server()
        try write(silent.port, for: server, workshop)
        let options = [
            "--http1.1", "--stall-timeout", BusyMachine.pauseSeconds, "--retries", "1",
        ]
        try await run(workshop, server, "first", options)
        #expect(silent.requests.count == 1)
        #expect(try await paths(server) == ["/first"])
    }

    @Test func `if the alternative does not serve the host, the server of the URL is asked`()
        async throws
    {
        let workshop = try Workshop()
        let other = try await server("location / { return 421; }")
        let server = try await server()
        try write(other.port, for: server, workshop)
        try await run(workshop, server, "first")
        #expect(try await other.close().map(\.status).allSatisfy { $0 == 421 })
        #expect(try await paths(server) == ["/first"])
    }

    @Test func `a rejected alternative is not asked again`() async throws {
        let workshop = try Workshop()
        let other = try await server("location / { return 421; }")
        let server = try await server()
        try write(other.port, for: server, workshop)
        try await run(workshop, server, "first", ["--http1.1", "-j", "1", server.url("second")])
        #expect(try await other.close().count == 1)
        #expect(try await paths(server) == ["/first", "/second"])
    }

    @Test func `curl and Pawl share the file`() async throws {
        let workshop = try Workshop()
        let other = try await server()
        let server = try await server(naming: other)
        func curl(_ name: String) async throws {
            let run = try await ProcessRunner.run(
                "curl",
                ["--silent", "--fail", "--cacert", server.authority, "--output", "copy"]
                    + ["--alt-svc", workshop.folder.path("services"), server.url(name)],
                ProcessSettings(folder: workshop.folder.path)
            )
            #expect(run.status == .code(0), "\(run.errors)")
        }
        try await curl("first")
        // curl keeps no alternatives for HTTP/1.1.
        try await run(workshop, server, "second", ["--http2"])
        // An empty file is that of nobody.
        try workshop.folder.write("services", "")
        try await run(workshop, server, "first")
        try await curl("third")
        #expect(try await paths(server) == ["/first"])
        #expect(try await paths(other) == ["/second", "/third"])
    }

    @Test func `nothing is learned without proof of which server names it`() async throws {
        let workshop = try Workshop(Resource(size: 1_000))
        let other = try await server()
        let server = try await server(naming: other)
        for name in ["first", "second"] {
            try await run(workshop, server, name, ["--http1.1", "--insecure"])
        }
        workshop.serve(
            Reply.resource(Resource(size: 1_000)).setting(
                "Alt-Svc",
                "http%2F1.1=\":\(other.port)\""
            )
        )
        let plain = try await workshop.run(workshop.url, "--alt-svc", "services")
        #expect(plain.status == .code(0), "\(plain.errors)")
        #expect(!workshop.folder.exists("services"))
        #expect(try await paths(other).isEmpty)
    }

    @Test func `another file is not overwritten`() async throws {
        let workshop = try Workshop()
        let server = try await server()
        try workshop.folder.write("services", "remember\n")
        let run = try await workshop.run(server.url("first"), "--alt-svc", "services")
        expectFailure(.usage, run)
        #expect(run.errors.contains("'services' is not an Alt-Svc file of curl"), "\(run.errors)")
        #expect(try workshop.folder.readText("services") == "remember\n")
    }
}

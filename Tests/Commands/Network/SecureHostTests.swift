import PawlCore
import PawlTesting
import Testing

/// `--hsts`: hosts that are used only over HTTPS.
@Suite(.timeLimit(.minutes(5)))
struct SecureHostTests {
    private let content = [UInt8](repeating: 7, count: 100_000)

    /// A server with the name `localhost` that supports only TLS.
    private func server(_ field: String? = "max-age=3600", _ lines: String = "") async throws
        -> NginxServer
    {
        let demand = field.map { "add_header Strict-Transport-Security \"\($0)\" always;" } ?? ""
        let server = try await NginxServer("\(demand) \(lines)")
        try server.put("file", content)
        return server
    }

    private func plain(_ server: NginxServer, _ path: String = "file") -> String {
        "http://localhost:\(server.port)/\(path)"
    }

    private func run(
        _ workshop: Workshop,
        _ url: String,
        _ server: NginxServer,
        _ options: String...
    ) async throws -> FinishedProcess {
        try await workshop.run(
            [url, "--hsts", "hosts", "--cacert", server.authority, "-o", "file"]
                + ["--if-exists", "overwrite"] + options
        )
    }

    private func hosts(_ workshop: Workshop) throws -> [Substring] {
        try workshop.folder.readText("hosts").split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    @Test func `a host that demands HTTPS gets it from then on`() async throws {
        let workshop = try Workshop()
        let server = try await server()
        let before = try await run(workshop, plain(server), server)
        #expect(before.status != .code(0))
        #expect(!workshop.folder.exists("hosts"))
        let first = try await run(workshop, server.url("file", host: "localhost"), server)
        #expect(first.status == .code(0), "\(first.errors)")
        let lines = try hosts(workshop)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("localhost \"20") == true, "\(lines)")
        let second = try await run(workshop, plain(server), server, "-x", "4")
        #expect(second.status == .code(0), "\(second.errors)")
        #expect(try workshop.folder.read("file") == content)
        let inspected = try await workshop.run(
            "inspect",
            plain(server),
            "--hsts",
            "hosts",
            "--cacert",
            server.authority
        )
        #expect(inspected.status == .code(0), "\(inspected.errors)")
        let unasked = try await workshop.run(plain(server), "--cacert", server.authority)
        #expect(unasked.status != .code(0))
        #expect(try await server.close().allSatisfy { $0.status != 301 })
    }

    @Test func `the change to HTTPS is no redirect`() async throws {
        let workshop = try Workshop()
        let server = try await server(nil, "location = /moved { return 302 /file; }")
        try workshop.folder.write("hosts", "localhost \"unlimited\"\n")
        let upgraded = try await run(workshop, plain(server), server, "--max-redirects", "0")
        #expect(upgraded.status == .code(0), "\(upgraded.errors)")
        #expect(try workshop.folder.read("file") == content)
        let moved = plain(server, "moved")
        let one = try await run(workshop, moved, server, "--max-redirects", "1")
        #expect(one.status == .code(0), "\(one.errors)")
        let none = try await run(workshop, moved, server, "--max-redirects", "0")
        #expect(none.status == .code(ErrorCode.redirectRefused.exitStatus), "\(none.errors)")
    }

    @Test func `a redirect to such a host leads to HTTPS, with the method and the body`()
        async throws
    {
        let workshop = try Workshop()
        let server = try await server(nil, "location = /post { return 200 posted; }")
        try workshop.folder.write("hosts", "localhost \"unlimited\"\n")
        workshop.serve(.redirect(to: plain(server)))
        let moved = try await run(workshop, workshop.url, server)
        #expect(moved.status == .code(0), "\(moved.errors)")
        #expect(try workshop.folder.read("file") == content)
        // Without the file, this redirect is refused.
        let first = try await self.server(nil, "location = /moved { return 302 \(plain(server)); }")
        let downgraded = try await run(workshop, first.url("moved"), server)
        #expect(downgraded.status == .code(0), "\(downgraded.errors)")
        let posted = try await run(workshop, plain(server, "post"), server, "--data", "a=b")
        #expect(posted.status == .code(0), "\(posted.errors)")
        #expect(try workshop.folder.readText("file") == "posted")
    }

    @Test func `a list on such a host is requested over HTTPS`() async throws {
        let workshop = try Workshop()
        let server = try await server(nil)
        try workshop.folder.write("hosts", "localhost \"unlimited\"\n")
        try server.put("list", Array("\(plain(server))\n".utf8))
        let run = try await workshop.run(
            "-i",
            plain(server, "list"),
            "--hsts",
            "hosts",
            "--cacert",
            server.authority
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.read("file") == content)
    }

    @Test func `curl and Pawl share the file`() async throws {
        let workshop = try Workshop()
        let server = try await server("max-age=3600; includeSubDomains")
        let options = ["--silent", "--fail", "--cacert", server.authority, "--output", "copy"]
        func curl(_ url: String) async throws -> FinishedProcess {
            try await ProcessRunner.run(
                "curl",
                options + ["--hsts", workshop.folder.path("hosts"), url],
                ProcessSettings(folder: workshop.folder.path)
            )
        }
        let learned = try await curl(server.url("file", host: "localhost"))
        #expect(learned.status == .code(0), "\(learned.errors)")
        let byCurl = try hosts(workshop)
        #expect(byCurl.first?.hasPrefix(".localhost \"20") == true, "\(byCurl)")
        let used = try await run(workshop, plain(server), server)
        #expect(used.status == .code(0), "\(used.errors)")
        // Pawl writes it again, with another host that stays.
        try workshop.folder.write("hosts", ".other.example \"unlimited\"\n")
        let taught = try await run(workshop, server.url("file", host: "localhost"), server)
        #expect(taught.status == .code(0), "\(taught.errors)")
        #expect(try hosts(workshop).count == 2)
        let read = try await curl(plain(server))
        #expect(read.status == .code(0), "\(read.errors)")
    }

    @Test func `a host can withdraw its demand`() async throws {
        let workshop = try Workshop()
        let server = try await server("max-age=0")
        try workshop.folder.write("hosts", "localhost \"unlimited\"\nb.example \"unlimited\"\n")
        let run = try await run(workshop, plain(server), server)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try hosts(workshop) == ["b.example \"unlimited\""])
    }

    @Test func `nothing is learned without proof of which server demands it`() async throws {
        let workshop = try Workshop(Resource(size: 1_000))
        let server = try await server()
        let insecure = try await workshop.run(
            server.url("file", host: "localhost"),
            "--hsts",
            "hosts",
            "--insecure"
        )
        #expect(insecure.status == .code(0), "\(insecure.errors)")
        let address = try await run(workshop, server.url("file"), server)
        #expect(address.status == .code(0), "\(address.errors)")
        let field = ("Strict-Transport-Security", "max-age=3600")
        workshop.serve(Reply.resource(Resource(size: 1_000)).setting(field.0, field.1))
        let plain = workshop.origin.url(Workshop.path, host: "localhost")
        let open = try await run(workshop, plain, server)
        #expect(open.status == .code(0), "\(open.errors)")
        #expect(!workshop.folder.exists("hosts"))
    }

    @Test func `another file is not overwritten`() async throws {
        let workshop = try Workshop()
        let server = try await server()
        try workshop.folder.write("hosts", "remember\n")
        let run = try await run(workshop, server.url("file", host: "localhost"), server)
        expectFailure(.usage, run)
        #expect(run.errors.contains("'hosts' is not an HSTS file of curl"), "\(run.errors)")
        #expect(try workshop.folder.readText("hosts") == "remember\n")
    }
}

import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct RequestOptionTests {
    private let resource = Resource(size: 50_000)

    @Test(arguments: ["-H", "--header"])
    func `headers are sent`(option: String) async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(
            workshop.url,
            option,
            "Accept-Language: de",
            option,
            "X-Empty-Handed:   no  "
        )
        try expectOnly(Workshop.name, resource, in: workshop, run)
        let request = try #require(workshop.origin.requests.first)
        #expect(request["Accept-Language"] == "de")
        #expect(request["X-Empty-Handed"] == "no")
        #expect(request["Accept-Encoding"] == "identity")
    }

    @Test func `headers are sent to the server in the URL, marked ones also after redirects`()
        async throws
    {
        let workshop = try Workshop()
        workshop.serve(.resource(resource), at: "/real/disk.iso")
        let other = workshop.origin.url("/real/disk.iso", host: "localhost")
        workshop.serve(.redirect(to: other))
        let run = try await workshop.run(
            workshop.url,
            "--header",
            "X-Own: one",
            "--redirect-header",
            "X-Any: two"
        )
        #expect(run.status == .code(0), "\(run.errors)")
        let requests = workshop.origin.requests
        #expect(requests.first?["X-Own"] == "one" && requests.first?["X-Any"] == "two")
        for request in requests.dropFirst() {
            #expect(request["X-Own"] == nil && request["X-Any"] == "two")
        }
        #expect(requests.count >= 2)
        let secret = try await workshop.run(workshop.url, "--redirect-header", "X-Api-Key: hunter2")
        expectFailure(.usage, secret)
        #expect(!secret.everything.contains("hunter2"))
    }

    @Test func `the user agent is Pawl's own or the given one`() async throws {
        let workshop = try Workshop(resource)
        _ = try await workshop.run(workshop.url, "-o", "a")
        _ = try await workshop.run(workshop.url, "-o", "b", "--user-agent", "Probe/1.0")
        let agents = workshop.origin.requests.map { $0["User-Agent"] }
        try #require(agents.count == 2)
        #expect(agents[0]?.lowercased().hasPrefix("pawl/") == true)
        #expect(agents[1] == "Probe/1.0")
    }

    @Test func `the referring page is sent to every server, without its secrets`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource), at: "/real/disk.iso")
        workshop.serve(.redirect(to: workshop.origin.url("/real/disk.iso", host: "localhost")))
        let page = "http://jo:hunter2@pages.example/list?page=2#files"
        let run = try await workshop.run(workshop.url, "--referer", page)
        try expectOnly(Workshop.name, resource, in: workshop, run)
        let pages = Set(workshop.origin.requests.map { $0["Referer"] })
        #expect(pages == ["http://pages.example/list?page=2"])
        #expect(Set(workshop.origin.requests.map { $0["Host"] }).count == 2)
    }

    @Test func `an HTTPS page is not named over plain HTTP`() async throws {
        let workshop = try Workshop(resource)
        let page = "https://pages.example/list"
        _ = try await workshop.run(workshop.url, "--referer", page)
        #expect(workshop.origin.requests.map { $0["Referer"] } == [nil])

        let secure = try Workshop(resource, tls: true)
        _ = try await secure.run(secure.url, "--insecure", "--referer", page)
        #expect(Set(secure.origin.requests.map { $0["Referer"] }) == [page])
    }

    @Test func `user signs in`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource).requireBasic(name: "jo", password: "a:b c"))
        let run = try await workshop.run(workshop.url, "--user", "jo:a:b c")
        try expectOnly(Workshop.name, resource, in: workshop, run)
    }

    @Test func `a wrong password is not retried`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource).requireBasic(name: "jo", password: "right"))
        let run = try await workshop.run(workshop.url, "--user", "jo:wrong")
        expectFailure(.unauthorized, run)
        #expect(workshop.origin.requests.count <= 2)
        #expect(workshop.folder.list().isEmpty)
        #expect(!run.everything.contains("wrong"))
    }

    @Test func `a missing password is asked for without echo`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource).requireBasic(name: "jo", password: "open sesame"))
        let runner = try workshop.start(
            workshop.url,
            "--user",
            "jo",
            settings: ProcessSettings(terminal: TerminalSize())
        )
        #expect(await runner.waitForOutput(containing: "Password for jo: "))
        runner.type("open sesame\n")
        #expect(await runner.waitForExit() == .code(0))
        #expect(!runner.output.contains("sesame"))
        try expectExact(Workshop.name, resource, in: workshop)
    }

    @Test func `a password is not asked for without a terminal`() async throws {
        let workshop = try Workshop(resource)
        expectFailure(.usage, try await workshop.run(workshop.url, "--user", "jo"))
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `an unknown certificate is refused`() async throws {
        let workshop = try Workshop(resource, tls: true)
        let run = try await workshop.run(workshop.url)
        expectFailure(.tlsFailed, run)
        #expect(run.errors.contains("--cacert"))
        #expect(workshop.origin.requests.isEmpty)
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `insecure accepts it`() async throws {
        let workshop = try Workshop(resource, tls: true)
        let run = try await workshop.run(workshop.url, "--insecure")
        try expectOnly(Workshop.name, resource, in: workshop, run)
    }

    @Test func `cacert trusts it, and no other`() async throws {
        let workshop = try Workshop(resource, tls: true)
        let pem = try #require(workshop.origin.certificatePEM)
        let own = try ScratchFolder()
        let path = try own.write("authority.pem", pem)
        let run = try await workshop.run(workshop.url, "--cacert", path)
        try expectOnly(Workshop.name, resource, in: workshop, run)

        let other = try ScriptedOrigin(certificate: .otherHost)
        other.route("/x", .resource(resource))
        let refused = try await workshop.run(other.url("/x"), "--cacert", path)
        expectFailure(.tlsFailed, refused)
    }

    @Test func `a certificate that has expired is refused`() async throws {
        let workshop = try Workshop(resource)
        let expired = try ScriptedOrigin(certificate: .expired)
        expired.route("/x", .resource(resource))
        let path = try workshop.folder.write("authority", #require(expired.certificatePEM))
        let refused = try await workshop.run(expired.url("/x?token=s3cret"), "--cacert", path)
        expectFailure(.tlsFailed, refused)
        #expect(refused.errors.contains("expired"), "\(refused.errors)")
        #expect(!refused.everything.contains("s3cret"))
        #expect(workshop.folder.list() == ["authority"])
        #expect(expired.requests.isEmpty)
    }
}

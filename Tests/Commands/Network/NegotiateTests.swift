import PawlCore
import PawlTesting
import Testing

/// `--auth negotiate` and `--auth digest` with a real server, in the built program.
@Suite(.timeLimit(.minutes(5)))
struct NegotiateTests {
    private let resource = Resource(size: 3_000_000)

    @Test func `a server accepts a Kerberos ticket, on each connection`() async throws {
        let realm = try await KerberosRealm()
        let workshop = try Workshop(resource)
        try await SquidServer.run(
            as: .origin(port: workshop.origin.port),
            .negotiate(realm)
        ) { server in
            let url = "http://localhost:\(server.port)\(Workshop.path)"
            let ticket = ProcessSettings(environment: try await realm.signedIn())
            let unasked = try await workshop.run(url, settings: ticket)
            expectFailure(.unauthorized, unasked)
            let without = try await workshop.run(
                url,
                "--auth",
                "negotiate",
                settings: ProcessSettings(environment: realm.signedOut)
            )
            expectFailure(.unauthorized, without)
            #expect(workshop.origin.requests.isEmpty)
            let run = try await workshop.run(
                url,
                "--auth",
                "negotiate",
                "-x",
                "4",
                settings: ticket
            )
            try expectOnly(Workshop.name, resource, in: workshop, run)
            #expect(workshop.origin.requests.count > 1)
        }
    }

    @Test func `only the server of the URL is shown the ticket`() async throws {
        let realm = try await KerberosRealm()
        let ticket = ProcessSettings(environment: try await realm.signedIn())
        let workshop = try Workshop(resource)
        let first = try ScriptedOrigin()
        let target = workshop.origin.url(Workshop.path, host: "localhost")
        first.route("/moved", .redirect(to: target))
        let run = try await workshop.run(
            first.url("/moved", host: "localhost"),
            "--auth",
            "negotiate",
            "--mirror",
            target,
            settings: ticket
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(first.requests.first?["Authorization"]?.hasPrefix("Negotiate ") == true)
        #expect(!workshop.origin.requests.isEmpty)
        #expect(workshop.origin.requests.allSatisfy { $0["Authorization"] == nil })
    }

    @Test func `a list from a server is not combined with the ticket`() async throws {
        let workshop = try Workshop(resource)
        workshop.serve(.resource(Resource(text: workshop.url)), at: "/list")
        let list = workshop.origin.url("/list")
        let run = try await workshop.run("-i", list, "--auth", "negotiate")
        expectFailure(.usage, run)
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `a server accepts a digest of the password`() async throws {
        let workshop = try Workshop(resource)
        try await SquidServer.run(
            as: .origin(port: workshop.origin.port),
            .digest(password: "hunter2")
        ) { server in
            let url = "http://localhost:\(server.port)\(Workshop.path)"
            let wrong = try await workshop.run(url, "-u", "me:wr0ng", "--auth", "digest")
            expectFailure(.unauthorized, wrong)
            #expect(!wrong.everything.contains("wr0ng"))
            let basic = try await workshop.run(url, "-u", "me:hunter2", "--auth", "basic")
            expectFailure(.unauthorized, basic)
            #expect(workshop.origin.requests.isEmpty)
            let run = try await workshop.run(url, "-u", "me:hunter2", "--auth", "digest", "-x", "4")
            try expectOnly(Workshop.name, resource, in: workshop, run)
        }
    }
}

extension DaemonSuites {
    /// The user's Kerberos ticket, and programs that ask the daemon over TCP.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonTicketTests {
        @Test(arguments: ["authentication", "proxyAuthentication"])
        func `a download that is added over TCP does not use the ticket`(member: String)
            async throws
        {
            let origin = try ScriptedOrigin()
            origin.route("/file", .resource(Resource(size: 1_000)))
            let network = try await NetworkScene.make()
            try await network.scene.succeed("daemon", "allow", "--private-addresses", "yes")
            let answer = try await network.ask(
                "POST",
                "/v1/downloads",
                #"""
                {"downloads":[{"url":"\#(origin.url("/file"))","destination":"",
                "settings":{"\#(member)":"negotiate"}}]}
                """#
            )
            #expect(answer.status == 201, "\(answer.body)")
            let waited = try await network.scene.run("wait", "--all")
            #expect(waited.status == .code(ErrorCode.notAllowed.exitStatus), "\(waited.errors)")
            #expect(origin.requests.isEmpty)
        }
    }
}

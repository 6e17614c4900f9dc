import PawlCore
import PawlTesting
import Testing

/// Proxies that require a login, and proxies that refuse requests, with the built program.
@Suite(.timeLimit(.minutes(5)))
struct ProxyLoginTests {
    private let resource = Resource(size: 30_000)

    /// Runs `pawl` for the workshop's file through a proxy.
    private func run(
        _ workshop: Workshop,
        through proxy: String,
        _ options: [String] = [],
        environment: [String: String?] = [:],
        url: String? = nil
    ) async throws -> FinishedProcess {
        try await workshop.run(
            [url ?? workshop.url, "--proxy", proxy, "-v", "-o", "file", "--if-exists", "overwrite"]
                + options,
            ProcessSettings(environment: environment)
        )
    }

    private func expectForwarded(_ run: FinishedProcess, by workshop: Workshop) throws {
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact("file", resource, in: workshop)
        #expect(workshop.origin.requests.last?["Via"]?.contains("squid") == true)
    }

    @Test func `a proxy can require TLS, and its certificate is checked`() async throws {
        try await SquidServer.run(as: .tlsProxy, .none) { proxy in
            let address = "https://localhost:\(proxy.port)"
            let workshop = try Workshop(resource)
            let authority = try #require(TestCertificate.localhost).pem
            try workshop.folder.write("authority", authority)
            let trusted = try await run(workshop, through: address, ["--cacert", "authority"])
            try expectForwarded(trusted, by: workshop)
            let requests = workshop.origin.requests.count
            let refused = try await run(workshop, through: address)
            #expect(refused.status == .code(ErrorCode.tlsFailed.exitStatus), "\(refused.errors)")
            #expect(
                refused.errors.contains("the certificate of the proxy is not trusted"),
                "\(refused.errors)"
            )
            #expect(workshop.origin.requests.count == requests)
            // TLS within TLS.
            let secure = try Workshop(resource, tls: true)
            try secure.folder.write("authority", authority)
            let both = try await run(secure, through: address, ["--cacert", "authority"])
            #expect(both.status == .code(0), "\(both.errors)")
            try expectExact("file", resource, in: secure)
        }
    }

    @Test(arguments: [
        "http://joe:p#hunter2@127.0.0.1:18300", "http://joe:hunter2@127.0.0.1:99999",
        "foo://joe:hunter2@127.0.0.1:18300", "joe:hunter2/@127.0.0.1:18300",
    ])
    func `a proxy of the environment that is not one is named without its password`(
        proxy: String
    ) async throws {
        let workshop = try Workshop(resource)
        var environment: [String: String?] = [
            "http_proxy": proxy, "all_proxy": nil, "ALL_PROXY": nil, "NO_PROXY": nil,
            "no_proxy": nil,
        ]
        // The workshop checks that no output contains the password.
        let run = try await workshop.run(
            ["-v", workshop.url],
            ProcessSettings(environment: environment)
        )
        #expect(run.status == .code(ErrorCode.usage.exitStatus), "\(run.errors)")
        #expect(run.errors.contains("the proxy in the environment cannot be used (http_proxy: "))
        #expect(workshop.folder.list().isEmpty)
        environment["no_proxy"] = "127.0.0.1"
        let direct = try await workshop.run(
            [workshop.url],
            ProcessSettings(environment: environment)
        )
        #expect(direct.status == .code(0), "\(direct.errors)")
    }

    @Test(arguments: ["http_proxy", "all_proxy", "ALL_PROXY"])
    func `a proxy of the environment is used`(variable: String) async throws {
        try await SquidServer.run(as: .proxy, .none) { proxy in
            let workshop = try Workshop(resource)
            var environment: [String: String?] = [
                "http_proxy": nil, "all_proxy": nil, "ALL_PROXY": nil, "NO_PROXY": nil,
                "no_proxy": nil,
            ]
            environment[variable] = "127.0.0.1:\(proxy.port)"
            let run = try await workshop.run(
                [workshop.url, "-o", "file"],
                ProcessSettings(environment: environment)
            )
            try expectForwarded(run, by: workshop)
        }
    }

    @Test(arguments: [[], ["--proxy-auth", "digest"]])
    func `a proxy asks for a login by digest`(options: [String]) async throws {
        try await SquidServer.run(.digest(password: "hunter2")) { proxy in
            let workshop = try Workshop(resource)
            let address = "127.0.0.1:\(proxy.port)"
            let right = try await run(workshop, through: "http://me:hunter2@\(address)", options)
            try expectForwarded(right, by: workshop)
            #expect(!right.everything.contains("hunter2"))
            let requests = workshop.origin.requests.count
            for login in ["me:wr0ng@", ""] {
                let refused = try await run(workshop, through: "http://\(login)\(address)", options)
                #expect(refused.status == .code(ErrorCode.unauthorized.exitStatus))
                #expect(refused.errors.contains("the proxy answered 407"), "\(refused.errors)")
                #expect(refused.errors.contains("--proxy"), "\(refused.errors)")
                #expect(!refused.everything.contains("wr0ng"))
            }
            #expect(workshop.origin.requests.count == requests)
        }
    }

    @Test func `basic does not answer a proxy that asks for digest`() async throws {
        try await SquidServer.run(.digest(password: "hunter2")) { proxy in
            let workshop = try Workshop(resource)
            let address = "http://me:hunter2@127.0.0.1:\(proxy.port)"
            let refused = try await run(workshop, through: address, ["--proxy-auth", "basic"])
            #expect(refused.status == .code(ErrorCode.unauthorized.exitStatus))
            #expect(workshop.origin.requests.isEmpty)
        }
    }

    @Test func `a proxy that refuses is an error, and keeps nothing`() async throws {
        try await SquidServer.run(.none) { proxy in
            let workshop = try Workshop(resource)
            let address = "http://127.0.0.1:\(proxy.port)"
            let forbidden = workshop.origin.url("\(SquidServer.refused)?token=s3cret")
            let refused = try await run(workshop, through: address, url: forbidden)
            #expect(refused.status == .code(ErrorCode.unauthorized.exitStatus))
            #expect(refused.errors.contains("answered 403"), "\(refused.errors)")
            #expect(!refused.everything.contains("s3cret"))
            #expect(workshop.folder.list().isEmpty)
            let tunnel = try await run(
                workshop,
                through: address,
                ["--retries", "0"],
                url: "https://localhost:\(SquidServer.closedPort)/?token=s3cret"
            )
            #expect(tunnel.status == .code(ErrorCode.network.exitStatus), "\(tunnel.errors)")
            #expect(tunnel.errors.contains("the proxy did not connect to localhost"))
            #expect(!tunnel.everything.contains("s3cret"))
            #expect(workshop.folder.list().isEmpty)
        }
    }

    @Test func `a proxy accepts a Kerberos ticket`() async throws {
        let realm = try await KerberosRealm()
        try await SquidServer.run(.negotiate(realm)) { proxy in
            let workshop = try Workshop(resource)
            let address = "http://localhost:\(proxy.port)"
            let options = ["--proxy-auth", "negotiate"]
            let signedIn = try await run(
                workshop,
                through: address,
                options,
                environment: realm.signedIn()
            )
            try expectForwarded(signedIn, by: workshop)
            let requests = workshop.origin.requests.count
            let signedOut = try await run(
                workshop,
                through: address,
                options,
                environment: realm.signedOut
            )
            #expect(signedOut.status == .code(ErrorCode.unauthorized.exitStatus))
            #expect(signedOut.errors.contains("407"), "\(signedOut.errors)")
            // The ticket is not shown to a proxy that just asks for it.
            let unasked = try await run(
                workshop,
                through: address,
                environment: realm.signedIn()
            )
            #expect(unasked.status == .code(ErrorCode.unauthorized.exitStatus))
            #expect(unasked.errors.contains("--proxy-auth negotiate"), "\(unasked.errors)")
            #expect(workshop.origin.requests.count == requests)
        }
    }

    /// libcurl itself would choose Negotiate, and then send nothing.
    @Test func `a password is sent to a proxy that would also accept a ticket`() async throws {
        let realm = try await KerberosRealm()
        try await SquidServer.run(.negotiateOrDigest(realm, password: "hunter2")) { proxy in
            let workshop = try Workshop(resource)
            let run = try await run(
                workshop,
                through: "http://me:hunter2@localhost:\(proxy.port)",
                environment: realm.signedOut
            )
            try expectForwarded(run, by: workshop)
        }
    }
}

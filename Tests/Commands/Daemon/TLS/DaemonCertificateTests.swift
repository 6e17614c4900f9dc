import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The daemon's certificate as a setting, and its renewal.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonCertificateTests {
        private func status(_ scene: DaemonScene) async throws -> DaemonStatus {
            let run = try await scene.succeed("daemon", "status", "--json")
            return try WireJSON.decode(DaemonStatus.self, from: run.output.utf8)
        }

        @Test func `a renewed certificate is used without a restart`() async throws {
            let scene = try await SecureScene.make()
            #expect(try await scene.ask("/v1/status").status == 200)
            try scene.files.write(.renewed)
            // The client trusts the new certificate only. The files are checked once per second.
            while try await scene.ask("/v1/status").status != 200 {
                try Task.checkCancellation()
            }
            // The previous certificate stays if the new one has no key yet. The daemon may have seen
            // the new key without its certificate above.
            func warnings() -> Int {
                scene.network.daemon.errors.split(separator: "\n").count {
                    $0.contains("the previous TLS certificate stays in use")
                }
            }
            let before = warnings()
            try scene.files.replaceCertificate(.otherHost)
            while warnings() == before {
                #expect(try await scene.ask("/v1/status").status == 200)
            }
            for _ in 0..<5 { #expect(try await scene.ask("/v1/status").status == 200) }
            #expect(warnings() == before + 1)
        }

        /// A pair of files that cannot be used, and a part of the message.
        enum Fault: String, CaseIterable {
            case missing = "cannot be opened"
            case noCertificate = "contains no certificate in PEM"
            case damaged = "contains a damaged certificate"
            case expired = "has expired"
            case otherKey = "does not belong to the certificate"
            case encrypted = "is encrypted"
            case noKey = "contains no private key in PEM"
            case openKey = "other users can access the TLS key"

            func write(_ files: CertificateFiles) throws {
                switch self {
                case .missing: break
                case .noCertificate:
                    try files.write(.localhost)
                    try files.folder.write("pawl.pem", "text")
                case .damaged:
                    try files.write(.localhost)
                    let text = try files.folder.readText("pawl.pem")
                    let end = "-----END CERTIFICATE-----\n"
                    try files.folder.write("pawl.pem", text.prefix(200) + "\n\(end)")
                case .expired: try files.write(.expired)
                case .otherKey:
                    try files.write(.localhost, keyText: TestCertificate.otherHost?.keyPEM)
                case .encrypted:
                    let text = try #require(TestCertificate.localhost?.encryptedKeyPEM)
                    try files.write(.localhost, keyText: text)
                case .noKey: try files.write(.localhost, keyText: "")
                case .openKey:
                    try files.write(.localhost)
                    try files.folder.setPermissions("pawl.key", 0o644)
                }
            }
        }

        @Test(arguments: Fault.allCases)
        func `files that cannot be used are reported, and no daemon starts`(fault: Fault)
            async throws
        {
            let files = try CertificateFiles()
            try fault.write(files)
            let scene = try DaemonScene(Workshop())
            let run = try await scene.run(
                "daemon",
                "start",
                "--listen",
                "127.0.0.1:0",
                "--tls-cert",
                files.certificate,
                "--tls-key",
                files.key
            )
            expectFailure(.fileUnreadable, run)
            #expect(run.errors.contains(fault.rawValue), "\(run.errors)")
            expectFailure(.daemonUnavailable, try await scene.run("daemon", "status"))
        }

        @Test func `the certificate is remembered, and its key may be in the same file`()
            async throws
        {
            let files = try CertificateFiles()
            let certificate = try #require(TestCertificate.localhost)
            try files.folder.write("both.pem", certificate.pem + certificate.keyPEM)
            try files.folder.setPermissions("both.pem", 0o600)
            let path = files.folder.path("both.pem")
            let scene = try DaemonScene(Workshop())
            try await scene.succeed(
                "daemon",
                "start",
                "--listen",
                "127.0.0.1:0",
                "--tls-cert",
                path
            )
            #expect(try await status(scene).url?.hasPrefix("https://127.0.0.1:") == true)
            try await scene.succeed("daemon", "restart")
            #expect(try await status(scene).url?.hasPrefix("https://127.0.0.1:") == true)
            let link = try await scene.succeed("daemon", "token", "--url").output
            #expect(link.hasPrefix("https://127.0.0.1:"))
            // A running daemon takes no file that it cannot use.
            let refused = try await scene.run("daemon", "start", "--tls-cert", "/nowhere.pem")
            expectFailure(.fileUnreadable, refused)
            #expect(try await status(scene).url?.hasPrefix("https:") == true)
            // Without the file, the daemon runs, and does not fall back to plain HTTP.
            try await scene.succeed("daemon", "stop")
            try files.folder.write("both.pem", "")
            try await scene.succeed("daemon", "start")
            let status = try await status(scene)
            #expect(status.url == nil)
            #expect(status.listenProblem?.contains("contains no certificate") == true)
            try files.folder.write("both.pem", certificate.pem + certificate.keyPEM)
            try await scene.succeed("daemon", "start", "--tls-cert", path)
            #expect(try await self.status(scene).url?.hasPrefix("https:") == true)
            try await scene.succeed("daemon", "start", "--tls-cert", "off")
            #expect(try await self.status(scene).url?.hasPrefix("http://") == true)
            try await scene.succeed("daemon", "stop")
        }

        @Test func `other machines can reach the daemon over TLS only`() async throws {
            let plain = try DaemonScene(Workshop())
            for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
                let run = try await plain.run("daemon", "start", "--listen", address)
                expectFailure(.usage, run)
                #expect(run.errors.contains("--tls-cert"), "\(run.errors)")
            }
            let scene = try await SecureScene.make(at: "0.0.0.0:0")
            let port = scene.network.port
            #expect(try await scene.ask("/v1/status").status == 200)
            // Another address of this machine, a name of the certificate, and another name.
            let far = try await scene.network.curl(
                ["-k", "https://127.0.0.2:\(port)/v1/status"] + scene.token
            )
            #expect(far.status == 200)
            func ask(host: String, origin: String) async throws -> Int {
                try await scene.ask("/v1/status", "-H", "Host: \(host)", "-H", "Origin: \(origin)")
                    .status
            }
            let own = "localhost:\(port)"
            #expect(try await ask(host: own, origin: "https://\(own)") == 200)
            #expect(try await ask(host: own, origin: "https://other.example") == 403)
            #expect(try await ask(host: "evil.example:\(port)", origin: "https://\(own)") == 421)
            // Without TLS, it must listen elsewhere, if only at one address of the same port.
            let run = try await scene.network.scene.run("daemon", "start", "--tls-cert", "off")
            expectFailure(.usage, run)
            try await scene.network.scene.succeed(
                "daemon",
                "start",
                "--tls-cert",
                "off",
                "--listen",
                "127.0.0.1:\(port)"
            )
            #expect(try await status(scene.network.scene).url == "http://127.0.0.1:\(port)")
            #expect(try await scene.network.ask("GET", "/v1/status").status == 200)
        }

        @Test func `a program with a token cannot change the certificate`() async throws {
            let scene = try await SecureScene.make()
            for body in [#"{"tlsCertificate":null}"#, #"{"tlsKey":"/key.pem"}"#] {
                let answer = try await scene.ask(
                    "/v1/settings",
                    "-X",
                    "PATCH",
                    "-H",
                    "Content-Type: application/json",
                    "--data-binary",
                    body
                )
                #expect(answer.status == 403)
            }
            #expect(try await scene.ask("/v1/status").status == 200)
        }
    }
}

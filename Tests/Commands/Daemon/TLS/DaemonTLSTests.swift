import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Clients that connect over TLS.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonTLSTests {
        @Test func `the API is used over TLS by clients that trust the certificate`() async throws {
            let scene = try await SecureScene.make()
            #expect(try await scene.ask("/v1/status").status == 200)
            #expect(try await scene.ask("/").body.contains("<html"))
            let status = try await scene.network.scene.succeed("daemon", "status").output
            #expect(status.contains(scene.origin))
            // Two requests on one connection.
            let two = try await scene.curl(
                "--cacert",
                scene.files.authority,
                "-w",
                "%{num_connects} %{http_version}\n",
                "-o",
                "/dev/null",
                "-o",
                "/dev/null",
                scene.origin,
                scene.origin
            )
            #expect(two.output == "1 1.1\n0 1.1\n")
            // A client that trusts another authority.
            let other = try #require(TestCertificate.renewed)
            let path = try scene.files.folder.write("other.pem", other.pem)
            let distrusting = try await scene.curl("--cacert", path, scene.origin)
            #expect(distrusting.status == .code(60), "\(distrusting.errors)")
            // TLS 1.1 has known weaknesses.
            let old = try await scene.curl(
                "-k",
                "--tlsv1.0",
                "--tls-max",
                "1.1",
                "--ciphers",
                "DEFAULT:@SECLEVEL=0",
                scene.origin
            )
            #expect(old.status == .code(35), "\(old.errors)")
            let older = try await scene.curl(
                "--cacert",
                scene.files.authority,
                "--tls-max",
                "1.2",
                "-w",
                "%{http_code}",
                "-o",
                "/dev/null",
                scene.origin
            )
            #expect(older.output == "200")
            #expect(try await scene.ask("/v1/status").status == 200)
        }

        @Test func `events are sent over TLS as they happen`() async throws {
            let scene = try await SecureScene.make()
            let stream = try ProcessRunner(
                "curl",
                [
                    "-sN", "--noproxy", "*", "--cacert", scene.files.authority,
                    "\(scene.origin)/v1/events",
                ] + scene.token
            )
            // A comment begins the stream.
            #expect(await stream.waitForOutput(containing: ":"), "\(stream.errors)")
            for count in 1...2 {
                let url = "http://example.org/\(count)"
                try await scene.network.scene.succeed("add", "--paused", url)
                #expect(await stream.waitForOutput(containing: "event: added", count: count))
            }
            stream.signal(15)
        }

        @Test func `a slow reader receives a long response completely`() async throws {
            let scene = try await SecureScene.make()
            let folder = String(repeating: "q", count: 2000)
            let rows = (0..<1000).map { number in
                let url = "http://example.org/\(folder)/\(number)"
                return #"{"url":"\#(url)","destination":"/nowhere/","isPaused":true}"#
            }
            let body = try scene.files.folder.write(
                "many.json",
                "{\"downloads\":[\(rows.joined(separator: ","))]}"
            )
            let added = try await scene.curl(
                "-o",
                "/dev/null",
                "-w",
                "%{http_code}",
                "--unix-socket",
                scene.network.scene.home.path("run/pawl/daemon.sock"),
                "http://localhost/v1/downloads",
                "-H",
                "Content-Type: application/json",
                "--data-binary",
                "@\(body)"
            )
            #expect(added.output == "201")
            let fast = try await scene.ask("/v1/downloads?limit=1000")
            #expect(fast.status == 200)
            // More than the kernel's buffers hold.
            #expect(fast.body.utf8.count > 2_000_000, "\(fast.body.utf8.count)")
            let slow = try await scene.ask("/v1/downloads?limit=1000", "--limit-rate", "1M")
            #expect(slow.body == fast.body)
        }

        @Test func `a browser's cookie is sent over TLS only`() async throws {
            let scene = try await SecureScene.make()
            let login = try await scene.network.curl(
                [
                    "\(scene.origin)/v1/login", "--cacert", scene.files.authority,
                    "-H", "Content-Type: application/json", "-H", "Origin: \(scene.origin)",
                    "--data-binary", #"{"token":"\#(scene.network.token)"}"#,
                ]
            )
            #expect(login.status == 204)
            #expect(login.fields["set-cookie"]?.hasSuffix("; Secure") == true)
            let foreign = try await scene.ask(
                "/v1/status",
                "-H",
                "Origin: http://127.0.0.1:\(scene.network.port)"
            )
            #expect(foreign.status == 403)
        }

        // MARK: - Clients that do not speak TLS

        @Test func `plain HTTP is answered with a text that names HTTPS`() async throws {
            let scene = try await SecureScene.make()
            let answer = try await scene.network.ask("GET", "/v1/status")
            #expect(answer.status == 400)
            #expect(answer.fields["connection"] == "close")
            #expect(answer.body.contains("use a URL that begins with https://"))
            let body = String(repeating: "x", count: 300_000)
            let path = try scene.files.folder.write("body", body)
            let long = try await scene.network.ask("POST", "/v1/downloads", "@\(path)")
            #expect(long.status == 400 || long.status == 0)
            #expect(try await scene.ask("/v1/status").status == 200)
        }

        @Test func `a handshake that does not end is disconnected`() async throws {
            let scene = try await SecureScene.make(timeLimit: BusyMachine.pauseSeconds)
            let clients = [
                // Nothing, a part of a record's head, and a part of a ClientHello.
                try scene.network.connect(sending: ""),
                try scene.network.connect(sending: "\\x16\\x03"),
                try scene.network.connect(sending: "\\x16\\x03\\x01\\x02\\x00\\x01\\x00\\x01\\xfc"),
                // A part of a request without TLS.
                try scene.network.connect(sending: "GET / HTTP/1.1\\r\\n"),
            ]
            for client in clients { await client.waitForExit() }
            #expect(clients[3].output.hasPrefix("HTTP/1.1 400"))
            #expect(try await scene.ask("/v1/status").status == 200)
        }

        @Test func `bytes that are not TLS are refused, and the daemon continues`() async throws {
            let scene = try await SecureScene.make()
            let flood = "head -c 300000 /dev/urandom >&3; cat <&3 >/dev/null"
            for start in [
                "\\x00", "\\xff\\xff\\xff\\xff\\xff\\xff", "ssh", "\\x80\\x2e\\x01\\x00\\x02",
                "\\x16\\x03\\x01\\xff\\xff", "\\x16\\x03\\x01\\x40\\x00\\x01\\xff\\xff\\xff",
                "\\x15\\x03\\x01\\x00\\x02\\x02\\x28", "\\x17\\x03\\x03\\x00\\x05hello",
                "\\x14\\x03\\x03\\x00\\x01\\x01", "\\x16\\x03\\x01\\x00\\x00",
            ] {
                let client = try scene.network.connect(sending: start, then: flood)
                await client.waitForExit()
            }
            // A connection that ends within the handshake, or after it without close_notify.
            for command in ["exec 3>&-", "kill -9 $$"] {
                let client = try scene.network.connect(
                    sending: "\\x16\\x03\\x01\\x02\\x00",
                    then: command
                )
                await client.waitForExit()
            }
            #expect(try await scene.ask("/v1/status").status == 200)
            // Such connections are not events for the log.
            #expect(!scene.network.daemon.errors.contains("TLS"))
        }
    }
}

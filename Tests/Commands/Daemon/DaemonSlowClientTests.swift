import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Clients over TCP that take long, or send too much.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonSlowClientTests {
        private func head(_ network: NetworkScene, _ first: String, _ more: String = "") -> String {
            "\(first) HTTP/1.1\\r\\nHost: 127.0.0.1:\(network.port)\\r\\n"
                + "Authorization: Bearer \(network.token)\\r\\n\(more)"
        }

        @Test func `a client that sends nothing, half a head or half a body is disconnected`()
            async throws
        {
            let network = try await NetworkScene.make(
                "--client-timeout",
                BusyMachine.pauseSeconds
            )
            let half = head(
                network,
                "POST /v1/actions/pause",
                "Content-Type: application/json\\r\\n"
            )
            let silent = try [
                network.connect(sending: ""),
                network.connect(sending: "GET /v1/sta"),
                network.connect(sending: head(network, "GET /v1/status")),
                network.connect(sending: half + "Content-Length: 100\\r\\n\\r\\n{"),
                network.connect(
                    sending: half + "Transfer-Encoding: chunked\\r\\n\\r\\n1\\r\\n{\\r\\n"
                ),
                // A client that has received a response and sends nothing more.
                network.connect(sending: head(network, "GET /v1/status", "\\r\\n")),
                // A drop at a time.
                network.connect(
                    sending: head(network, "GET /v1/status"),
                    then: "trap '' PIPE; while printf 'a' >&3; do read -t 0.1 -u 3 && break; done"
                ),
            ]
            for client in silent { await client.waitForExit() }
            #expect(silent[5].output.hasPrefix("HTTP/1.1 200"))
            #expect(try await network.ask("GET", "/v1/status").status == 200)
        }

        @Test func `a body is limited with or without a stated length, and so is its nesting`()
            async throws
        {
            let network = try await NetworkScene.make()
            let path = try network.scene.home.write(
                "long.json",
                [UInt8](repeating: UInt8(ascii: " "), count: (1 << 20) + 10)
            )
            let arguments = [
                "-H", "Authorization: Bearer \(network.token)", "-H",
                "Content-Type: application/json", "\(network.origin)/v1/downloads",
                "--data-binary", "@\(path)",
            ]
            #expect(try await network.curl(arguments).status == 413)
            let chunked = arguments + ["-H", "Transfer-Encoding: chunked"]
            #expect(try await network.curl(chunked).status == 413)
            let deep = String(repeating: "[", count: 5000)
            let answer = try await network.ask("POST", "/v1/downloads", deep)
            #expect(answer.status == 400)
            #expect(answer.problem?.title.contains("deep") == true)
            #expect(try await network.scene.downloads().isEmpty)
        }

        /// More clients than may connect, none of which sends a token.
        @Test func `clients without the token take no connection from those with it`() async throws
        {
            // No client is disconnected for being slow.
            let network = try await NetworkScene.make("--client-timeout", "1000")
            let reader = try ProcessRunner(
                "curl",
                [
                    "-siN", "--noproxy", "*", "\(network.origin)/v1/events", "-H",
                    "Last-Event-ID: 0", "-H", "Authorization: Bearer \(network.token)",
                ]
            )
            // Until its first response, it counts as a client without a token.
            #expect(await reader.waitForOutput(containing: "HTTP/1.1 200"), "\(reader.errors)")
            // The daemon closes connections for which there is no room, so reading from them ends.
            // Which ones these are depends on which of its threads is faster.
            let room = ConnectionLimits().unknownConnections
            let script = """
                for i in $(seq 200); do
                    exec {fd}<>/dev/tcp/127.0.0.1/\(network.port)
                    all+=($fd)
                done
                echo connected
                for fd in "${all[@]}"; do { read -u $fd; echo closed; } & done
                wait
                """
            let strangers = try ProcessRunner("bash", ["-c", script])
            #expect(await strangers.waitForOutput(containing: "connected"), "\(strangers.errors)")
            for _ in 0..<5 { #expect(try await network.ask("GET", "/v1/status").status == 200) }
            // Most clients without the token are disconnected, and the reader is not.
            let most = await strangers.waitForOutput(containing: "closed", count: 200 - room)
            #expect(most, "\(strangers.errors)")
            try await network.scene.succeed("add", "--paused", "http://example.org/a")
            #expect(await reader.waitForOutput(containing: "event: added"))
            strangers.signal(9)
        }

        @Test func `the body of a login is limited, with or without a stated length`() async throws
        {
            let network = try await NetworkScene.make()
            let long = #"{"code":"\#(String(repeating: "x", count: 2000))"}"#
            let none = ["Cookie: none=1"]
            let said = try await network.ask("POST", "/v1/login", long, fields: none)
            #expect(said.status == 413)
            let chunked = none + ["Transfer-Encoding: chunked"]
            let unsaid = try await network.ask("POST", "/v1/login", long, fields: chunked)
            #expect(unsaid.status == 413)
        }

        @Test func `clients that guess tokens or hang delay no other clients`() async throws {
            let network = try await NetworkScene.make()
            let hanging = try (0..<20).map { _ in try network.connect(sending: "GET /v1/sta") }
            for _ in 0..<3 { #expect(try await network.ask("GET", "/v1/status").status == 200) }
            withExtendedLifetime(hanging) {}
        }
    }
}

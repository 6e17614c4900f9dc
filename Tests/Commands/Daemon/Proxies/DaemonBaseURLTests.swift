import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The base URL and the trusted proxies, as settings and in requests.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonBaseURLTests {
        private static let base = "https://host.example/downloads/"

        private func status(_ scene: DaemonScene) async throws -> DaemonStatus {
            let run = try await scene.succeed("daemon", "status", "--json")
            return try WireJSON.decode(DaemonStatus.self, from: run.output.utf8)
        }

        @Test func `the base URL is accepted with its path or without it`() async throws {
            let network = try await NetworkScene.make("--base-url", Self.base)
            func ask(_ path: String, _ fields: String...) async throws -> Int {
                try await network.ask("GET", path, fields: fields).status
            }
            for path in [
                "/v1/status", "/downloads/v1/status", "/downloads/", "/downloads/worker.js",
            ] {
                #expect(try await ask(path, "Host: host.example") == 200)
                #expect(try await ask(path) == 200)
            }
            #expect(try await ask("/v1/status", "Origin: https://host.example") == 200)
            #expect(try await ask("/v1/status", "Origin: http://host.example") == 403)
            #expect(try await ask("/downloads/v1/status", "Host: evil.example") == 421)
            #expect(try await ask("/downloads/downloads/v1/status") == 404)
            let moved = try await network.ask("GET", "/downloads", fields: ["Host: host.example"])
            #expect(moved.status == 308 && moved.fields["location"] == Self.base)
            // The API needs a token under the path, too.
            let none = ["Cookie: other=1"]
            #expect(
                try await network.ask("GET", "/downloads/v1/status", fields: none).status == 401
            )
        }

        @Test func `the cookie belongs to the path by which the browser has come`() async throws {
            let network = try await NetworkScene.make("--base-url", Self.base)
            func cookie(_ fields: String...) async throws -> String {
                let answer = try await network.ask(
                    "POST",
                    "/v1/login",
                    #"{"token":"\#(network.token)"}"#,
                    fields: ["Cookie: other=1"] + fields
                )
                return answer.fields["set-cookie"] ?? ""
            }
            let far = try await cookie("Host: host.example")
            #expect(far.contains("; Path=/downloads/;") && far.hasSuffix("; Secure"))
            let byOrigin = try await cookie("Origin: https://host.example")
            #expect(byOrigin.contains("; Path=/downloads/;") && byOrigin.hasSuffix("; Secure"))
            let near = try await cookie()
            #expect(near.contains("; Path=/;") && !near.contains("Secure"))
            // Nobody has named a proxy.
            #expect(try await !cookie("X-Forwarded-Proto: https").contains("Secure"))
            try await network.scene.succeed("daemon", "start", "--trusted-proxy", "127.0.0.1")
            #expect(try await cookie("X-Forwarded-Proto: https").hasSuffix("; Secure"))
        }

        @Test func `both settings are remembered, changed and removed`() async throws {
            let scene = try DaemonScene(Workshop())
            try await scene.succeed(
                "daemon",
                "start",
                "--listen",
                "127.0.0.1:0",
                "--base-url",
                Self.base,
                "--trusted-proxy",
                "127.0.0.1",
                "--trusted-proxy",
                "10.0.0.0/8"
            )
            #expect(try await status(scene).baseURL == Self.base)
            try await scene.succeed("daemon", "restart")
            #expect(try await status(scene).baseURL == Self.base)
            #expect(try await scene.succeed("daemon", "status").output.contains(Self.base))
            let link = try await scene.succeed("daemon", "token", "--url").output
            #expect(link.hasPrefix("\(Self.base)#code="))
            try await scene.succeed(
                "daemon",
                "start",
                "--base-url",
                "off",
                "--trusted-proxy",
                "off"
            )
            #expect(try await status(scene).baseURL == nil)
            try await scene.succeed("daemon", "restart")
            #expect(try await status(scene).baseURL == nil)
            #expect(
                try await scene.succeed("daemon", "token", "--url").output
                    .hasPrefix("http://127.0.0.1:")
            )
            for options in [["--base-url", "host.example"], ["--trusted-proxy", "host.example"]] {
                let run = try await scene.workshop.run(
                    ["daemon", "start"] + options,
                    scene.settings
                )
                expectFailure(.usage, run)
            }
            try await scene.succeed("daemon", "stop")
        }

        @Test func `a program with a token cannot change the proxies`() async throws {
            let network = try await NetworkScene.make()
            for body in [#"{"baseURL":"\#(Self.base)"}"#, #"{"trustedProxies":["127.0.0.1"]}"#] {
                #expect(try await network.ask("PATCH", "/v1/settings", body).status == 403)
            }
            #expect(try await status(network.scene).baseURL == nil)
        }
    }
}

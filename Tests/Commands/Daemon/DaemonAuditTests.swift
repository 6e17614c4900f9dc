import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The audit log.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonAuditTests {
        private func entries(_ scene: DaemonScene) async throws -> [AuditEntry] {
            try await scene.succeed("daemon", "audit", "--json").output.split(separator: "\n").map {
                try WireJSON.decode(AuditEntry.self, from: $0.utf8)
            }
        }

        private func new(_ url: String) -> String {
            #"{"downloads":[{"url":"\#(url)","destination":"","isPaused":true}]}"#
        }

        @Test func `each change is recorded with its author, and so is each refusal`() async throws
        {
            let network = try await NetworkScene.make()
            let scene = network.scene
            #expect(try await entries(scene).isEmpty)
            let adder = try await scene.succeed(
                "daemon",
                "token",
                "--scope",
                "add",
                "--name",
                "phone"
            ).output.prefix { $0 != "\n" }
            let phone = ["Authorization: Bearer \(adder)"]
            let url = "http://someone:password-of-the-test@example.org/a?key=private"
            #expect(try await network.ask("POST", "/v1/downloads", new(url)).status == 201)
            let byPhone = try await network.ask("POST", "/v1/downloads", new(url), fields: phone)
            #expect(byPhone.status == 201)
            let pause = #"{"targets":["1","2"]}"#
            let refused = try await network.ask(
                "POST",
                "/v1/actions/pause",
                pause,
                fields: phone
            )
            #expect(refused.status == 403)
            #expect(try await network.ask("POST", "/v1/actions/pause", pause).status == 200)
            for fields in [["Cookie: other=1"], ["Authorization: Bearer wrong"]] {
                let answer = try await network.ask(
                    "POST",
                    "/v1/actions/pause?key=private",
                    pause,
                    fields: fields
                )
                #expect(answer.status == 401)
            }
            // What only reads is not recorded.
            #expect(try await network.ask("GET", "/v1/downloads").status == 200)
            try await scene.succeed("remove", "1")
            let lines = try await entries(scene)
            #expect(
                lines.map(\.request) == [
                    "POST /v1/downloads", "POST /v1/downloads", "POST /v1/actions/pause",
                    "POST /v1/actions/pause", "POST /v1/actions/pause", "POST /v1/actions/pause",
                    "POST /v1/actions/remove",
                ]
            )
            #expect(lines.map(\.status) == [201, 201, 403, 200, 401, 401, 200])
            #expect(lines.map(\.token) == ["main", "phone", "phone", "main", nil, nil, nil])
            #expect(
                lines.map(\.who) == [.token, .token, .token, .token, .nobody, .nobody, .socket]
            )
            #expect(lines.map(\.downloads) == [[1], [2], nil, [1, 2], nil, nil, [1]])
            #expect(lines.dropLast().allSatisfy { $0.client == "127.0.0.1" })
            #expect(lines.last?.client == nil)
            let text = try scene.home.readText("state/pawl/audit.log")
            for secret in ["password-of-the-test", "private", network.token, String(adder)] {
                #expect(!text.contains(secret))
            }
            let shown = try await scene.succeed("daemon", "audit", "-n", "2").output
            #expect(shown.split(separator: "\n").count == 2)
            #expect(shown.contains("socket  -  POST /v1/actions/remove  200  #1"))
            // It can be read while no daemon runs.
            try await scene.succeed("daemon", "stop")
            #expect(try await entries(scene).count == 7)
        }

        @Test func `calls of aria2's clients are recorded in the same log`() async throws {
            let scene = try await Aria2Scene.make()
            let gid = try await scene.aria2.add("http://example.org/a", options: ["pause": "true"])
            _ = try await scene.aria2.call("tellStatus", gid)
            _ = try await scene.aria2.failure("pauseAll", secret: "wrong")
            let reader = try await scene.token(scope: "read")
            _ = try await scene.aria2.failure("remove", gid, secret: reader)
            let lines = try await entries(scene.scene)
            #expect(lines.map(\.request) == ["aria2.addUri", "aria2.pauseAll", "aria2.remove"])
            #expect(lines.map(\.status) == [200, 401, 403])
            #expect(lines.map(\.token) == ["main", nil, "read"])
            #expect(lines.map(\.downloads) == [[1], nil, nil])
            #expect(lines.allSatisfy { $0.client == "127.0.0.1" })
        }

        @Test func `only a trusted proxy can name another client`() async throws {
            let network = try await NetworkScene.make()
            let forged = ["X-Forwarded-For: 192.0.2.7", "Authorization: Bearer \(network.token)"]
            let body = new("http://example.org/a")
            _ = try await network.ask("POST", "/v1/downloads", body, fields: forged)
            try await network.scene.succeed("daemon", "start", "--trusted-proxy", "127.0.0.1")
            _ = try await network.ask("POST", "/v1/downloads", body, fields: forged)
            let lines = try await entries(network.scene).filter { $0.who == .token }
            #expect(lines.map(\.client) == ["127.0.0.1", "192.0.2.7"])
        }
    }
}

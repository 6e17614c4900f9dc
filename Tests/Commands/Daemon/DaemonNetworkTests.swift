import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Access to the API over TCP.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonNetworkTests {
        @Test func `the daemon listens for TCP only if requested`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let status = try await scene.succeed("daemon", "status", "--json")
            #expect(!status.output.contains("url"))
            #expect(!status.output.contains("127.0.0.1"))
            let link = try await scene.run("daemon", "token", "--url")
            #expect(link.status != .code(0))
            let sockets = try await ProcessRunner.run(
                "bash",
                [
                    "-c",
                    "ls -l /proc/\(daemon.identifier)/fd | grep -o 'socket:.[0-9]*' | tr -dc '0-9\n'",
                ]
            )
            let inodes = Set(sockets.output.split(separator: "\n").map(String.init))
            #expect(!inodes.isEmpty)
            for table in ["tcp", "tcp6"] {
                let text = try String(contentsOfFile: "/proc/net/\(table)", encoding: .utf8)
                for line in text.split(separator: "\n").dropFirst() {
                    let words = line.split(separator: " ", omittingEmptySubsequences: true)
                    #expect(!inodes.contains(String(words[9])), "\(line)")
                }
            }
        }

        @Test func `the token of a private file is accepted, and a new one replaces it`()
            async throws
        {
            let network = try await NetworkScene.make()
            let path = "state/pawl/api-token"
            #expect(network.token.utf8.count == 43)
            var status = stat()
            #expect(stat(network.scene.home.path(path), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(try await network.ask("GET", "/v1/status").status == 200)
            let url = try await network.scene.succeed("daemon", "token", "--new").output
            #expect(!url.contains(network.token))
            #expect(try await network.ask("GET", "/v1/status").status == 401)
            let fresh = String(url.prefix { $0 != "\n" })
            let field = "Authorization: Bearer \(fresh)"
            #expect(try await network.ask("GET", "/v1/status", fields: [field]).status == 200)
            // The token stays the same until a new one is requested.
            #expect(try await network.scene.succeed("daemon", "token").output == url)
            let all = try await network.scene.succeed("daemon", "status").everything
            #expect(!(all + network.daemon.output + network.daemon.errors).contains(fresh))
        }

        @Test func `a token with a scope is created, listed, used and revoked`() async throws {
            let network = try await NetworkScene.make()
            let scene = network.scene
            func make(_ options: String...) async throws -> String {
                let run = try await scene.workshop.run(
                    ["daemon", "token"] + options,
                    scene.settings
                )
                #expect(run.status == .code(0), "\(run.errors)")
                return "Authorization: Bearer \(run.output.prefix { $0 != "\n" })"
            }
            func ask(_ token: String, _ method: String, _ path: String, _ body: String? = nil)
                async throws -> Int
            {
                try await network.ask(method, path, body, fields: [token]).status
            }
            let reader = try await make("--scope", "read")
            let adder = try await make("--scope", "add", "--name", "browser")
            let new =
                #"{"downloads":[{"url":"http://example.org/a","destination":"","isPaused":true}]}"#
            #expect(try await ask(reader, "GET", "/v1/downloads") == 200)
            #expect(try await ask(reader, "POST", "/v1/downloads", new) == 403)
            #expect(try await ask(adder, "POST", "/v1/downloads", new) == 201)
            #expect(try await ask(adder, "PATCH", "/v1/settings", #"{"listen":null}"#) == 403)
            #expect(try await scene.downloads().first?.owner == .token("browser"))
            // A browser that logs in with the token has its rights.
            let token = adder.split(separator: " ").last ?? ""
            let login = try await network.ask(
                "POST",
                "/v1/login",
                #"{"token":"\#(token)"}"#,
                fields: ["Cookie: none=1"]
            )
            let cookie = "Cookie: \(try #require(login.fields["set-cookie"]).prefix { $0 != ";" })"
            #expect(!cookie.contains(token))
            #expect(try await ask(cookie, "GET", "/v1/downloads") == 200)
            let faster = #"{"maximumConcurrentDownloads":9}"#
            #expect(try await ask(cookie, "PATCH", "/v1/settings", faster) == 403)
            let list = try await scene.succeed("daemon", "token", "--list").output
            #expect(list == "main     manage\nread     read\nbrowser  add\n")
            for options in [
                ["--scope", "add", "--name", "browser"], ["--scope", "all"],
                ["--name", "x"], ["--scope", "add", "--name", "main"], ["--list", "--new"],
            ] {
                let run = try await scene.workshop.run(
                    ["daemon", "token"] + options,
                    scene.settings
                )
                expectFailure(.usage, run)
            }
            try await scene.succeed("daemon", "token", "--revoke", "browser")
            #expect(try await ask(adder, "GET", "/v1/downloads") == 401)
            #expect(try await ask(cookie, "GET", "/v1/downloads") == 401)
            #expect(try await ask(reader, "GET", "/v1/downloads") == 200)
            expectFailure(
                .notFound,
                try await scene.run("daemon", "token", "--revoke", "browser")
            )
        }

        @Test(.needsQueueFile)
        func `a token file that others can read is not accepted`() async throws {
            let network = try await NetworkScene.make()
            chmod(network.scene.home.path("state/pawl/api-token"), 0o644)
            #expect(try await network.ask("GET", "/v1/status").status == 401)
            let run = try await network.scene.run("daemon", "token")
            #expect(run.status == .code(ErrorCode.fileUnreadable.exitStatus))
            #expect(!run.everything.contains(network.token))
        }

        @Test func `a link logs a browser in, once`() async throws {
            let network = try await NetworkScene.make()
            let link = try await network.scene.succeed("daemon", "token", "--url").output
            let code = try #require(link.split(separator: "#code=").last).prefix { $0 != "\n" }
            #expect(link.hasPrefix(network.origin))
            #expect(!link.contains(network.token))
            let none = ["Cookie: other=1"]
            let body = #"{"code":"\#(code)"}"#
            let first = try await network.ask("POST", "/v1/login", body, fields: none)
            #expect(first.status == 204)
            let cookie = try #require(first.fields["set-cookie"])
            #expect(cookie.contains("; HttpOnly"))
            #expect(cookie.contains("; SameSite=Strict"))
            #expect(cookie.contains("; Path=/"))
            #expect(!cookie.contains(network.token))
            let second = try await network.ask("POST", "/v1/login", body, fields: none)
            #expect(second.status == 401)
            let value = cookie.prefix { $0 != ";" }
            let fields = ["Cookie: \(value)"]
            #expect(try await network.ask("GET", "/v1/status", fields: fields).status == 200)
            // Another port of this machine may have set one of the same name.
            let foreign = ["Cookie: pawl=x; \(value)"]
            #expect(try await network.ask("GET", "/v1/status", fields: foreign).status == 200)
            let wrong = ["Cookie: pawl=\(network.token)"]
            #expect(try await network.ask("GET", "/v1/status", fields: wrong).status == 401)
            _ = try await network.scene.succeed("daemon", "token", "--new")
            #expect(try await network.ask("GET", "/v1/status", fields: fields).status == 401)
        }

        @Test func `a login code is available only to the user`() async throws {
            let network = try await NetworkScene.make()
            let answer = try await network.ask("POST", "/v1/login-codes")
            #expect(answer.status == 403)
            #expect(answer.problem?.code == .notAllowed)
        }

        @Test func `every response has headers that restrict the browser`() async throws {
            let network = try await NetworkScene.make()
            let answers = [
                try await network.ask("GET", "/v1/status"),
                try await network.ask("GET", "/nothing"),
                try await network.ask("GET", "/v1/status", fields: ["Authorization: Bearer x"]),
                try await network.ask("GET", "/v1/status", fields: ["Origin: http://evil.example"]),
                try await network.ask(
                    "OPTIONS",
                    "/v1/status",
                    fields: [
                        "Origin: \(network.origin)", "Access-Control-Request-Method: POST",
                    ]
                ),
            ]
            #expect(answers.map(\.status) == [200, 404, 401, 403, 405])
            for answer in answers {
                #expect(answer.fields["x-content-type-options"] == "nosniff")
                #expect(answer.fields["cache-control"] == "no-store")
                #expect(answer.fields["referrer-policy"] == "no-referrer")
                #expect(answer.fields["x-frame-options"] == "DENY")
                #expect(answer.fields["cross-origin-opener-policy"] == "same-origin")
                let policy = answer.fields["content-security-policy"] ?? ""
                #expect(policy.hasPrefix("default-src 'none'"))
                #expect(!answer.fields.keys.contains { $0.hasPrefix("access-control") })
            }
        }

        @Test func `a client that guesses tokens waits, and no other client does`() async throws {
            let network = try await NetworkScene.make()
            let fields = ["Authorization: Bearer wrong"]
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        try await network.ask("GET", "/v1/status", fields: fields).status
                    }
                }
                for _ in 0..<4 {
                    #expect(try await network.ask("GET", "/v1/status").status == 200)
                }
                for try await status in group { #expect(status == 401) }
            }
        }

        @Test func `the port of another process is not taken`() async throws {
            let network = try await NetworkScene.make()
            let other = try DaemonScene(Workshop())
            let run = try await other.run("daemon", "run", "--listen", "\(network.port)")
            #expect(run.status == .code(ErrorCode.alreadyRunning.exitStatus))
            let open = try await other.run("daemon", "run", "--listen", "0.0.0.0:6880")
            #expect(open.status == .code(ErrorCode.usage.exitStatus))
        }

        private static let hasIPv6: Bool = {
            let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
                }
            }
        }()

        @Test(.enabled(if: hasIPv6, "this machine has no ::1"))
        func `a daemon in the background listens, too, and at IPv6`() async throws {
            let scene = try DaemonScene(Workshop())
            let first = try await scene.succeed("daemon", "start", "--listen", "[::1]:0")
            let url = try #require(first.everything.split(separator: "http://").last)
            let token = try await scene.succeed("daemon", "token").output
            let answer = try await ProcessRunner.run(
                "curl",
                [
                    "-sg", "--noproxy", "*",
                    "http://\(url.prefix { $0 != "." && $0 != "\n" })/v1/status",
                    "-H", "Authorization: Bearer \(token.prefix { $0 != "\n" })",
                ]
            )
            #expect(answer.output.contains("processIdentifier"), "\(url): \(answer.output)")
            try await scene.succeed("daemon", "stop")
        }
    }
}

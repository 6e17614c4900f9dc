import FoundationEssentials
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Invalid HTTP, byte by byte as a client sends it.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonMalformedTests {
        private struct Attempt {
            var request: String
            var status: Int
            /// A part of the sentence.
            var says: String
        }

        @Test func `invalid HTTP gets its status and a message and changes nothing`()
            async throws
        {
            let network = try await NetworkScene.make()
            for attempt in Self.attempts(network) {
                let wire = try await HalfClosingClient.exchange(
                    attempt.request,
                    port: network.port
                )
                let answer = NetworkScene.Answer(wire)
                let asked = attempt.request.prefix(60)
                #expect(answer.status == attempt.status, "\(asked)")
                let problem = try #require(answer.problem, "\(asked)")
                #expect(problem.title.contains(attempt.says), "\(problem.title)")
                #expect(problem.status == attempt.status)
                #expect(problem.advice?.isEmpty == false)
                #expect(answer.fields["connection"] == "close")
                #expect(answer.fields["x-content-type-options"] == "nosniff")
                #expect(answer.fields["date"] != nil)
            }
            #expect(try await network.scene.downloads().isEmpty)
        }

        private static func attempts(_ network: NetworkScene) -> [Attempt] {
            let fields = fields(network)
            let long = String(repeating: "a", count: 40_000)
            let many = (0..<200).map { "X-\($0): 1\r\n" }.joined()
            let add = "POST /v1/downloads HTTP/1.1\r\n\(fields)Content-Type: application/json\r\n"
            return [
                Attempt(
                    request: "GET /v1/status HTTP/1.1\r\n\(fields)X: \(long)\r\n\r\n",
                    status: 431,
                    says: "too long"
                ),
                Attempt(
                    request: "GET /v1/status HTTP/1.1\r\n\(fields)\(many)\r\n",
                    status: 431,
                    says: "too many fields"
                ),
                Attempt(
                    request: "GET /\(long) HTTP/1.1\r\n\(fields)\r\n",
                    status: 431,
                    says: "too long"
                ),
                Attempt(
                    request: "PAWL /v1/status HTTP/1.1\r\n\(fields)\r\n",
                    status: 400,
                    says: "its method is invalid"
                ),
                Attempt(
                    request: "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}",
                    status: 400,
                    says: "not HTTP"
                ),
                Attempt(
                    request: "GET /v1/status HTTP/3.7\r\n\(fields)\r\n",
                    status: 505,
                    says: "another version"
                ),
                Attempt(
                    request: "GET /v1/ status HTTP/1.1\r\n\(fields)\r\n",
                    status: 400,
                    says: "not valid HTTP/1.1"
                ),
                Attempt(
                    request: "\(add)Content-Length: x\r\n\r\n",
                    status: 400,
                    says: "not valid HTTP/1.1"
                ),
                Attempt(
                    request: "\(add)Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
                    status: 400,
                    says: "not valid HTTP/1.1"
                ),
                Attempt(
                    request: "\(add)Transfer-Encoding: chunked\r\n\r\nzz\r\n{}",
                    status: 400,
                    says: "not valid HTTP/1.1"
                ),
                Attempt(
                    request: "\(add)Content-Length: 100\r\n\r\n{}",
                    status: 400,
                    says: "not valid HTTP/1.1"
                ),
            ]
        }

        private static func fields(_ network: NetworkScene) -> String {
            "Host: 127.0.0.1:\(network.port)\r\nAuthorization: Bearer \(network.token)\r\n"
        }

        /// RFC 9112 §6.1.
        @Test func `a body with another transfer coding is refused`() async throws {
            let network = try await NetworkScene.make()
            let head =
                "PATCH /v1/settings HTTP/1.1\r\n\(Self.fields(network))"
                + "Content-Type: application/json\r\n"
            let content = #"{"maximumConcurrentDownloads":3}"#
            let count = String(content.utf8.count, radix: 16)
            let body = "\(count)\r\n\(content)\r\n0\r\n\r\n"
            let codings = [
                ("chunked", 200), ("Chunked", 200), ("gzip, chunked", 501),
                ("identity, chunked", 501), ("gzip\r\nTransfer-Encoding: chunked", 501),
            ]
            for (coding, status) in codings {
                let wire = try await HalfClosingClient.exchange(
                    "\(head)Transfer-Encoding: \(coding)\r\n\r\n\(body)",
                    port: network.port
                )
                let answer = NetworkScene.Answer(wire)
                #expect(answer.status == status, "\(coding): \(wire)")
                let says = answer.problem?.title.contains("is not supported") == true
                #expect(says == (status == 501), "\(coding)")
            }
        }

        /// What follows may be a part of the body (RFC 9112 §11.2).
        @Test(arguments: [
            ("HTTP/1.1", "chunked", 2), ("HTTP/1.1", "gzip, chunked", 1),
            ("HTTP/1.1", "identity, chunked", 1), ("HTTP/1.0", "chunked", 1),
        ])
        func `nothing is read after a request with a transfer coding that is not supported`(
            version: String,
            coding: String,
            answers: Int
        ) async throws {
            let network = try await NetworkScene.make()
            let fields = Self.fields(network)
            let next = "GET /healthz HTTP/1.1\r\n\(fields)\r\n"
            // The status does not matter: here it is that of an unknown path.
            let wire = try await HalfClosingClient.exchange(
                "POST /v1/nothing \(version)\r\n\(fields)Content-Type: application/json\r\n"
                    + "Transfer-Encoding: \(coding)\r\n\r\n2\r\n{}\r\n0\r\n\r\n\(next)",
                port: network.port
            )
            #expect(wire.components(separatedBy: "Server: pawl").count == answers + 1, "\(wire)")
            let closes = NetworkScene.Answer(wire).fields["connection"] == "close"
            #expect(closes == (answers == 1), "\(wire)")
        }

        /// The codec below the guard would drop it (RFC 9112 §3.2.2).
        @Test func `a host in the request line is checked`() async throws {
            let network = try await NetworkScene.make()
            let fields = Self.fields(network)
            let own = "127.0.0.1:\(network.port)"
            let targets: [(String, Int)] = [
                ("http://\(own)/v1/status", 200), ("http://evil.example/v1/status", 421),
                ("http://evil.example", 421), ("http://evil@\(own)/v1/status", 421),
                ("http://\(own)@evil/v1/status", 421), ("https:///v1/status", 421),
                ("http://localhost:\(network.port)/v1/status", 421),
            ]
            for (target, status) in targets {
                let wire = try await HalfClosingClient.exchange(
                    "GET \(target) HTTP/1.1\r\n\(fields)\r\n",
                    port: network.port
                )
                #expect(NetworkScene.Answer(wire).status == status, "\(target)")
            }
        }

        @Test func `pipelined requests are answered in order`() async throws {
            let network = try await NetworkScene.make()
            let request = "GET /healthz HTTP/1.1\r\n\(Self.fields(network))\r\nnonsense\r\n\r\n"
            let wire = try await HalfClosingClient.exchange(request, port: network.port)
            #expect(wire.hasPrefix("HTTP/1.1 200 "))
            #expect(wire.contains(#"{"status":"ok"}HTTP/1.1 400 "#))
        }

        @Test func `a client that closes its side immediately receives its response`() async throws
        {
            let network = try await NetworkScene.make()
            let request = "GET /healthz HTTP/1.1\r\n\(Self.fields(network))\r\n"
            // The connection may end before the client reads.
            for _ in 0..<50 {
                let wire = try await HalfClosingClient.exchange(request, port: network.port)
                #expect(NetworkScene.Answer(wire).status == 200)
            }
        }

        @Test func `a parameter is percent-encoded UTF-8, and a plus is a space`() async throws {
            let network = try await NetworkScene.make()
            let new = """
                {"downloads":[{"url":"http://127.0.0.1:1/a%20b%2Bc","destination":"","isPaused":true}]}
                """
            #expect(try await network.ask("POST", "/v1/downloads", new).status == 201)
            for text in ["a+b", "a%20b", "b%2bc", "a+b%2Bc"] {
                let answer = try await network.ask("GET", "/v1/downloads?search=\(text)")
                #expect(answer.body.contains(#""id":1"#), "\(text)")
            }
            for text in ["b+c", "ab%2Bc"] {
                let answer = try await network.ask("GET", "/v1/downloads?search=\(text)")
                #expect(answer.body == #"{"downloads":[]}"#, "\(text)")
            }
            for text in ["search=%zz", "search=%", "search=%ff", "%zz=1", "search=a%2"] {
                let answer = try await network.ask("GET", "/v1/downloads?\(text)")
                #expect(answer.status == 400, "\(text)")
                #expect(answer.problem?.title.contains("percent-encoded") == true, "\(text)")
            }
        }
    }
}

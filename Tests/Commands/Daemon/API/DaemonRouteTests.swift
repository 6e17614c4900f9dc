import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Each route and method of the document, requested without permission and with invalid values.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonRouteTests {
        private struct Attempt: Sendable {
            var method: String
            var path: String
            var body: String?
            var fields: [String]
            var expected: Set<Int>
        }

        /// The state that a request could have changed.
        private struct State: Equatable {
            var downloads: [WireDownload]
            var events: [WireEvent]
            var settings: String
            var sessions: String
            var feeds: String
            var labels: String
        }

        private func state(_ network: NetworkScene) async throws -> State {
            State(
                downloads: try await network.scene.downloads(),
                events: try await network.scene.events(),
                settings: try await network.ask("GET", "/v1/settings").body,
                sessions: try await network.ask("GET", "/v1/sessions").body,
                feeds: try await network.ask("GET", "/v1/feeds").body,
                labels: try await network.ask("GET", "/v1/labels").body
            )
        }

        /// A daemon with something to lose, and its document.
        private func scene() async throws -> (network: NetworkScene, reading: APIReading) {
            let network = try await NetworkScene.make()
            let reading = try APIReading.document()
            let session = #"{"identifier":"s"}"#
            #expect(try await network.ask("POST", "/v1/sessions", session).status == 200)
            let label = #"{"name":"films","priority":"high"}"#
            #expect(try await network.ask("POST", "/v1/labels", label).status == 200)
            let body =
                #"{"downloads":[{"url":"http://example.org/a","destination":"a","isPaused":true,"#
                + #""session":"s"}]}"#
            #expect(try await network.ask("POST", "/v1/downloads", body).status == 201)
            let feed =
                #"{"rules":{"everySeconds":0},"name":"f","#
                + #""download":{"url":"http://example.org/f","destination":""}}"#
            #expect(try await network.ask("POST", "/v1/feeds", feed).status == 201)
            return (network, reading)
        }

        /// A body that would do something.
        private static let bodies: [String: String] = [
            "addDownloads": #"{"downloads":[{"url":"http://example.org/b","destination":"b"}]}"#,
            "act": #"{"all":true}"#,
            "addFeed": #"{"download":{"url":"http://example.org/g","destination":""}}"#,
            "changeFeed": #"{"name":"other"}"#,
            "changeDownloads": #"{"selection":{"all":true},"changes":{"priority":"high"}}"#,
            "changeSettings": #"{"limitBytesPerSecond":1}"#,
            "registerSession": #"{"identifier":"other"}"#,
            "retryFailures": #"{"kind":"not-found"}"#,
            "setLabel": #"{"name":"other","limitBytesPerSecond":1000}"#,
            "acknowledge": #"{"session":"s","event":1}"#,
            "login": #"{"code":"x"}"#,
            "makeToken": #"{"name":"other","scope":"read"}"#,
        ]

        private func path(_ operation: APIReading.Operation) -> String {
            let path = operation.filledPath.replacing("actions/pause", with: "actions/remove")
            return switch operation.name {
            case "forgetSession": "\(path)?session=s"
            case "drainNode": "\(path)?node=a"
            case "removeLabel": "\(path)?label=films"
            default: path
            }
        }

        private func run(_ attempts: [Attempt], _ network: NetworkScene) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, attempt) in attempts.enumerated() {
                    if index >= 24 { try await group.next() }
                    group.addTask {
                        let answer = try await network.ask(
                            attempt.method,
                            attempt.path,
                            attempt.body,
                            fields: attempt.fields
                        )
                        let about = "\(attempt): \(answer)"
                        #expect(attempt.expected.contains(answer.status), "\(about)")
                        let problem = answer.problem
                        #expect(problem?.status == answer.status, "\(about)")
                        #expect(problem?.title.isEmpty == false, "\(about)")
                        #expect(answer.fields["content-type"] == Problem.mediaType, "\(about)")
                        #expect(answer.fields["set-cookie"] == nil, "\(about)")
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test func `no route answers without the token, for another host, origin or content type`()
            async throws
        {
            let (network, reading) = try await scene()
            let before = try await state(network)
            let right = "Authorization: Bearer \(network.token)"
            let withoutToken = [
                "Cookie: other=1", "Authorization: Bearer \(String(network.token.reversed()))",
                "Authorization: Basic \(network.token)", "Cookie: pawl=\(network.token)",
            ]
            var attempts: [Attempt] = []
            for operation in reading.operations {
                let (method, path) = (operation.method, path(operation))
                let body = Self.bodies[operation.name]
                func add(_ expected: Set<Int>, _ fields: String..., body: String? = body) {
                    attempts.append(
                        Attempt(
                            method: method,
                            path: path,
                            body: body,
                            fields: fields,
                            expected: expected
                        )
                    )
                }
                // The exchange of a code fails because of the code.
                for field in withoutToken where operation.name != "ready" { add([401], field) }
                for host in [
                    "evil.example", "evil.example:\(network.port)", "127.0.0.1", "127.0.0.1:1",
                    "localhost:\(network.port)", "[::1]:\(network.port)",
                ] {
                    add([421], right, "Host: \(host)")
                }
                for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
                    add([403], right, "Origin: \(origin)")
                }
                for site in ["cross-site", "same-site"] {
                    add([403], right, "Sec-Fetch-Site: \(site)")
                }
                for type in [
                    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                ] {
                    // If no body is expected, any body is invalid.
                    add(
                        [method == "GET" ? 400 : 415],
                        right,
                        "Content-Type: \(type)",
                        body: body ?? "x=1"
                    )
                }
            }
            #expect(attempts.count > 250)
            try await run(attempts, network)
            #expect(try await state(network) == before)
        }

        @Test func `a path has only its documented methods, and there is no other path`()
            async throws
        {
            let (network, reading) = try await scene()
            let before = try await state(network)
            let right = "Authorization: Bearer \(network.token)"
            var attempts: [Attempt] = []
            for path in Set(reading.operations.map(\.filledPath)) {
                let own = reading.operations.filter { $0.filledPath == path }.map(\.method)
                for method in ["GET", "POST", "PATCH", "DELETE", "PUT", "OPTIONS", "TRACE"]
                where !own.contains(method) {
                    attempts.append(
                        Attempt(
                            method: method,
                            path: path,
                            fields: [right],
                            expected: [405]
                        )
                    )
                }
            }
            for path in [
                "/v1", "/v2/downloads", "/v1/downloads/1/2/3", "/..", "/v1/../etc", "/%2e%2e",
            ] {
                attempts.append(
                    Attempt(method: "GET", path: path, fields: [right], expected: [404])
                )
            }
            try await run(attempts, network)
            let answer = try await network.ask("PUT", "/v1/settings")
            #expect(answer.fields["allow"] == "GET, HEAD, PATCH")
            #expect(try await state(network) == before)
        }

        /// Bodies that would do something, with a word that is not passed over.
        private func mistyped(_ reading: APIReading, _ field: String) -> [Attempt] {
            var bodies = reading.operations.compactMap {
                operation -> (String, String, Substring, Int)? in
                guard operation.name != Self.importing, let body = Self.bodies[operation.name]
                else { return nil }
                let isClosed = APIReading.closedOverTCP.contains(operation.name)
                return (
                    operation.method, path(operation),
                    body.dropLast() + #","od\u0064":{"x":[1,"}"]}}"#, isClosed ? 403 : 400
                )
            }
            for more in [#""isPausd":true"#, #""settings":{"check":1}"#] {
                let body = #"{"downloads":[{"url":"http://a/b","destination":"b",\#(more)}]}"#
                bodies.append(("POST", "/v1/downloads", body[...], 400))
            }
            #expect(bodies.count > 8)
            return bodies.map { method, path, body, status in
                Attempt(
                    method: method,
                    path: path,
                    body: String(body),
                    fields: [field],
                    expected: [status]
                )
            }
        }

        @Test func `invalid input to each route has the right status and changes nothing`()
            async throws
        {
            let (network, reading) = try await scene()
            let before = try await state(network)
            let right = "Authorization: Bearer \(network.token)"
            var attempts = wrongBodies(reading, right)
            let paths: [(String, Int)] = [
                ("/v1/downloads/x", 400), ("/v1/downloads/99999999999999999999", 400),
                ("/v1/downloads/77", 404), ("/v1/downloads/77/events", 404),
                ("/v1/downloads?limit=0", 400),
                ("/v1/downloads?limit=1001", 400), ("/v1/downloads?state=odd", 400),
                ("/v1/downloads?after=-1", 400), ("/v1/downloads?order=up", 400),
                ("/v1/downloads?odd=1", 400), ("/v1/downloads?search=", 400),
                ("/v1/downloads?pending=maybe", 400),
                ("/v1/feeds?odd=1", 400),
                ("/v1/events?process=x&session=s", 400), ("/v1/events?odd=1", 400),
                ("/v1/events?process=1", 400), ("/v1/events?session=none&process=1", 404),
            ]
            for (path, status) in paths {
                attempts.append(
                    Attempt(method: "GET", path: path, fields: [right], expected: [status])
                )
            }
            for (path, status) in [
                ("/v1/sessions", 400), ("/v1/sessions?session=none", 404), ("/v1/labels", 400),
            ] {
                attempts.append(
                    Attempt(method: "DELETE", path: path, fields: [right], expected: [status])
                )
            }
            try await run(attempts, network)
            #expect(try await state(network) == before)
        }

        @Test func `an undocumented parameter or body is refused and changes nothing`()
            async throws
        {
            let (network, reading) = try await scene()
            let before = try await state(network)
            let right = "Authorization: Bearer \(network.token)"
            var attempts: [Attempt] = []
            for operation in reading.operations {
                let path = path(operation)
                // Missing permission is reported first.
                let isClosed = APIReading.closedOverTCP.contains(operation.name)
                let expected: Set = [isClosed ? 403 : 400]
                attempts.append(
                    Attempt(
                        method: operation.method,
                        path: path + (path.contains("?") ? "&odd=1" : "?odd=1"),
                        body: Self.bodies[operation.name],
                        fields: [right],
                        expected: expected
                    )
                )
                guard operation.body == nil, operation.method != "GET" else { continue }
                attempts.append(
                    Attempt(
                        method: operation.method,
                        path: path,
                        body: #"{"session":"other"}"#,
                        fields: [right],
                        expected: expected
                    )
                )
            }
            #expect(attempts.count > 18)
            try await run(attempts, network)
            #expect(try await state(network) == before)
        }

        /// The operation that refuses lines of its body one by one.
        private static let importing = "importDownloads"

        /// Invalid bodies for each operation.
        private func wrongBodies(_ reading: APIReading, _ right: String) -> [Attempt] {
            let deep = String(repeating: "[", count: 3000)
            let wrong = [
                "{", "[]", "1", "null", "\"x\"", "{\"a\":1}", "\\u0000", deep, "{\"downloads\":{}}",
                "{\"selection\":1,\"changes\":[]}", "{\"identifier\":5}", "{\"targets\":\"1\"}",
                "{\"limitBytesPerSecond\":\"fast\"}", "{\"session\":1,\"event\":\"x\"}",
                "{\"all\":\"yes\"}",
                "{\"downloads\":[{\"url\":\"gopher://host/passwd\",\"destination\":\"a\"}]}",
                "{\"downloads\":[{\"url\":\"http://a/\",\"destination\":\"a\\u0000b\"}]}",
                "{\"downloads\":[{\"url\":\"http://a/\",\"destination\":\"a\",\"priority\":\"x\"}]}",
            ]
            var attempts = mistyped(reading, right)
            let acknowledgements = [
                (#"{"session":"none","event":1}"#, 404), (#"{"session":"s","event":-1}"#, 400),
            ]
            for (body, status) in acknowledgements {
                attempts.append(
                    Attempt(
                        method: "POST",
                        path: "/v1/acknowledgements",
                        body: body,
                        fields: [right],
                        expected: [status]
                    )
                )
            }
            for operation in reading.operations
            where operation.body != nil && operation.name != Self.importing {
                for body in wrong {
                    attempts.append(
                        Attempt(
                            method: operation.method,
                            path: path(operation),
                            body: body,
                            fields: [right],
                            // The body of a login is small.
                            expected: operation.name == "login" ? [400, 413] : [400, 403]
                        )
                    )
                }
            }
            return attempts
        }
    }
}

import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The response to HEAD equals that to GET without the body (RFC 9110 §9.3.2).
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonHeadTests {
        private func head(
            _ network: NetworkScene,
            _ path: String,
            _ fields: [String] = []
        ) async throws -> NetworkScene.Answer {
            var own = fields.isEmpty ? ["Authorization: Bearer \(network.token)"] : fields
            if !own.contains(where: { $0.hasPrefix("Host:") }) {
                own.append("Host: 127.0.0.1:\(network.port)")
            }
            let lines = ["HEAD \(path) HTTP/1.1"] + own + ["Connection: close", "", ""]
            // All bytes up to the end of the connection.
            let client = try network.connect(sending: lines.joined(separator: "\\r\\n"))
            await client.waitForExit()
            return NetworkScene.Answer(client.output)
        }

        @Test func `each path that supports GET supports HEAD`() async throws {
            let network = try await NetworkScene.make()
            let body =
                #"{"downloads":[{"url":"http://example.org/a","destination":"a","isPaused":true}]}"#
            #expect(try await network.ask("POST", "/v1/downloads", body).status == 201)
            let reading = try APIReading.document()
            var paths = reading.operations.filter { $0.method == "GET" && $0.name != "events" }
                .map(\.filledPath)
            paths += [
                "/", "/assets/main.js", "/v1/nothing", "/v1/downloads/77", "/v1/downloads?odd=1",
            ]
            #expect(paths.count > 15)
            for path in paths {
                let (whole, answer) = (
                    try await network.ask("GET", path), try await head(network, path)
                )
                #expect(answer.status == whole.status, "\(path)")
                #expect(answer.body.isEmpty, "\(path)")
                // Only the HEAD request asks to close its connection.
                let names = Set(answer.fields.keys).subtracting(["connection"])
                #expect(names == Set(whole.fields.keys), "\(path)")
                #expect(answer.fields["content-type"] == whole.fields["content-type"], "\(path)")
                #expect(whole.fields["content-length"] == "\(whole.body.utf8.count)", "\(path)")
                // Counters may have more digits in the second response.
                guard !["/metrics", "/v1/statistics", "/v1/fleet"].contains(path) else { continue }
                #expect(
                    answer.fields["content-length"] == whole.fields["content-length"],
                    "\(path)"
                )
            }
            for path in ["/v1/login", "/v1/changes", "/v1/actions/pause"] {
                #expect(try await head(network, path).status == 405, "\(path)")
            }
        }

        @Test func `HEAD of the events ends and attaches no reader`() async throws {
            let network = try await NetworkScene.make()
            _ = try await network.ask("POST", "/v1/sessions", #"{"identifier":"s"}"#)
            for query in ["", "?session=s", "?session=s&process=1"] {
                let answer = try await head(network, "/v1/events\(query)")
                #expect(answer.status == 200)
                #expect(answer.fields["content-type"] == "text/event-stream")
            }
            #expect(try await head(network, "/v1/events?odd=1").status == 400)
            let numbers = try await network.ask("GET", "/v1/statistics")
            let statistics = try WireJSON.decode(WireStatistics.self, from: numbers.body.utf8)
            #expect(statistics.eventReaders == 0)
            let sessions = try await network.ask("GET", "/v1/sessions").body
            #expect(!sessions.contains("process"))
            let metrics = try await network.ask("GET", "/metrics").body
            #expect(metrics.contains(#"route="/v1/events",method="HEAD",status="200"} 3"#))
        }

        @Test func `HEAD needs the same rights as GET`() async throws {
            let network = try await NetworkScene.make()
            let reading = try APIReading.document()
            let closed = reading.operations.filter { $0.method == "GET" && $0.needsToken }
            let paths = closed.map(\.filledPath)
            #expect(paths.count > 12)
            for path in paths + ["/v1/nothing"] {
                let none = try await head(network, path, ["Cookie: other=1"])
                #expect(none.status == 401, "\(path)")
                let field = "Authorization: Bearer \(network.token)"
                let other = try await head(network, path, [field, "Origin: http://evil.example"])
                #expect(other.status == 403, "\(path)")
                let name = try await head(network, path, [field, "Host: evil.example"])
                #expect(name.status == 421, "\(path)")
            }
        }
    }
}

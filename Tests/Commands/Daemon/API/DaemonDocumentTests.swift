import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The description of the API compared with the daemon's answers.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonDocumentTests {
        @Test func `responses match the description of the API`() async throws {
            let network = try await NetworkScene.make()
            let reading = try APIReading.document()
            let served = try await network.ask("GET", "/openapi.yaml")
            #expect(served.fields["content-type"] == "application/yaml")
            #expect(Array(served.body.utf8) == APIDocument.bytes)
            let resource = Resource(size: 1000)
            network.scene.workshop.serve(.resource(resource))
            try await network.scene.succeed("daemon", "allow", "--private-addresses", "yes")
            let url = network.scene.workshop.url
            let bodies: [String: String] = [
                "addDownloads": #"{"downloads":[{"url":"\#(url)","destination":""}]}"#,
                "act": #"{"targets":["2"]}"#,
                "changeDownloads":
                    #"{"selection":{"targets":["2"]},"changes":{"limitBytesPerSecond":1000}}"#,
                "changeSettings":
                    #"{"limitBytesPerSecond":100000,"timetable":[{"from":"22:00","to":"07:00"}]}"#,
                "registerSession": #"{"identifier":"s"}"#,
                "retryFailures": #"{"kind":"not-found"}"#,
                "setLabel": #"{"name":"films","limitBytesPerSecond":1000}"#,
                "acknowledge": #"{"session":"t","event":1}"#,
                "addFeed": #"{"download":{"url":"\#(url)","destination":""}}"#,
                "changeFeed": #"{"name":"other","rules":{"match":["a"]}}"#,
            ]
            for name in ["a", "b"] {
                let feed = #"{"name":"\#(name)","download":{"url":"\#(url)","destination":""}}"#
                #expect(try await network.ask("POST", "/v1/feeds", feed).status == 201)
            }
            let own = try await network.ask("POST", "/v1/sessions", #"{"identifier":"s"}"#)
            #expect(own.status == 200)
            let first =
                #"{"downloads":[{"url":"\#(url)","destination":"a","session":"s"},"#
                + #"{"url":"\#(url)","destination":"b","isPaused":true}]}"#
            #expect(try await network.ask("POST", "/v1/downloads", first).status == 201)
            let other = try await network.ask("POST", "/v1/sessions", #"{"identifier":"t"}"#)
            #expect(other.status == 200)
            try await network.scene.succeed("wait", "1")
            var seen: Set<String> = []
            for operation in reading.operations {
                let name = operation.name
                guard !["events", "login"].contains(name) else { continue }
                let path = Self.path(of: operation)
                let answer = try await network.ask(operation.method, path, bodies[name])
                let isOpen = !APIReading.closedOverTCP.contains(name)
                // The daemon has its queue for itself.
                let done = name == "drainNode" ? 409 : operation.success?.status
                let status = isOpen ? done : 403
                #expect(answer.status == status, "\(name): \(answer.body)")
                guard let told = operation.answer(answer.status) else {
                    Issue.record("\(name): \(answer.status) is not in the document")
                    continue
                }
                let media = told["content"]?.members.first
                let type = answer.fields["content-type"]?.prefix { $0 != ";" }
                #expect(type.map(String.init) == media?.key, "\(name)")
                guard let schema = media?.value["schema"], schema["$ref"] != nil else { continue }
                let faults = reading.faults(try JSONTree(parsing: answer.body), in: schema)
                #expect(faults.isEmpty, "\(name): \(faults)")
                seen.insert(name)
            }
            #expect(seen.count > 14)
        }

        private static func path(of operation: APIReading.Operation) -> String {
            let path = operation.filledPath.replacing("actions/pause", with: "actions/move-last")
            return switch operation.name {
            case "forgetSession": "\(path)?session=s"
            case "removeLabel": "\(path)?label=films"
            case "drainNode": "\(path)?node=a"
            case "removeFeed": "/v1/feeds/2"
            default: path
            }
        }

        @Test func `events match the description of the API`() async throws {
            let network = try await NetworkScene.make()
            let body =
                #"{"downloads":[{"url":"http://example.org/a","destination":"a","isPaused":true}]}"#
            #expect(try await network.ask("POST", "/v1/downloads", body).status == 201)
            let reader = try ProcessRunner(
                "curl",
                [
                    "-sN", "--noproxy", "*", "\(network.origin)/v1/events", "-H",
                    "Last-Event-ID: 0", "-H", "Authorization: Bearer \(network.token)",
                ]
            )
            #expect(await reader.waitForOutput(containing: "event: added"))
            let numbers = try await network.ask("GET", "/v1/statistics")
            let statistics = try WireJSON.decode(WireStatistics.self, from: numbers.body.utf8)
            #expect(statistics.eventReaders == 1)
            // A token that is no longer valid ends the stream.
            _ = try await network.scene.succeed("daemon", "token", "--new")
            try await network.scene.succeed("remove", "1")
            await reader.waitForExit()
            #expect(!reader.output.contains("event: removed"))
        }

        @Test func `metrics have the format of Prometheus`() async throws {
            let network = try await NetworkScene.make()
            _ = try await network.ask("GET", "/v1/downloads/7")
            _ = try await network.ask("GET", "/a\"b")
            let answer = try await network.ask("GET", "/metrics")
            #expect(answer.fields["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
            let lines = answer.body.split(separator: "\n")
            let sample = /[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[0-9.e+-]+/
            for line in lines where !line.hasPrefix("# ") {
                #expect(try sample.wholeMatch(in: line) != nil, "\(line)")
            }
            #expect(lines.contains { $0.hasPrefix("pawl_build_info{version=") })
            #expect(lines.contains(#"pawl_downloads{state="running"} 0"#))
            let routed =
                #"pawl_api_requests_total{route="/v1/downloads/{id}",method="GET",status="404"}"#
            #expect(lines.contains { $0.hasPrefix(routed) }, "\(answer.body)")
            // Made-up paths are no names of their own.
            #expect(!answer.body.contains("/a"))
        }
    }
}

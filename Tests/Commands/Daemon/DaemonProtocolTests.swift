import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The protocol as another program sees it.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonProtocolTests {
        private struct Answer {
            var status: Int
            var type: String
            var body: String
        }

        private func ask(_ scene: DaemonScene, _ arguments: String...) async throws -> Answer {
            try await ask(scene, arguments)
        }

        private func ask(_ scene: DaemonScene, _ arguments: [String]) async throws -> Answer {
            let run = try await ProcessRunner.run(
                "curl",
                [
                    "-s", "--max-time", "60", "--unix-socket",
                    scene.home.path("run/pawl/daemon.sock"),
                    "-w", "\n%{http_code} %{content_type}",
                ] + arguments
            )
            let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
            let words = (lines.last ?? "").split(separator: " ", maxSplits: 1)
            return Answer(
                status: words.first.flatMap { Int($0) } ?? 0,
                type: words.count > 1 ? String(words[1]) : "",
                body: lines.dropLast().joined(separator: "\n")
            )
        }

        private let json = "Content-Type: application/json"

        @Test func `an error is a problem document with its usual code`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let base = "http://localhost/v1"
            let wrong: [(arguments: [String], status: Int, code: ErrorCode)] = [
                (["\(base)/nothing"], 404, .notFound),
                (["\(base)/downloads/7"], 404, .notFound),
                (["\(base)/downloads/x"], 400, .usage),
                (["\(base)/downloads?limit=0"], 400, .usage),
                (["\(base)/downloads?odd=1"], 400, .usage),
                (["\(base)/downloads", "-d", "{}"], 415, .usage),
                (["\(base)/downloads", "-d", "{}", "-H", json], 400, .usage),
                (["\(base)/downloads", "-d", "[[[", "-H", json], 400, .usage),
                (["\(base)/downloads", "-d", #"{"downloads":[]}"#, "-H", json], 400, .usage),
                (["\(base)/actions/explode", "-d", "{}", "-H", json], 404, .notFound),
                (["\(base)/actions/pause", "-d", "{}", "-H", json], 400, .usage),
                (["\(base)/events", "-H", "Last-Event-ID: x"], 400, .usage),
                (["\(base)/settings", "-X", "PATCH", "-d", "{}"], 415, .usage),
                (["\(base)/settings", "-X", "PATCH", "-d", "{}", "-H", json], 400, .usage),
                (
                    ["\(base)/settings", "-X", "PATCH", "-d", #"{"limit":1}"#, "-H", json],
                    400, .usage
                ),
                (
                    [
                        "\(base)/settings", "-X", "PATCH", "-H", json, "-d",
                        #"{"limitBytesPerSecond":-1}"#,
                    ],
                    400, .usage
                ),
            ]
            for (arguments, status, code) in wrong {
                let answer = try await ask(scene, arguments)
                #expect(answer.status == status, "\(arguments)")
                #expect(answer.type == Problem.mediaType, "\(arguments)")
                let problem = try WireJSON.decode(Problem.self, from: answer.body.utf8)
                #expect(problem.code == code, "\(arguments)")
                #expect(problem.status == status)
                #expect(problem.advice != nil || !problem.title.isEmpty)
            }
            #expect(try await scene.downloads().isEmpty)
            withExtendedLifetime(daemon) {}
        }

        @Test func `a body that is too long is refused`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let path = try scene.home.write(
                "long.json",
                [UInt8](repeating: UInt8(ascii: " "), count: (1 << 20) + 10)
            )
            let answer = try await ask(
                scene,
                "http://localhost/v1/actions/pause",
                "-H",
                json,
                "--data-binary",
                "@\(path)"
            )
            #expect(answer.status == 413)
            try await scene.succeed("daemon", "status")
            withExtendedLifetime(daemon) {}
        }

        @Test func `a key adds once and cannot be reused for another request`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let body = { (name: String) in
                #"{"downloads":[{"url":"\#(scene.workshop.origin.url("/\(name)"))","#
                    + #""destination":"\#(scene.home.path)/","isPaused":true}]}"#
            }
            let url = "http://localhost/v1/downloads"
            let key = "Idempotency-Key: once"
            let first = try await ask(scene, url, "-H", json, "-H", key, "-d", body("a"))
            let second = try await ask(scene, url, "-H", json, "-H", key, "-d", body("a"))
            #expect(first.status == 201)
            #expect(first.body == second.body)
            let other = try await ask(scene, url, "-H", json, "-H", key, "-d", body("b"))
            #expect(other.status == 409)
            // Everything else in the request counts, except a secret, which is not stored.
            for more in [#""priority":"high""#, #""settings":{"connections":2}"#] {
                let text = body("a").replacing(
                    #""isPaused":true"#,
                    with: #""isPaused":true,\#(more)"#
                )
                let changed = try await ask(scene, url, "-H", json, "-H", key, "-d", text)
                #expect(changed.status == 409, "\(more)")
            }
            #expect(try await scene.downloads().map(\.name) == ["a"])
            withExtendedLifetime(daemon) {}
        }

        @Test func `a request with a key can be repeated after its label has changed`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let body =
                #"{"downloads":[{"url":"\#(scene.workshop.url)","destination":"","#
                + #""label":"films","isPaused":true}]}"#
            let url = "http://localhost/v1/downloads"
            let key = "Idempotency-Key: once"
            func setFolder(_ name: String) async throws {
                let folder = scene.home.path(name)
                try await scene.succeed(
                    "label",
                    "set",
                    "films",
                    "--folder",
                    folder,
                    "--priority",
                    name == "a" ? "low" : "high"
                )
            }
            try await setFolder("a")
            let first = try await ask(scene, url, "-H", json, "-H", key, "-d", body)
            try await setFolder("b")
            let second = try await ask(scene, url, "-H", json, "-H", key, "-d", body)
            #expect(first.status == 201)
            #expect(first.body == second.body)
            #expect(try await scene.downloads().count == 1)
            withExtendedLifetime(daemon) {}
        }

        @Test func `a reader receives the missed events, then new ones`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            for name in ["a", "b", "c"] {
                try await scene.succeed("add", "--paused", scene.workshop.origin.url("/\(name)"))
            }
            let reader = try ProcessRunner(
                "curl",
                [
                    "-sN", "--unix-socket", scene.home.path("run/pawl/daemon.sock"), "-H",
                    "Last-Event-ID: 1", "http://localhost/v1/events",
                ]
            )
            #expect(await reader.waitForOutput(containing: "id: 3\n"))
            try await scene.succeed("remove", "a")
            #expect(await reader.waitForOutput(containing: "id: 4\nevent: removed\n"))
            var parser = ServerSentEventParser()
            let events = try parser.read(reader.outputBytes)
            #expect(events.prefix(3).map(\.id) == ["2", "3", "4"])
            #expect(events.prefix(3).map(\.name) == ["added", "added", "removed"])
            withExtendedLifetime(daemon) {}
        }

        @Test(.needsQueueFile) func `a reader is notified if missed events are no longer stored`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let first = try await scene.startDaemon()
            for name in ["a", "b", "c"] {
                try await scene.succeed("add", "--paused", scene.workshop.origin.url("/\(name)"))
            }
            first.signal(15)
            await first.waitForExit()
            let store = try SQLiteStore(path: scene.home.path("state/pawl/queue.sqlite"))
            try store.write { try $0.events.prune(keeping: 1) }
            try store.close()
            let second = try await scene.startDaemon()
            let reader = try ProcessRunner(
                "curl",
                [
                    "-sN", "--unix-socket", scene.home.path("run/pawl/daemon.sock"), "-H",
                    "Last-Event-ID: 1", "http://localhost/v1/events",
                ]
            )
            #expect(await reader.waitForOutput(containing: "id: 3\n"))
            var parser = ServerSentEventParser()
            let events = try parser.read(reader.outputBytes)
            #expect(events.prefix(2).map(\.name) == ["missed", "added"])
            let missed = try WireJSON.decode(
                WireMissedEvents.self,
                from: try #require(events.first).data.utf8
            )
            #expect(missed == WireMissedEvents(after: 1, through: 2))
            withExtendedLifetime(second) {}
        }
    }
}

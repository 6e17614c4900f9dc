import FoundationEssentials
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The page's files and the part of the API that only the page uses.
    ///
    /// The page itself is tested in a browser (Tests/Web).
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonPageTests {
        @Test func `the page's files need no token and can only connect to the daemon`()
            async throws
        {
            let network = try await NetworkScene.make()
            let page = try await network.curl(["\(network.origin)/"])
            #expect(page.status == 200)
            #expect(page.fields["content-type"] == "text/html; charset=utf-8")
            #expect(page.fields["cache-control"] == "no-cache")
            let policy = page.fields["content-security-policy"] ?? ""
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
            #expect(!policy.contains("unsafe"))
            let assets = page.body.split(separator: "\"").filter { $0.hasPrefix("assets/") }
            #expect(assets.contains("assets/main.js"))
            #expect(assets.contains("assets/style.css"))
            let types = ["js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"]
            var weight = page.body.utf8.count
            for path in Set(assets) {
                let file = try await network.curl(["\(network.origin)/\(path)"])
                #expect(file.status == 200, "\(path)")
                let type = types[String(path.split(separator: ".").last ?? "")] ?? "none"
                #expect(file.fields["content-type"]?.hasPrefix(type) == true, "\(path)")
                weight += file.body.utf8.count
            }
            // The checks of the page limit its compressed weight, which is about 40 % of that.
            #expect(weight < 170_000)
            #expect(try await network.curl(["\(network.origin)/assets/nothing.js"]).status == 404)
        }

        @Test func `a page of another site may open the page, and gets no access to its window`()
            async throws
        {
            let network = try await NetworkScene.make()
            func opened(_ path: String, as destination: String) async throws -> NetworkScene.Answer
            {
                try await network.ask(
                    "GET",
                    path,
                    fields: [
                        "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate",
                        "Sec-Fetch-Dest: \(destination)",
                    ]
                )
            }
            let page = try await opened("/", as: "document")
            #expect(page.status == 200)
            #expect(page.fields["cross-origin-opener-policy"] == "same-origin")
            #expect(page.fields["x-frame-options"] == "DENY")
            #expect(page.fields["set-cookie"] == nil)
            #expect(try await opened("/", as: "iframe").status == 403)
            for path in ["/assets/main.js", "/v1/status", "/v1/downloads"] {
                #expect(try await opened(path, as: "document").status == 403, "\(path)")
            }
        }

        @Test func `a cached file is not sent again`() async throws {
            let network = try await NetworkScene.make()
            let url = "\(network.origin)/assets/main.js"
            let first = try await network.curl([url])
            let tag = try #require(first.fields["etag"])
            let again = try await network.curl([url, "-H", "If-None-Match: \"other\", \(tag)"])
            #expect(again.status == 304)
            #expect(again.body.isEmpty)
            #expect(try await network.curl([url, "-H", "If-None-Match: \"other\""]).status == 200)
        }

        @Test func `the segments of each connection and the events of a download are available`()
            async throws
        {
            let network = try await NetworkScene.make()
            let workshop = network.scene.workshop
            let size: Int64 = 4_000_000
            let latch = Latch()
            let reply = Reply.resource(Resource(size: size))
            workshop.serve(reply.holdAfterBytes(1_000_000, until: latch))
            try await network.scene.succeed("add", workshop.url, "-x", "1")
            var segments = try await self.segments(network)
            while segments.connections.first.map({ $0.position == 0 }) ?? true {
                segments = try await self.segments(network)
            }
            let connection = try #require(segments.connections.first)
            #expect(segments.state == .running)
            #expect(segments.totalBytes == size)
            #expect(segments.connections.count == 1)
            #expect((connection.from, connection.to ?? 0) == (0, size))
            #expect(connection.position <= 1_000_000)
            #expect(segments.written?.first?.from == 0)
            #expect(workshop.url.contains("://\(connection.host ?? "none")/"))
            latch.release()
            try await network.scene.succeed("wait", "1")
            segments = try await self.segments(network)
            #expect(segments.state == .finished)
            #expect(segments.connections.isEmpty)
            #expect(segments.written == nil)
            let answer = try await network.ask("GET", APIPath.events(of: 1))
            let events = try WireJSON.decode(WireEvents.self, from: answer.body.utf8).events
            #expect(events.map(\.kind) == [.added, .started, .finished])
            #expect(try await network.ask("GET", APIPath.segments(7)).status == 404)
            #expect(try await network.ask("GET", "/v1/downloads/x/events").status == 400)
        }

        @Test func `the ranges of a download that is not running are those of its checkpoint`()
            async throws
        {
            let network = try await NetworkScene.make()
            let workshop = network.scene.workshop
            let size: Int64 = 8_000_000
            let latch = Latch()
            workshop.serve(.resource(Resource(size: size)).holdAfterBytes(500_000, until: latch))
            try await network.scene.succeed("add", workshop.url, "-x", "4")
            var running = try await segments(network)
            while running.connections.filter({ $0.position - $0.from == 500_000 }).count < 4 {
                running = try await segments(network)
            }
            try await network.scene.succeed("pause", "1")
            let answer = try await network.ask("GET", "/v1/downloads/1/resume-data")
            #expect(answer.status == 403)
            // Once its run has ended.
            while !running.connections.isEmpty { running = try await segments(network) }
            #expect(running.state == .paused)
            let parts = try #require(running.written)
            #expect(parts.count == 4)
            #expect(parts.allSatisfy { $0.to - $0.from == 500_000 })
            #expect(parts.first?.from == 0)
            #expect(running.completedBytes == 2_000_000)
            #expect(running.totalBytes == size)
            // After a restart, too, when nothing of it is in memory.
            try await network.scene.succeed("daemon", "stop")
            await network.daemon.waitForExit()
            let second = try await network.scene.startDaemon()
            let text = try await ProcessRunner.run(
                "curl",
                [
                    "-s", "--unix-socket", network.scene.home.path("run/pawl/daemon.sock"),
                    "http://localhost\(APIPath.segments(1))",
                ]
            )
            let again = try WireJSON.decode(WireSegments.self, from: text.output.utf8)
            #expect(again.written == parts)
            #expect(again.connections.isEmpty)
            latch.release()
            withExtendedLifetime(second) {}
        }

        private func segments(_ network: NetworkScene) async throws -> WireSegments {
            let answer = try await network.ask("GET", APIPath.segments(1))
            return try WireJSON.decode(WireSegments.self, from: answer.body.utf8)
        }

        @Test func `a download is moved before another one, or nothing changes`() async throws {
            let network = try await NetworkScene.make()
            for name in ["a", "b", "c", "d"] {
                let url = network.scene.workshop.origin.url("/\(name)")
                try await network.scene.succeed("add", "--paused", url)
            }
            #expect(try await order(network) == ["a", "b", "c", "d"])
            #expect(try await put(network, ["4"], #"{"before":2}"#) == 200)
            #expect(try await order(network) == ["a", "d", "b", "c"])
            #expect(try await put(network, ["1"], #"{"before":3}"#) == 200)
            #expect(try await order(network) == ["d", "b", "a", "c"])
            #expect(try await put(network, ["1"], #"{"before":1}"#) == 200)
            for (targets, changes, status) in [
                (["1", "2"], #"{"before":3}"#, 400), (["1"], #"{"before":99}"#, 409),
                (["1"], #"{"before":2,"priority":"high"}"#, 409), (["1"], #"{"before":"b"}"#, 400),
            ] {
                #expect(try await put(network, targets, changes) == status, "\(changes)")
            }
            #expect(try await order(network) == ["d", "b", "a", "c"])
            let rows = try await network.scene.downloads()
            #expect(rows.allSatisfy { $0.priority == .normal })
            #expect(Set(rows.map(\.position)).count == 4)
        }

        private func put(
            _ network: NetworkScene,
            _ targets: [String],
            _ changes: String
        ) async throws -> Int {
            let names = targets.map { "\"\($0)\"" }.joined(separator: ",")
            let body = #"{"selection":{"targets":[\#(names)]},"changes":\#(changes)}"#
            return try await network.ask("POST", APIPath.changes, body).status
        }

        private func order(_ network: NetworkScene) async throws -> [String] {
            try await network.scene.downloads().sorted { $0.position < $1.position }.map(\.name)
        }
    }
}

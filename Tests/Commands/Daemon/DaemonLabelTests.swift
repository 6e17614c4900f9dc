import FoundationEssentials
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Labels of downloads, and what they supply.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonLabelTests {
        private let resource = Resource(size: 1000)
        private let big = Resource(size: 24 << 20)

        @Test func `a download takes from its label what is not given`() async throws {
            let scene = try DaemonScene(Workshop(resource))
            let daemon = try await scene.startDaemon()
            let films = scene.home.path("films")
            try await scene.succeed(
                "label",
                "set",
                "films",
                "--folder",
                films,
                "--priority",
                "high"
            )
            try await scene.succeed("add", "--label", "films", scene.workshop.url)
            try await scene.succeed(
                "add",
                "--label",
                "films",
                scene.workshop.url,
                "-o",
                "named.iso",
                "--priority",
                "low"
            )
            try await scene.succeed(
                "add",
                "--label",
                "films",
                scene.workshop.url,
                "-d",
                scene.home.path("own")
            )
            try await scene.succeed("wait", "--all")
            let rows = try await scene.downloads("--label", "films")
            #expect(rows.map(\.label) == ["films", "films", "films"])
            #expect(rows.map(\.priority) == [.high, .low, .high])
            let expected = ["films/disk.iso", "films/named.iso", "own/disk.iso"]
            #expect(rows.map(\.path) == expected.map { scene.home.path($0) })
            for path in expected { #expect(try scene.home.read(path) == resource.bytes()) }
            withExtendedLifetime(daemon) {}
        }

        @Test func `labels are listed, changed, kept and removed`() async throws {
            let scene = try DaemonScene(Workshop(resource))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("label", "set", "films", "--limit", "2M")
            for label in ["films", "music"] {
                try await scene.succeed(
                    "add",
                    "--paused",
                    "--label",
                    label,
                    scene.workshop.origin.url("/\(label)")
                )
            }
            try await scene.succeed("add", scene.workshop.url)
            try await scene.succeed("wait", "3")
            try await scene.succeed("daemon", "restart")
            await daemon.waitForExit()
            let listed = try await scene.succeed("label", "list").output
            #expect(listed == "films\t1 paused\tlimit 2.00 MiB/s\nmusic\t1 paused\t-\n")
            #expect(try await scene.succeed("list").output.contains("LABEL"))
            #expect(try await scene.succeed("show", "1").output.contains("films"))
            let cancelled = try await scene.succeed("cancel", "--label", "music")
            #expect(cancelled.output == "2\tcancelled\tmusic\n")
            // A finished download may get a label, too.
            try await scene.succeed("set", "--label", "films", "3")
            #expect(try await scene.downloads("--label", "films").map(\.id) == [1, 3])
            try await scene.succeed("set", "--label", "none", "1")
            #expect(try await scene.downloads("--label", "films").map(\.id) == [3])
            expectFailure(.usage, try await scene.run("set", "--label", "a,b", "1"))
            expectError(.notFound, try await scene.run("label", "remove", "films", "pictures"))
            #expect(
                try await scene.succeed("label", "remove", "films").output == "films\tremoved\n"
            )
            #expect(try await scene.downloads("--label", "films").isEmpty)
            #expect(try await scene.downloads().map(\.id) == [1, 2, 3])
            try await scene.succeed("daemon", "stop")
        }

        @Test func `the downloads of a label share its limit`() async throws {
            let scene = try DaemonScene(Workshop())
            let resource = Resource(size: 120_000)
            let daemon = try await scene.startDaemon()
            try await scene.succeed("label", "set", "films", "--limit", "100000")
            let watch = Stopwatch()
            for name in ["/a", "/b"] {
                scene.workshop.serve(.resource(resource), at: name)
                try await scene.succeed(
                    "add",
                    "--label",
                    "films",
                    scene.workshop.origin.url(name)
                )
            }
            try await scene.succeed("wait", "--all")
            // 240,000 bytes at 100,000 bytes per second, of which some ran ahead; alone, each would
            // take 1.2 s.
            #expect(watch.elapsed > .seconds(1.7))
            withExtendedLifetime(daemon) {}
        }

        @Test func `a running download gets another label without another request`() async throws {
            let scene = try DaemonScene(Workshop(big))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("label", "set", "slow", "--limit", "50K")
            try await scene.succeed("add", "--label", "slow", scene.workshop.url, "-x", "1")
            await scene.workshop.origin.waitForBytes(1)
            let other = Resource(size: 3 << 20)
            scene.workshop.serve(.resource(other), at: "/other")
            try await scene.succeed("add", scene.workshop.origin.url("/other"))
            try await scene.succeed("wait", "other")
            #expect(try await scene.downloads().first?.state == .running)
            // At the limit it would take eight minutes.
            try await scene.succeed("set", "--label", "fast", "1")
            try await scene.succeed("wait", "1")
            #expect(scene.workshop.origin.requests(to: Workshop.path).count == 1)
            try expectExact(Workshop.name, big, in: scene.workshop)
            withExtendedLifetime(daemon) {}
        }

        @Test func `a limit that changes while no download of its label runs applies`()
            async throws
        {
            let scene = try DaemonScene(Workshop(big))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("label", "set", "slow", "--limit", "50K")
            try await scene.succeed("add", "--label", "slow", scene.workshop.url, "-x", "1")
            await scene.workshop.origin.waitForBytes(1)
            try await scene.succeed("pause", "1")
            // The run ends later than the command. The next run of another download shows that the
            // end was recorded.
            let other = Resource(size: 1000)
            scene.workshop.serve(.resource(other), at: "/other")
            try await scene.succeed("add", scene.workshop.origin.url("/other"))
            try await scene.succeed("wait", "other")
            try await scene.succeed("label", "set", "slow", "--limit", "off")
            // At the old limit it would take eight minutes.
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, big, in: scene.workshop)
            withExtendedLifetime(daemon) {}
        }

        @Test func `a removed label frees its running downloads of its limit`() async throws {
            let scene = try DaemonScene(Workshop(big))
            let daemon = try await scene.startDaemon()
            try await scene.succeed(
                "add",
                "--label",
                "slow",
                scene.workshop.url,
                "-x",
                "1",
                "--limit",
                "50K"
            )
            try await scene.succeed("label", "set", "slow", "--limit", "50K")
            try await scene.succeed("set", "--limit", "off", "1")
            await scene.workshop.origin.waitForBytes(1)
            try await scene.succeed("label", "remove", "slow")
            try await scene.succeed("wait", "1")
            #expect(scene.workshop.origin.requests(to: Workshop.path).count == 1)
            #expect(try await scene.downloads().first?.label == nil)
            let changes = try await scene.events().filter { $0.kind == .changed }
            #expect(changes.count == 2)
            withExtendedLifetime(daemon) {}
        }

        @Test func `an export keeps the labels`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", "--paused", "--label", "films", scene.workshop.url)
            try await scene.succeed("set", "--label", "music", "1")
            let file = scene.home.path("queue.json")
            try await scene.succeed("export", "--label", "music", "-o", file)
            try await scene.succeed("remove", "--all")
            try await scene.succeed("import", file)
            #expect(try await scene.downloads().map(\.label) == ["music"])
            withExtendedLifetime(daemon) {}
        }

        @Test func `a label does not lead a program out of the allowed folders`() async throws {
            let network = try await NetworkScene.make()
            let scene = network.scene
            let outside = try scene.home.makeFolder("outside")
            func add(_ label: String, _ destination: String) async throws -> Int {
                let body =
                    #"{"downloads":[{"url":"http://example.org/a","isPaused":true,"#
                    + #""label":"\#(label)","destination":"\#(destination)"}]}"#
                return try await network.ask("POST", "/v1/downloads", body).status
            }
            func set(_ label: String, _ folder: String) async throws -> Int {
                let body = #"{"name":"\#(label)","folder":"\#(folder)"}"#
                return try await network.ask("POST", "/v1/labels", body).status
            }
            try await scene.succeed("label", "set", "away", "--folder", outside)
            #expect(try await add("away", "") == 403)
            #expect(try await add("away", "../Downloads/a") == 403)
            #expect(try await set("mine", outside) == 403)
            let inside = scene.home.path("Downloads/films")
            #expect(try await set("mine", inside) == 200)
            #expect(try await add("mine", "sub/a") == 201)
            #expect(try await add("mine", "../../outside/a") == 403)
            let rows = try await scene.downloads()
            #expect(rows.map(\.destination) == ["\(inside)/sub/a"])
            let labels = try await network.ask("GET", "/v1/labels?limit=1")
            let page = try WireJSON.decode(WireLabels.self, from: labels.body.utf8)
            #expect(page.labels.map(\.name) == ["away"])
            #expect(page.next == "away")
        }
    }
}

import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonLimitTests {
        private let big = Resource(size: 24 << 20)
        /// So slow that a download that obeys it does not end within a test.
        private let crawl = "50K"

        private func settings(_ scene: DaemonScene, _ words: String...) async throws
            -> DaemonSettings
        {
            let run = try await scene.workshop.run(["limit", "--json"] + words, scene.settings)
            #expect(run.status == .code(0), "\(run.errors)")
            return try WireJSON.decode(DaemonSettings.self, from: run.output.utf8)
        }

        @Test(arguments: ["off", "0"])
        func `a limit slows down running downloads until it is removed`(
            none: String
        ) async throws {
            let scene = try DaemonScene(Workshop(big))
            let daemon = try await scene.startDaemon()
            let limited = try await settings(scene, crawl)
            #expect(limited.limitBytesPerSecond == 50 << 10)
            #expect(limited.current?.limitBytesPerSecond == 50 << 10)
            try await scene.succeed("add", scene.workshop.url, "-x", "1")
            await scene.workshop.origin.waitForBytes(1)
            let free = try await settings(scene, none)
            #expect(free.limitBytesPerSecond == nil)
            // At the limit it would have taken eight minutes.
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, big, in: scene.workshop)
            withExtendedLifetime(daemon) {}
        }

        @Test func `a limit applies to running downloads`() async throws {
            let scene = try DaemonScene(Workshop())
            let resource = Resource(size: 2_000_000)
            let latch = Latch()
            scene.workshop.serve(.resource(resource).holdAfterBytes(1_000_000, until: latch))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.url, "-x", "1")
            await scene.workshop.origin.waitForBytes(1_000_000)
            _ = try await settings(scene, "300K")
            let watch = Stopwatch()
            latch.release()
            try await scene.succeed("wait", "1")
            // A million bytes at 307,200 bytes per second, of which some ran ahead.
            #expect(watch.elapsed > .seconds(1))
            try expectExact(Workshop.name, resource, in: scene.workshop)
            withExtendedLifetime(daemon) {}
        }

        @Test func `the limit of one download is removed while it runs`()
            async throws
        {
            let scene = try DaemonScene(Workshop(big))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.url, "-x", "1", "--limit", crawl)
            await scene.workshop.origin.waitForBytes(1)
            #expect(try await scene.downloads().first?.limitBytesPerSecond == 50 << 10)
            let shown = try await scene.succeed("show", "1")
            #expect(shown.output.contains("50.0 KiB/s"))
            let other = Resource(size: 3 << 20)
            scene.workshop.serve(.resource(other), at: "/other")
            try await scene.succeed("add", scene.workshop.origin.url("/other"))
            try await scene.succeed("wait", "other")
            #expect(try await scene.downloads().first?.state == .running)
            try await scene.succeed("set", "--limit", "off", "1")
            try await scene.succeed("wait", "1")
            #expect(try await scene.downloads().first?.limitBytesPerSecond == nil)
            // It went on over the connection that it had.
            #expect(scene.workshop.origin.requests(to: Workshop.path).count == 1)
            try expectExact(Workshop.name, big, in: scene.workshop)
            withExtendedLifetime(daemon) {}
        }

        @Test func `readers of events receive a change of the settings`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            _ = try await settings(scene, "3M", "-j", "2")
            // Setting the same value again is not a change.
            _ = try await settings(scene, "3M")
            let event = try #require(try await scene.events().last)
            #expect(try await scene.events().count == 1)
            #expect(event.kind == .settings)
            #expect(event.settings?.limitBytesPerSecond == 3 << 20)
            #expect(event.settings?.maximumConcurrentDownloads == 2)
            let shown = try await scene.succeed("events", "--past")
            #expect(shown.output.contains("settings\t-\t"))
            #expect(shown.output.contains("downloads 2 at a time"))
            withExtendedLifetime(daemon) {}
        }

        @Test func `settings are valid after a restart`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let table = "22:00-07:00 unlimited, mon-fri 07:00-22:00 2M"
            let set = try await settings(
                scene,
                "3M",
                "--timetable",
                table,
                "-j",
                "2",
                "--per-host",
                "4",
                "--metered",
                "wait"
            )
            daemon.signal(SIGKILL)
            await daemon.waitForExit()
            let second = try await scene.startDaemon()
            var kept = try await settings(scene)
            #expect(kept.current != nil)
            var expected = set
            (kept.current, expected.current) = (nil, nil)
            #expect(kept == expected)
            #expect(kept.timetable.count == 2)
            let status = try await scene.succeed("daemon", "status", "--json")
            #expect(status.output.contains(#""maximumConcurrentDownloads" : 2"#))
            let shown = try await scene.succeed("limit")
            #expect(shown.output.contains("otherwise  3.00 MiB/s"))
            _ = try await settings(scene, "--timetable", "off")
            #expect(try await settings(scene).timetable.isEmpty)
            withExtendedLifetime(second) {}
        }

        /// Another time zone is another time of the day.
        @Test func `the timetable follows local time`() async throws {
            var now = time(nil)
            var parts = tm()
            gmtime_r(&now, &parts)
            let hour = Int(parts.tm_hour)
            let scene = try DaemonScene(Workshop())
            // At noon by its clock, so that no hour passes meanwhile into another period.
            let zone = "XXX\(hour - 12)"
            let daemon = try scene.start(["daemon", "run"], ["TZ": zone])
            #expect(await daemon.waitForOutput(containing: "listens at"), "\(daemon.errors)")
            let limited = try await settings(
                scene,
                "7M",
                "--timetable",
                "11:00-14:00 1M, 14:00-11:00 unlimited"
            )
            #expect(limited.current?.limitBytesPerSecond == 1 << 20)
            #expect(limited.current?.isByTimetable == true)
            let until = try #require(limited.current?.until)
            let wait = until.timeIntervalSinceNow
            #expect(wait > 0 && wait <= 2 * 3600)
            let free = try await settings(scene, "--timetable", "11:00-14:00 unlimited")
            #expect(free.current?.limitBytesPerSecond == nil)
            let other = try await settings(scene, "--timetable", "22:00-04:00 1M")
            #expect(other.current?.limitBytesPerSecond == 7 << 20)
        }

        @Test func `the number of simultaneous downloads changes immediately`() async throws {
            let scene = try DaemonScene(Workshop())
            let latch = Latch()
            for name in ["a", "b", "c"] {
                scene.workshop.serve(
                    .resource(Resource(size: 1000)).holdAfterBytes(10, until: latch),
                    at: "/\(name)"
                )
            }
            let daemon = try await scene.startDaemon("--jobs", "1")
            let urls = ["a", "b", "c"].map { scene.workshop.origin.url("/\($0)") }
            _ = try await scene.workshop.run(["add"] + urls, scene.settings)
            await latch.waitForArrivals(1)
            #expect(try await scene.downloads("--state", "running").count == 1)
            let more = try await settings(scene, "--jobs", "3")
            #expect(more.maximumConcurrentDownloads == 3)
            await latch.waitForArrivals(3)
            latch.release()
            try await scene.succeed("wait", "--all")
            withExtendedLifetime(daemon) {}
        }

        @Test func `a change for metered networks restarts running downloads, which resume`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.addHeld(big)
            let before = scene.workshop.origin.requests.count
            scene.workshop.serve(.resource(big))
            #expect(try await settings(scene, "--metered", "wait").usesMeteredNetwork == false)
            // This machine itself is not a metered network.
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, big, in: scene.workshop)
            let after = scene.workshop.origin.requests.dropFirst(before)
            #expect(!after.isEmpty)
            #expect(after.allSatisfy { $0.range != nil }, "it started over")
            withExtendedLifetime(daemon) {}
        }

        // MARK: - A session's

        @Test func `the downloads of a session share its limit`() async throws {
            let scene = try DaemonScene(Workshop())
            let resource = Resource(size: 120_000)
            scene.workshop.serve(.resource(resource))
            let process = try await scene.session("films", "--limit", "100000")
            let watch = Stopwatch()
            for name in ["a", "b"] {
                let path = scene.workshop.folder.path(name)
                process.type("add", name, scene.workshop.url, path)
            }
            for name in ["a", "b"] { await process.hears("completed \(name) ok") }
            // 240,000 bytes at 100,000 bytes per second, of which some ran ahead; alone, each would
            // take 1.2 s.
            #expect(watch.elapsed > .seconds(1.7))
        }

        @Test func `the limit of a session is that of its newest process`() async throws {
            let scene = try DaemonScene(Workshop(big))
            let first = try await scene.session("films", "--limit", "51200")
            first.type("add", "one", scene.workshop.url, scene.workshop.folder.path("a"))
            await scene.workshop.origin.waitForBytes(1)
            let sessions = try await scene.succeed("session", "list", "--json")
            #expect(sessions.output.contains(#""limitBytesPerSecond" : 51200"#))
            // At the limit it would take eight minutes.
            let second = try await scene.session("films", "--take-over")
            try await scene.succeed("wait", "1")
            try expectExact("a", big, in: scene.workshop)
            let later = try await scene.succeed("session", "list", "--json")
            #expect(!later.output.contains("limitBytesPerSecond"))
            withExtendedLifetime((first, second)) {}
        }

        @Test func `an invalid setting is refused and changes nothing`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", "--paused", scene.workshop.url)
            try await scene.succeed("add", "--paused", scene.workshop.origin.url("/other"))
            _ = try await settings(scene, "3M")
            let before = try await settings(scene)
            let downloads = try await scene.downloads()
            let events = try await scene.events()
            let wrong: [([String], ErrorCode)] = [
                (["limit", "fast"], .usage), (["limit", "-5"], .usage),
                (["limit", "2M", "3M"], .usage), (["limit", "--timetable", "always"], .usage),
                (["limit", "1M", "--timetable", "22:00-22:00 2M"], .usage),
                (["limit", "1M", "--jobs", "0"], .usage),
                (["limit", "1M", "--per-host", "1001"], .usage),
                (["limit", "1M", "--metered", "maybe"], .usage),
                (["set", "--limit", "fast", "1"], .usage), (["set", "--limit", "2M"], .usage),
                (["set", "--limit", "2M", "1", "7"], .notFound),
                (["set", "--name", "a/b", "1"], .usage), (["set", "--name", "..", "1"], .usage),
                (["set", "--name", "", "1"], .usage), (["set", "--name", "a", "1", "2"], .usage),
                (["set", "--name", "a", "--all"], .usage), (["set", "--name", "a", "*"], .usage),
                (["set", "--name", String(repeating: "n", count: 250), "1"], .usage),
                (["set", "--not-before", "soon", "1"], .usage),
                (["add", "--limit", "-1", scene.workshop.url], .usage),
                (["add", "--not-before", "25:00", scene.workshop.url], .usage),
            ]
            for (arguments, code) in wrong {
                let run = try await scene.workshop.run(arguments, scene.settings)
                #expect(run.status == .code(code.exitStatus), "\(arguments): \(run.errors)")
                #expect(run.errors.hasPrefix("pawl: "), "\(arguments): \(run.errors)")
            }
            var after = try await settings(scene)
            after.current = before.current
            #expect(after == before)
            #expect(try await scene.downloads() == downloads)
            #expect(try await scene.events() == events)
            withExtendedLifetime(daemon) {}
        }
    }
}

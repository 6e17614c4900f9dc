import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonInputTests {
        @Test func `invalid input has the right status and advice and changes nothing`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", "--paused", scene.workshop.url, "--session", "films")
            let before = try await scene.downloads()
            let events = try await scene.events()
            let wrong: [([String], ErrorCode)] = [
                (["add"], .usage), (["add", "gopher://host/a"], .usage),
                (["add", scene.workshop.url, "--priority", "urgent"], .usage),
                (["list", "--state", "odd"], .usage), (["show", "7"], .notFound),
                (["pause"], .usage), (["pause", "--all", "1"], .usage),
                (["pause", "1", "7"], .notFound), (["resume", "*.zip"], .notFound),
                (["cancel", "1", "nothing"], .notFound), (["remove"], .usage),
                (["move", "1"], .usage), (["move", "--first", "--last", "1"], .usage),
                (["move", "--first", "--before", "1", "1"], .usage),
                (["move", "--before", "nothing", "1"], .notFound),
                (["set", "1"], .usage), (["set", "--url", "x:y", "1"], .usage),
                (["set", "--connections", "0", "1"], .usage), (["wait", "7"], .notFound),
                (["wait"], .usage), (["events", "--after", "x"], .usage),
                (["daemon", "run", "--jobs", "0"], .usage), (["list", "nothing"], .notFound),
                (["list", "7", "disk.iso"], .notFound), (["list", ""], .notFound),
                (["show"], .usage), (["show", "--state", "odd"], .usage),
                (["show", ""], .notFound), (["wait", ""], .notFound), (["pause", ""], .notFound),
                (["session", "forget"], .usage), (["session", "forget", "x"], .notFound),
                (["session", "forget", "films", "x"], .notFound),
                (["events", "nothing"], .notFound), (["events", "--past", "7"], .notFound),
                (["session", "list", "x*"], .notFound), (["limit", "silly"], .usage),
                (["set", "1", "--limit", "-5"], .usage), (["set", "1", "--name", "a/b"], .usage),
                (["add", scene.workshop.url, "--session", ""], .usage),
            ]
            for (arguments, code) in wrong {
                let run = try await scene.workshop.run(arguments, scene.settings)
                #expect(run.status == .code(code.exitStatus), "\(arguments): \(run.errors)")
                #expect(run.errors.hasPrefix("pawl: "), "\(arguments): \(run.errors)")
            }
            #expect(try await scene.downloads() == before)
            #expect(try await scene.events() == events)
            withExtendedLifetime(daemon) {}
        }

        @Test func `a number is an ID if a download has it, otherwise a name`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let urls = ["/x", "/1", "/9"].map { scene.workshop.origin.url($0) }
            try await scene.succeed("add", "--paused", urls[0], urls[1], urls[2])
            for verb in ["list", "show"] {
                let first = try await scene.succeed(verb, "1", "--json")
                let rows = try WireJSON.decode([WireDownload].self, from: first.output.utf8)
                #expect(rows.map(\.name) == ["x"], "\(verb)")
                let ninth = try await scene.succeed(verb, "9", "--json")
                #expect(ninth.output.contains(#""id" : 3"#), "\(verb)")
            }
            withExtendedLifetime(daemon) {}
        }

        @Test func `downloads are shown by their state, their session and their label`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let urls = ["/x", "/y", "/z"].map { scene.workshop.origin.url($0) }
            try await scene.succeed("add", "--paused", urls[0], "--session", "films")
            try await scene.succeed("add", "--paused", urls[1], "--label", "songs")
            try await scene.succeed("add", "--paused", urls[2])
            try await scene.succeed("cancel", "3")
            let cases = [
                (["--state", "paused"], ["x", "y"]), (["--state", "cancelled,failed"], ["z"]),
                (["--state", "running"], []), (["--session", "films"], ["x"]),
                (["--label", "songs"], ["y"]), (["--state", "paused", "?"], ["x", "y"]),
            ]
            for (options, names) in cases {
                let arguments = ["show", "--json"] + options
                let shown = try await scene.workshop.run(arguments, scene.settings)
                #expect(shown.status == .code(0), "\(options): \(shown.errors)")
                let rows = try WireJSON.decode([WireDownload].self, from: shown.output.utf8)
                #expect(rows.map(\.name) == names, "\(options)")
            }
            withExtendedLifetime(daemon) {}
        }

        @Test func `sessions are listed and forgotten by name and pattern`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            for name in ["films", "songs", "books"] {
                try await scene.succeed("add", "--paused", scene.workshop.url, "--session", name)
            }
            let listed = try await scene.succeed("session", "list", "*s", "films")
            #expect(listed.output == "books\t1 paused\nfilms\t1 paused\nsongs\t1 paused\n")
            let forgotten = try await scene.succeed("session", "forget", "*ms", "books", "--json")
            let sessions = try WireJSON.decode([WireSession].self, from: forgotten.output.utf8)
            #expect(sessions.map(\.identifier) == ["books", "films"])
            #expect(try await scene.succeed("session", "list").output == "songs\t1 paused\n")
            #expect(try await scene.downloads().count == 3)
            withExtendedLifetime(daemon) {}
        }

        @Test func `events are shown for one download, several, and a session`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            for name in ["a.iso", "b.iso", "c.zip"] {
                let url = scene.workshop.origin.url("/\(name)")
                try await scene.succeed("add", "--paused", url, "--session", "of \(name)")
            }
            try await scene.succeed("limit", "3M")
            try await scene.succeed("remove", "2")
            let shown = { (words: [String]) async throws -> [Int64?] in
                let arguments = ["events", "--past", "--json"] + words
                let run = try await scene.workshop.run(arguments, scene.settings)
                #expect(run.status == .code(0), "\(words): \(run.errors)")
                return try run.output.split(separator: "\n").map {
                    try WireJSON.decode(WireEvent.self, from: $0.utf8).download
                }
            }
            #expect(try await shown([]) == [1, 2, 3, nil, 2])
            #expect(try await shown(["1"]) == [1])
            #expect(try await shown(["b.iso"]) == [2, 2])
            #expect(try await shown(["*.iso"]) == [1, 2, 2])
            #expect(try await shown(["3", "a.*"]) == [1, 3])
            #expect(try await shown(["--session", "of c.zip"]) == [3])
            withExtendedLifetime(daemon) {}
        }

        @Test func `a reader that stops causes no error`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.url, "--not-before", "+1h")
            let events = try scene.start("events", "--after", "0")
            #expect(await events.waitForOutput(containing: "added"))
            events.signal(SIGINT)
            #expect(await events.waitForExit() == .code(0))
            #expect(events.errors.isEmpty)
            let wait = try scene.start("wait", "--all")
            // It has requested the events when it reads them.
            try await scene.succeed("set", "--priority", "high", "1")
            wait.signal(SIGINT)
            await wait.waitForExit()
            #expect(!wait.errors.contains("http://"), "\(wait.errors)")
            withExtendedLifetime(daemon) {}
        }

        @Test func `moving and changing priorities determines what starts next`() async throws {
            let scene = try DaemonScene(Workshop())
            let resource = Resource(size: 1000)
            for name in ["a", "b", "c", "d", "e"] {
                scene.workshop.serve(.resource(resource), at: "/\(name)")
            }
            let latch = Latch()
            scene.workshop.serve(
                .resource(resource).holdAfterBytes(10, until: latch),
                at: "/first"
            )
            let daemon = try await scene.startDaemon("--jobs", "1")
            try await scene.succeed("add", scene.workshop.origin.url("/first"))
            await scene.workshop.origin.waitForBytes(1)
            try await scene.succeed(
                "add",
                scene.workshop.origin.url("/a"),
                scene.workshop.origin.url("/b"),
                scene.workshop.origin.url("/c"),
                scene.workshop.origin.url("/d"),
                scene.workshop.origin.url("/e")
            )
            try await scene.succeed("move", "--first", "c")
            try await scene.succeed("move", "--last", "a")
            let moved = try await scene.succeed("move", "--before", "b", "e")
            #expect(moved.output == "6\tmoved before b\te\n")
            try await scene.succeed("set", "--priority", "high", "d")
            latch.release()
            try await scene.succeed("wait", "--all")
            let started = try await scene.events().filter { $0.kind == .started }.map(\.name)
            #expect(started == ["first", "d", "c", "e", "b", "a"])
            withExtendedLifetime(daemon) {}
        }

        @Test func `no secret is in a list, an event, a log or, in the end, on the disk`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let resource = Resource(size: 200_000)
            let reply = Reply.resource(resource).requireBasic(name: "nobody", password: "hunter2")
            scene.workshop.serve(reply)
            let daemon = try await scene.startDaemon("--verbose")
            let url =
                scene.workshop.url.replacing("http://", with: "http://nobody:hunter2@")
                + "?X-Amz-Signature=s1gned"
            let added = try await scene.succeed("add", url, "-H", "X-Api-Key: k3y-s3cret", "--json")
            var shown = added.everything
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, resource, in: scene.workshop)
            for arguments in [
                ["list", "--json"], ["show", "1"], ["events", "--past", "--json"],
                ["daemon", "status"],
            ] {
                shown += try await scene.workshop.run(arguments, scene.settings).everything
            }
            try await scene.succeed("daemon", "stop")
            await daemon.waitForExit()
            shown += daemon.output + daemon.errors
            for name in FolderTree.entries(below: scene.home.path) where !name.hasSuffix("/") {
                shown += try String(decoding: scene.home.read(name), as: UTF8.self)
            }
            for secret in ["hunter2", "s1gned", "k3y-s3cret", "bm9ib2R5"] {
                #expect(!shown.contains(secret), "\(secret)")
            }
            #expect(shown.contains("disk.iso"))
        }
    }
}

import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    @Suite(.timeLimit(.minutes(2)), .serialized)
    struct DaemonInputTests {
        @Test func `bad input has the right status, a sentence that helps, and changes nothing`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", "--paused", scene.workshop.url)
            let before = try await scene.downloads()
            let events = try await scene.events()
            let wrong: [([String], ErrorCode)] = [
                (["add"], .usage), (["add", "ftp://host/a"], .usage),
                (["add", scene.workshop.url, "--priority", "urgent"], .usage),
                (["list", "--state", "odd"], .usage), (["show", "7"], .notFound),
                (["pause"], .usage), (["pause", "--all", "1"], .usage),
                (["pause", "1", "7"], .notFound), (["resume", "*.zip"], .notFound),
                (["cancel", "1", "nothing"], .notFound), (["remove"], .usage),
                (["move", "1"], .usage), (["move", "--first", "--last", "1"], .usage),
                (["set", "1"], .usage), (["set", "--url", "x:y", "1"], .usage),
                (["set", "--connections", "0", "1"], .usage), (["wait", "7"], .notFound),
                (["wait"], .usage), (["events", "--after", "x"], .usage),
                (["daemon", "run", "--jobs", "0"], .usage),
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

        @Test func `moving and changing count for who begins`() async throws {
            let scene = try DaemonScene(Workshop())
            let resource = Resource(size: 1000)
            for name in ["a", "b", "c", "d"] {
                scene.workshop.serve(.resource(resource), at: "/\(name)")
            }
            let door = Latch()
            scene.workshop.serve(
                .resource(resource).holdAfterBytes(10, until: door),
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
                scene.workshop.origin.url("/d")
            )
            try await scene.succeed("move", "--first", "c")
            try await scene.succeed("move", "--last", "a")
            try await scene.succeed("set", "--priority", "high", "d")
            door.release()
            try await scene.succeed("wait", "--all")
            let started = try await scene.events().filter { $0.kind == .started }.map(\.name)
            #expect(started == ["first", "d", "c", "b", "a"])
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

import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Removals that are undone.
    @Suite(.timeLimit(.minutes(5)))
    struct DaemonUndoTests {
        private let big = Resource(size: 24 << 20)

        @Test func `removed downloads come back as they were`() async throws {
            let scene = try DaemonScene(Workshop(Resource(size: 1000)))
            try await scene.succeed("add", scene.workshop.url)
            try await scene.succeed("wait", "--all")
            try await scene.succeed(
                "add",
                "--paused",
                "--priority",
                "low",
                "http://host.example/b",
                "-H",
                "X-A: s3cret"
            )
            let before = try await scene.downloads()
            try await scene.succeed("export", "2", "-o", scene.home.path("before"))
            try await scene.succeed("remove", "1", "2")
            #expect(try await scene.downloads().isEmpty)
            let run = try await scene.succeed("undo")
            #expect(run.output.contains("restored"))
            #expect(try await scene.downloads() == before)
            try await scene.succeed("export", "2", "-o", scene.home.path("after"))
            #expect(try scene.home.read("before") == scene.home.read("after"))
            // There is nothing more to undo.
            #expect(try await scene.run("undo").status == .code(ErrorCode.notFound.exitStatus))
        }

        @Test func `a download that ran continues from its bytes`() async throws {
            let scene = try DaemonScene(Workshop())
            let latch = try await scene.addHeld(big)
            try await scene.succeed("remove", "1")
            scene.workshop.serve(.resource(big))
            let before = scene.workshop.origin.requests.count
            try await scene.succeed("undo")
            latch.release()
            try await scene.succeed("wait", "1")
            let after = scene.workshop.origin.requests.dropFirst(before)
            #expect(after.allSatisfy { $0.range != nil }, "it started over")
            try expectExact(Workshop.name, big, in: scene.workshop)
        }

        @Test func `each removal is undone by itself, the newest first`() async throws {
            let scene = try DaemonScene(Workshop())
            for name in ["a", "b", "c"] {
                try await scene.succeed("add", "--paused", "http://host.example/\(name)")
            }
            try await scene.succeed("remove", "1")
            try await scene.succeed("remove", "2", "3")
            try await scene.succeed("undo")
            #expect(try await scene.downloads().map(\.id) == [2, 3])
            try await scene.succeed("undo")
            #expect(try await scene.downloads().map(\.id) == [1, 2, 3])
        }

        @Test func `a removal with files cannot be undone`() async throws {
            let scene = try DaemonScene(Workshop())
            try await scene.succeed("add", "--paused", "http://host.example/a")
            try await scene.succeed("remove", "--with-files", "1")
            let run = try await scene.run("undo")
            #expect(run.status == .code(ErrorCode.notFound.exitStatus))
            #expect(run.errors.contains("there is no removal to undo"))
        }

        @Test
        func `a removal with files ends the offers that its client could undo, and no others`()
            async throws
        {
            let access = try await AccessScene.make()
            let scene = access.network.scene
            func remove(_ id: Int, _ authority: Authority, _ action: QueueAction) async throws {
                let path = APIPath.action(action)
                let answer = try await access.ask(
                    authority,
                    "POST",
                    path,
                    #"{"targets":["\#(id)"]}"#
                )
                #expect(answer.status == 200, "\(answer.body)")
            }
            func undo(_ authority: Authority) async throws -> [Int64] {
                let answer = try await access.ask(authority, "POST", APIPath.undo)
                #expect(answer.status == 200, "\(answer.body)")
                return try WireJSON.decode(WireOutcome.self, from: answer.body.utf8).downloads.map(
                    \.id
                )
            }
            for name in ["a", "b", "c"] {
                try await scene.succeed("add", "--paused", "http://host.example/\(name)")
            }
            // The user can undo what the page removes.
            try await remove(1, .page, .remove)
            try await remove(2, .user, .removeWithFiles)
            #expect(try await undo(.user) == [])
            #expect(try await undo(.page) == [])
            // The page cannot undo what the user removes.
            try await remove(3, .user, .remove)
            let target = scene.home.path("Downloads/d")
            let url = "http://host.example/d"
            let body = #"{"downloads":[{"url":"\#(url)","destination":"\#(target)"}]}"#
            let answer = try await access.ask(.page, "POST", APIPath.downloads, body)
            #expect(answer.status == 201, "\(answer.body)")
            try await remove(4, .page, .removeWithFiles)
            #expect(try await undo(.page) == [])
            #expect(try await undo(.user) == [3])
        }

        @Test(.needsQueueFile)
        func `the secrets of removed downloads are gone when the daemon has ended`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            try await scene.succeed("add", "--paused", "http://host.example/a", "-H", "X-A: s3cret")
            try await scene.succeed("remove", "1")
            try await scene.succeed("daemon", "stop")
            for name in scene.home.list("state/pawl") where name.hasPrefix("queue.sqlite") {
                let bytes = try scene.home.read("state/pawl/\(name)")
                #expect(!String(decoding: bytes, as: UTF8.self).contains("s3cret"), "\(name)")
            }
        }
    }
}

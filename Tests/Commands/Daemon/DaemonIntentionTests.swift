import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Kills the daemon before and after each of its operations on the disk: the next daemon knows
    /// which were done, and does the rest.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonIntentionTests {
        /// The kills: each run is killed one operation later, until a run completes.
        private static func points(_ calls: Set<FaultPlan.Call>, of path: String) -> [FaultPlan] {
            (1...12).flatMap { number in
                [FaultPlan.Action.killBefore, .killAfter].map { action in
                    var plan = FaultPlan(action, at: number, of: calls)
                    plan.path = path
                    return plan
                }
            }
        }

        private func startDaemon(
            _ scene: DaemonScene,
            _ plan: FaultPlan
        ) async throws -> ProcessRunner {
            let runner = try await scene.startDaemon(plan)
            #expect(await runner.waitForOutput(containing: "listens at"), "\(runner.errors)")
            return runner
        }

        /// Kills at each operation in turn; `act` returns when the daemon has completed or was
        /// killed.
        ///
        /// `check` examines the result of the next daemon.
        private func killAtEach(
            _ calls: Set<FaultPlan.Call>,
            of path: String,
            prepare: (DaemonScene) async throws -> Void = { _ in },
            act: (DaemonScene) async throws -> Void,
            check: (DaemonScene) async throws -> Void
        ) async throws -> Int {
            var kills = 0
            for plan in Self.points(calls, of: path) {
                let scene = try DaemonScene(Workshop(inMemory: true))
                try await prepare(scene)
                let daemon = try await startDaemon(scene, plan)
                try await act(scene)
                let isOver = try await scene.run("daemon", "stop").status == .code(0)
                await daemon.waitForExit()
                if !isOver { kills += 1 }
                let next = try await scene.startDaemon()
                try await check(scene)
                next.signal(SIGTERM)
                await next.waitForExit()
                if isOver { break }
            }
            return kills
        }

        @Test(arguments: [60_000, 12 << 20])
        func `a file with its final name is finished, whenever the daemon is killed`(
            size: Int64
        ) async throws {
            var resource = Resource(size: size)
            // Nothing but the queue knows that the file is whole.
            (resource.entityTag, resource.lastModified) = (nil, nil)
            let served = resource
            let kills = try await killAtEach([.link, .rename], of: Workshop.name) { scene in
                scene.workshop.serve(.resource(served))
            } act: { scene in
                let file = scene.workshop.folder.path(Workshop.name)
                _ = try await scene.run(
                    "add",
                    scene.workshop.url,
                    "-o",
                    file,
                    "--if-exists",
                    "fail",
                    "-x",
                    "1"
                )
                _ = try await scene.run("wait", "1")
            } check: { scene in
                let wasThere = scene.workshop.folder.list().contains(Workshop.name)
                let requests = scene.workshop.origin.snapshot.requests.count
                try await scene.succeed("wait", "1")
                try expectExact(Workshop.name, served, in: scene.workshop)
                #expect(scene.workshop.folder.list() == [Workshop.name])
                if wasThere {
                    #expect(scene.workshop.origin.snapshot.requests.count == requests)
                }
                let events = try await scene.events()
                expectSound(events)
                #expect(events.filter { $0.kind == .finished }.count == 1)
                #expect(!events.contains { $0.kind == .failed })
                // The daemon knows which download the file belongs to.
                try await scene.succeed("remove", "1", "--with-files")
                #expect(scene.workshop.folder.list().isEmpty)
            }
            #expect(kills >= 2)
        }

        @Test(arguments: [60_000, 12 << 20])
        func `a file that a rule moves is complete at one place, whenever the daemon is killed`(
            size: Int64
        ) async throws {
            let resource = Resource(size: size)
            let kills = try await killAtEach([.link, .rename], of: Workshop.name) { scene in
                scene.workshop.serve(.resource(resource))
            } act: { scene in
                // The type is that of the response, which the next daemon must know.
                let images = scene.workshop.folder.path("images")
                let rule = "name=*.iso, type=* -> \(images)"
                try await scene.succeed("daemon", "hooks", "--move", rule)
                _ = try await scene.run("add", scene.workshop.url, "-x", "1")
                _ = try await scene.run("wait", "1")
            } check: { scene in
                let wasComplete =
                    scene.workshop.folder.exists(Workshop.name)
                    || scene.workshop.folder.exists("images/disk.iso")
                let requests = scene.workshop.origin.snapshot.requests.count
                try await scene.succeed("wait", "1")
                #expect(try scene.workshop.folder.read("images/disk.iso") == resource.bytes())
                #expect(scene.workshop.folder.list() == ["images"])
                if wasComplete {
                    #expect(scene.workshop.origin.snapshot.requests.count == requests)
                }
                let row = try #require(try await scene.downloads().first)
                #expect(row.path == scene.workshop.folder.path("images/disk.iso"))
                let events = try await scene.events().filter { $0.kind != .settings }
                expectSound(events)
                #expect(events.filter { $0.kind == .finished }.map(\.path) == [row.path])
                try await scene.succeed("remove", "1", "--with-files")
                #expect(!scene.workshop.folder.exists("images/disk.iso"))
            }
            #expect(kills >= 2)
        }

        /// Between the name of the copy and the removal of the source, both exist.
        @Test(.enabled(if: TwoDisks.isAvailable))
        func `a file that a rule copies is there once, whenever the daemon is killed`()
            async throws
        {
            let resource = Resource(size: 60_000)
            let far = Observed<ScratchFolder?>(nil)
            let kills = try await killAtEach([.link, .rename, .unlink], of: Workshop.name) {
                scene in
                scene.workshop.serve(.resource(resource))
                // The downloads are in memory.
                let folder = try ScratchFolder()
                far.update { $0 = folder }
                let daemon = try await scene.startDaemon()
                try await scene.succeed("daemon", "hooks", "--move", "name=* -> \(folder.path)")
                try await scene.succeed("daemon", "stop")
                await daemon.waitForExit()
            } act: { scene in
                _ = try await scene.run("add", scene.workshop.url, "-x", "1")
                _ = try await scene.run("wait", "1")
            } check: { scene in
                let folder = try #require(far.value)
                let wasComplete =
                    scene.workshop.folder.exists(Workshop.name) || folder.exists(Workshop.name)
                let requests = scene.workshop.origin.snapshot.requests.count
                try await scene.succeed("wait", "1")
                // The old name is removed after the end is recorded.
                try await scene.workshop.folder.wait { $0.list().isEmpty }
                #expect(folder.list() == [Workshop.name])
                #expect(try folder.read(Workshop.name) == resource.bytes())
                if wasComplete {
                    #expect(scene.workshop.origin.snapshot.requests.count == requests)
                }
                #expect(try await scene.downloads().map(\.path) == [folder.path(Workshop.name)])
                try await scene.succeed("remove", "1", "--with-files")
                #expect(folder.list().isEmpty)
            }
            #expect(kills >= 3)
        }

        @Test func `a file in a folder that does not exist any more is not fetched again`()
            async throws
        {
            let scene = try DaemonScene(Workshop(Resource(size: 60_000)))
            let (images, away) = (scene.home.path("images"), scene.home.path("away"))
            var plan = FaultPlan(.killAfter, at: 1, of: [.rename])
            plan.path = "images/\(Workshop.name)"
            let daemon = try await startDaemon(scene, plan)
            try await scene.succeed("daemon", "hooks", "--move", "name=* -> \(images)")
            _ = try await scene.run("add", scene.workshop.url)
            await daemon.waitForExit()
            #expect(rename(images, away) == 0)
            let requests = scene.workshop.origin.snapshot.requests.count
            let second = try await scene.startDaemon()
            let wait = try await scene.run("wait", "1")
            #expect(wait.status == .code(ErrorCode.fileUnreadable.exitStatus), "\(wait.errors)")
            try await scene.succeed("daemon", "stop")
            await second.waitForExit()
            #expect(rename(away, images) == 0)
            let third = try await scene.startDaemon()
            try await scene.succeed("wait", "1")
            #expect(try await scene.downloads().map(\.path) == ["\(images)/\(Workshop.name)"])
            #expect(scene.workshop.origin.snapshot.requests.count == requests)
            withExtendedLifetime(third) {}
        }

        @Test(.enabled(if: TwoDisks.isAvailable))
        func `a download that is removed during a recovered move leaves no file`() async throws {
            let scene = try DaemonScene(Workshop(inMemory: true))
            scene.workshop.serve(.resource(Resource(size: 64 << 20)))
            let far = try ScratchFolder()
            // The copy is complete and has no name yet.
            var plan = FaultPlan(.killBefore, at: 1, of: [.link, .rename])
            plan.path = far.path
            let daemon = try await startDaemon(scene, plan)
            try await scene.succeed("daemon", "hooks", "--move", "name=* -> \(far.path)")
            _ = try await scene.run("add", scene.workshop.url)
            await daemon.waitForExit()
            #expect(scene.workshop.folder.exists(Workshop.name))
            let second = try await scene.startDaemon()
            try await scene.succeed("remove", "1", "--with-files")
            // The daemon stops after the remaining operations.
            try await scene.succeed("daemon", "stop")
            await second.waitForExit()
            let third = try await scene.startDaemon()
            try await scene.succeed("daemon", "stop")
            await third.waitForExit()
            #expect(scene.workshop.folder.list().isEmpty)
            #expect(far.list().isEmpty)
        }

        /// A paused download with received bytes, in an idle queue.
        private func pause(_ scene: DaemonScene, _ resource: Resource) async throws {
            let daemon = try await scene.startDaemon()
            let latch = try await scene.addHeld(resource)
            try await scene.succeed("pause", "1")
            try await scene.succeed("daemon", "stop")
            await daemon.waitForExit()
            latch.release()
            let names = scene.workshop.folder.list()
            #expect(names == ["disk.iso.part", "disk.iso.part.pawl"])
        }

        @Test func `a removed download is gone, whenever the daemon is killed`() async throws {
            let resource = Resource(size: 12 << 20)
            let kills = try await killAtEach([.unlink], of: Workshop.name) { scene in
                try await pause(scene, resource)
            } act: { scene in
                _ = try await scene.run("remove", "1", "--with-files")
            } check: { scene in
                #expect(try await scene.downloads().isEmpty)
                // The daemon stops after the remaining operations.
                try await scene.succeed("daemon", "stop")
                #expect(scene.workshop.folder.list().isEmpty)
            }
            #expect(kills >= 2)
        }

        @Test func `a cancelled running download is gone, whenever the daemon is killed`()
            async throws
        {
            let resource = Resource(size: 12 << 20)
            let kills = try await killAtEach([.unlink], of: Workshop.name) { scene in
                let held = Reply.resource(resource).holdAfterBytes(10 << 20, until: Latch())
                scene.workshop.serve(held)
            } act: { scene in
                try await scene.succeed("add", scene.workshop.url, "-x", "1")
                try await scene.workshop.folder.wait(for: Workshop.name + ".part.pawl")
                _ = try await scene.run("cancel", "1")
                // Waits until the daemon was killed or the deletion is done.
                _ = try await scene.run("wait", "1")
            } check: { scene in
                #expect(try await scene.downloads().map(\.state) == [.cancelled])
                expectSound(try await scene.events())
                // The daemon stops after the remaining operations.
                try await scene.succeed("daemon", "stop")
                #expect(scene.workshop.folder.list().isEmpty)
            }
            #expect(kills >= 2)
        }

        @Test func `a rename is complete or absent, whenever the daemon is killed`() async throws {
            let resource = Resource(size: 12 << 20)
            let kills = try await killAtEach([.rename, .link], of: "other.iso") { scene in
                try await pause(scene, resource)
            } act: { scene in
                scene.workshop.serve(.resource(resource))
                _ = try await scene.run("set", "1", "--name", "other.iso")
                _ = try await scene.run("resume", "1")
                _ = try await scene.run("wait", "1")
            } check: { scene in
                try await scene.succeed("wait", "1")
                try expectExact("other.iso", resource, in: scene.workshop)
                #expect(scene.workshop.folder.list() == ["other.iso"])
                let ranges = scene.workshop.origin.requests.dropFirst().map(\.range)
                #expect(ranges.allSatisfy { $0 != nil }, "it started over")
                #expect(try await scene.downloads().map(\.name) == ["other.iso"])
            }
            #expect(kills >= 3)
        }

        // MARK: - Only what Pawl wrote

        @Test func `a file that existed before is not removed, and is reported`() async throws {
            let scene = try DaemonScene(Workshop(Resource(size: 5000)))
            let file = try scene.workshop.folder.write("f.bin", Array("thesis".utf8))
            let daemon = try await scene.startDaemon()
            try await scene.succeed(
                "add",
                "--if-exists",
                "skip",
                "-o",
                file,
                scene.workshop.url
            )
            try await scene.succeed("wait", "1")
            let run = try await scene.run("remove", "--with-files", "1")
            #expect(run.status == .code(ErrorCode.conflict.exitStatus))
            #expect(run.errors.contains("f.bin is not the downloaded file"))
            #expect(try await scene.downloads().isEmpty)
            #expect(try scene.workshop.folder.readText("f.bin") == "thesis")
            withExtendedLifetime(daemon) {}
        }

        @Test func `a file that was changed is not removed, and is reported`() async throws {
            let scene = try DaemonScene(Workshop(Resource(size: 5000)))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.url)
            try await scene.succeed("wait", "1")
            try scene.workshop.folder.write(Workshop.name, Array("mine".utf8))
            let run = try await scene.run("remove", "--with-files", "1")
            #expect(run.status == .code(ErrorCode.conflict.exitStatus), "\(run.errors)")
            #expect(try scene.workshop.folder.readText(Workshop.name) == "mine")
            withExtendedLifetime(daemon) {}
        }

        @Test func `a file with the wrong digest is removed with its download`() async throws {
            let scene = try DaemonScene(Workshop(Resource(size: 5000)))
            let daemon = try await scene.startDaemon()
            let wrong = "md5=" + String(repeating: "0", count: 32)
            try await scene.succeed("add", "--checksum", wrong, scene.workshop.url)
            let wait = try await scene.run("wait", "1")
            #expect(wait.status == .code(ErrorCode.checksumMismatch.exitStatus))
            #expect(scene.workshop.folder.list() == ["disk.iso.corrupt"])
            try await scene.succeed("remove", "--with-files", "1")
            #expect(scene.workshop.folder.list().isEmpty)
            withExtendedLifetime(daemon) {}
        }

        @Test
        func `a numbered partial file is removed with its download, that of another tool is kept`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let resource = Resource(size: 12 << 20)
            try scene.workshop.folder.write("disk.iso.part", Array("another tool's".utf8))
            scene.serveHeld(resource)
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.url, "-x", "1")
            try await scene.workshop.folder.wait { $0.list().count >= 3 }
            try await scene.succeed("pause", "1")
            try await scene.succeed("remove", "--with-files", "1")
            #expect(scene.workshop.folder.list() == ["disk.iso.part"])
            #expect(try scene.workshop.folder.readText("disk.iso.part") == "another tool's")
            withExtendedLifetime(daemon) {}
        }
    }
}

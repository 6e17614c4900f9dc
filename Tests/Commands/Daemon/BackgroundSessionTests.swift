import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The behaviour of URLSession's background sessions, with real processes and real kills.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct BackgroundSessionTests {
        private let big = Resource(size: 24 << 20)

        private func add(
            _ name: String,
            to process: SessionProcess,
            in scene: DaemonScene,
            as file: String = Workshop.name
        ) async {
            process.type("add", name, scene.workshop.url, scene.workshop.folder.path(file))
            await process.hears("added \(name)")
        }

        /// Starts the task `one`, whose download pauses until the latch is released; returns when the
        /// origin has sent `count` bytes of it, and the daemon has a checkpoint.
        private func begin(
            _ scene: DaemonScene,
            count: Int64 = 8 << 20
        ) async throws -> (process: SessionProcess, latch: Latch) {
            let latch = scene.serveHeld(big)
            let process = try await scene.session("films")
            await add("one", to: process, in: scene)
            await scene.workshop.origin.waitForBytes(count)
            // Sent is not received.
            try await FolderWatch.wait(for: Workshop.name + ".part", in: scene.workshop.folder)
            return (process, latch)
        }

        // MARK: - The five cases

        @Test func `in the foreground: a session receives the events of its download`() async throws
        {
            let scene = try DaemonScene(Workshop(big))
            let process = try await scene.session("films")
            await process.hears("events")
            await add("one", to: process, in: scene)
            await process.hears("completed one ok")
            try expectExact(Workshop.name, big, in: scene.workshop)
            let path = scene.workshop.folder.path(Workshop.name)
            #expect(
                process.lines("response", "file", "completed", "events") == [
                    "events", "response one 200 disk.iso", "file one \(big.size) \(path)",
                    "completed one ok",
                ]
            )
            process.type("tasks")
            await process.hears("tasks []")
            process.type("finish")
            await process.hears("invalid ok")
        }

        @Test func `in the background: a stopped process receives all events later`() async throws {
            let scene = try DaemonScene(Workshop())
            let (process, latch) = try await begin(scene)
            process.runner.signal(SIGSTOP)
            latch.release()
            try await scene.succeed("wait", "--all")
            process.runner.signal(SIGCONT)
            await process.hears("completed one ok")
            #expect(process.lines("file", "completed").count == 2)
            try expectExact(Workshop.name, big, in: scene.workshop)
        }

        @Test func `killed and not reopened: the daemon continues and runs the relaunch command`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let latch = scene.serveHeld(big)
            let note = scene.home.path("relaunched")
            let process = try await scene.session(
                "films",
                "--relaunch",
                "/bin/sh",
                "-c",
                "echo \"$PAWL_SESSION\" > \(note)"
            )
            await add("one", to: process, in: scene)
            await scene.workshop.origin.waitForBytes(8 << 20)
            await process.kill()
            latch.release()
            try await FolderWatch.wait(for: "relaunched", in: scene.home)
            try expectExact(Workshop.name, big, in: scene.workshop)
            try await scene.succeed("daemon", "stop")
            #expect(try scene.home.readText("relaunched") == "films\n")
            let log = try scene.home.readText("state/pawl/daemon.log")
            #expect(log.contains("all downloads have ended, running /bin/sh"))
        }

        private func acknowledged(_ scene: DaemonScene) async throws -> Int64? {
            let run = try await scene.succeed("session", "list", "films", "--json")
            return try WireJSON.decode([WireSession].self, from: run.output.utf8).first?
                .acknowledged
        }

        @Test func `killed and reopened: the tasks, their progress and the missed events`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, latch) = try await begin(scene)
            await first.kill()
            scene.workshop.serve(.resource(Resource(size: 100_000)), at: "/small")
            // Another download of the session ends while no process is attached.
            try await scene.succeed(
                "add",
                "--session",
                "films",
                scene.workshop.origin.url("/small")
            )
            try await scene.succeed("wait", "small")
            let second = try await scene.session("films")
            await second.hears("events")
            #expect(second.lines("completed") == ["completed ? ok"])
            #expect(await second.showsTask("one", .running) > 0)
            latch.release()
            await second.hears("completed one ok")
            try expectExact(Workshop.name, big, in: scene.workshop)
            // The process reports the event and then acknowledges it.
            let last = try await scene.events().last?.id
            while try await acknowledged(scene) != last { try Task.checkCancellation() }
            await second.kill()
            // An acknowledged event is not sent again.
            let third = try await scene.session("films")
            await third.hears("events")
            #expect(third.lines("file", "completed").isEmpty)
        }

        @Test func `a session that ends with its last missed event learns that there are no more`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, latch) = try await begin(scene)
            await first.kill()
            latch.release()
            try await scene.succeed("wait", Workshop.name)
            let second = try await scene.session("films")
            second.type("tasks")
            second.type("finish")
            await second.hears("invalid ok")
            let heard = second.lines("completed", "events", "invalid")
            #expect(heard == ["completed one ok", "events", "invalid ok"])
        }

        @Test func `reopened without the session: no event is received and none is lost`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, latch) = try await begin(scene, count: 1 << 20)
            await first.kill()
            latch.release()
            let other = try await scene.session("songs")
            await other.hears("events")
            try await scene.succeed("wait", "--all")
            other.type("tasks")
            await other.hears("tasks []")
            #expect(other.lines("file", "completed").isEmpty)
            let again = try await scene.session("films")
            await again.hears("events")
            #expect(again.lines("completed") == ["completed one ok"])
            try expectExact(Workshop.name, big, in: scene.workshop)
        }

        // MARK: - Owners

        @Test func `a session has one owner until another process takes it over`() async throws {
            let scene = try DaemonScene(Workshop())
            let (first, _) = try await begin(scene)
            let second = try await scene.session("films")
            await second.hears("invalid already-running")
            #expect(second.runner.errors.contains("process \(first.runner.identifier)"))
            let third = try await scene.session("films", "--take-over")
            await first.hears("invalid already-running")
            await third.hears("events")
            #expect(await third.showsTask("one", .running) > 0)
            let sessions = try await scene.succeed("session", "list", "--json")
            #expect(sessions.output.contains("\(third.runner.identifier)"))
        }

        @Test func `a session finished at once is told that another process has it`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let first = try await scene.session("films")
            await first.hears("events")
            for _ in 0..<4 {
                let second = try await scene.session("films", "--finish")
                await second.hears("invalid already-running")
                #expect(second.lines("invalid") == ["invalid already-running"])
            }
            #expect(first.lines("invalid").isEmpty)
        }

        @Test func `a session finished at once still finishes the daemon's downloads`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, latch) = try await begin(scene)
            await first.kill()
            let second = try await scene.session("films", "--finish")
            await second.hears("events")
            latch.release()
            await second.hears("completed one ok")
            await second.hears("invalid ok")
        }

        @Test func `a killed daemon comes back, and no event is lost or repeated`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.resource(big).rate(24 << 20))
            let process = try await scene.session("films")
            await add("one", to: process, in: scene)
            for count in [4, 10, 16] {
                await scene.workshop.origin.waitForBytes(Int64(count) << 20)
                var status = try await scene.run("daemon", "status", "--json")
                // After a kill the process starts it again.
                while status.status != .code(0), !Task.isCancelled {
                    status = try await scene.run("daemon", "status", "--json")
                }
                let daemon = try WireJSON.decode(DaemonStatus.self, from: status.output.utf8)
                kill(daemon.processIdentifier, SIGKILL)
            }
            await process.hears("completed one ok")
            #expect(process.lines("file", "completed").count == 2)
            try expectExact(Workshop.name, big, in: scene.workshop)
        }
    }
}

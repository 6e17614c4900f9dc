import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The methods of tasks of a background session.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct BackgroundTaskTests {
        private let big = Resource(size: 24 << 20)

        private func wait(
            for state: TaskState,
            _ scene: DaemonScene
        ) async throws {
            while !Task.isCancelled {
                if try await scene.downloads().map(\.state) == [state] { return }
            }
        }

        @Test func `a task is suspended and resumed`() async throws {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await scene.heldTask(of: big)
            process.type("suspend", "one")
            try await wait(for: .paused, scene)
            #expect(await process.showsTask("one", .suspended) >= 0)
            scene.workshop.serve(.resource(big))
            process.type("resume", "one")
            await process.hears("completed one ok")
            try expectExact(Workshop.name, big, in: scene.workshop)
        }

        /// A task that was paused when its daemon had some MiB, and how many.
        private func pause(_ scene: DaemonScene) async throws -> (SessionProcess, bytes: Int64) {
            let (process, _) = try await scene.heldTask(of: big)
            while await process.showsTask("one", .running) < 8 << 20, !Task.isCancelled {}
            process.type("pause", "one")
            return (process, await process.showsTask("one", .paused))
        }

        @Test func `a paused task keeps its progress and reports it when it resumes`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (process, bytes) = try await pause(scene)
            #expect(bytes >= 8 << 20)
            #expect(try await scene.downloads().map(\.completedBytes).allSatisfy { $0 >= bytes })
            process.type("resumable", "one")
            #expect(await process.runner.waitForOutput(containing: "resumable one "))
            let count = process.lines("resumable one").last?.split(separator: " ").last
            #expect(Int64(count ?? "") ?? 0 >= 8 << 20, "\(process.lines("resumable"))")
            scene.workshop.serve(.resource(big))
            process.type("resume", "one")
            await process.hears("completed one ok")
            let offsets = process.lines("offset one").compactMap { line in
                line.split(separator: " ").last.flatMap { Int64($0) }
            }
            #expect(offsets.count == 1)
            #expect(offsets.allSatisfy { $0 >= 8 << 20 })
            try expectExact(Workshop.name, big, in: scene.workshop)
        }

        @Test func `a task whose file changed while it was paused reports that it starts over`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await pause(scene)
            let other = Resource(size: 20 << 20, seed: 2)
            scene.workshop.serve(.resource(other))
            process.type("resume", "one")
            await process.hears("completed one ok")
            #expect(process.lines("restarted one").count == 1)
            #expect(process.lines("offset one").isEmpty)
            try expectExact(Workshop.name, other, in: scene.workshop)
        }

        @Test func `a task follows the actions of other clients`() async throws {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await scene.heldTask(of: big)
            try await scene.succeed("pause", "--all")
            #expect(await process.showsTask("one", .paused) >= 0)
            scene.workshop.serve(.resource(big))
            try await scene.succeed("resume", "--all")
            await process.hears("completed one ok")
            try expectExact(Workshop.name, big, in: scene.workshop)
        }

        @Test func `an error of the daemon has properties in the library, options in the command`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.status(401))
            let process = try await scene.session("films")
            process.type("add", "one", scene.workshop.url, scene.workshop.folder.path("one"))
            await process.hears(
                "advice one give a name and password with `credentials`, or check them"
            )
            await process.hears("completed one unauthorized")
            let shown = try await scene.succeed("show", "1").output
            #expect(shown.contains("; give a name and password with --user, or"), "\(shown)")
        }

        @Test func `a refused download has the server's response, in a later process, too`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.status(410, body: "gone since May"))
            let first = try await scene.session("films")
            first.type("add", "one", scene.workshop.url, scene.workshop.folder.path("one"))
            await first.hears("completed one not-found")
            #expect(first.lines("refusal one") == ["refusal one 410 true gone since May"])
            await first.kill()
            let path = scene.workshop.folder.path("two")
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "--session",
                "films",
                "--output",
                path
            )
            try await scene.waitForEvents(.failed, count: 2)
            let second = try await scene.session("films")
            await second.hears("refusal ? 410 true gone since May")
        }

        @Test func `a process may be killed as soon as the daemon has its download`() async throws {
            let scene = try DaemonScene(Workshop(big))
            let process = try await scene.session("films")
            process.type("add", "one", scene.workshop.url, scene.workshop.folder.path("one"))
            process.type("handover", "one")
            await process.hears("handed over one true")
            await process.kill()
            try await scene.succeed("wait", "1")
            try expectExact("one", big, in: scene.workshop)
        }

        @Test func `nobody waits for the handover of a task that was cancelled before`()
            async throws
        {
            let scene = try DaemonScene(Workshop(big))
            let process = try await scene.session("films")
            process.type("abandon", "one", scene.workshop.url)
            await process.hears("abandoned one false")
        }

        @Test func `what is cancelled leaves nothing`() async throws {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await scene.heldTask(of: big)
            process.type("cancel", "one")
            await process.hears("completed one cancelled")
            try await wait(for: .cancelled, scene)
            try await scene.workshop.folder.wait { $0.list().isEmpty }
        }

        @Test func `its resume data resume the download elsewhere`() async throws {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await scene.heldTask(of: big)
            process.type("data", "one")
            #expect(await process.runner.waitForOutput(containing: "data one "))
            #expect(!process.lines("data").contains("data one -1"))
            await process.kill()
            #expect(try await scene.downloads().isEmpty)
            #expect(scene.workshop.folder.list().contains(Workshop.name + ".part"))
        }

        @Test func `resume data starts a task of the daemon`() async throws {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await scene.heldTask(of: big)
            process.type("data", "one")
            #expect(await process.runner.waitForOutput(containing: "data one "))
            #expect(!process.lines("data").contains("data one -1"))
            scene.workshop.serve(.resource(big))
            let before = scene.workshop.origin.requests.count
            process.type("again", "one", scene.workshop.folder.path("other.iso"))
            await process.hears("completed one ok")
            try expectExact("other.iso", big, in: scene.workshop)
            let after = scene.workshop.origin.requests.dropFirst(before)
            #expect(after.allSatisfy { $0.range != nil }, "it started over")
        }

        @Test func `bytes that the server has not confirmed are not reported as written`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await scene.heldTask(of: big)
            while await process.showsTask("one", .running) < 8 << 20, !Task.isCancelled {}
            process.type("data", "one")
            #expect(await process.runner.waitForOutput(containing: "data one "))
            // The head of the response never ends.
            scene.workshop.serve(.raw("HTTP/1.1 206 Partial Content\r\n", thenClose: false))
            let before = await process.answer("written one", beginning: "written one ")
            process.type("again", "one", scene.workshop.folder.path("other.iso"))
            while await process.showsTask("one", .running) < 8 << 20, !Task.isCancelled {}
            let held = await process.answer("written one", beginning: "written one ")
            #expect(held == before)
        }

        @Test func `a failure comes with its code, even to the next process`() async throws {
            let scene = try DaemonScene(Workshop())
            scene.serveHeld(big)
            let first = try await scene.session("films")
            first.type("add", "one", scene.workshop.url, scene.workshop.folder.path("a.iso"))
            try await FolderWatch.wait(for: "a.iso.part", in: scene.workshop.folder)
            await first.kill()
            scene.workshop.serve(.status(404))
            try await scene.succeed("pause", "--all")
            try await scene.succeed("resume", "--all")
            let waited = try await scene.run("wait", "1")
            expectFailure(.notFound, waited)
            let second = try await scene.session("films")
            await second.hears("events")
            let line = try #require(second.lines("completed").first)
            #expect(line.hasPrefix("completed one not-found data "), "\(line)")
        }

        @Test
        func `a temporary file survives a process that is killed while it receives the event`()
            async throws
        {
            let resource = Resource(size: 3 << 20)
            let scene = try DaemonScene(Workshop(resource))
            let first = try await scene.session("films", "--hang")
            first.type("temporary", "one", scene.workshop.url)
            #expect(await first.runner.waitForOutput(containing: "file one \(resource.size) "))
            await first.kill()
            let second = try await scene.session("films")
            await second.hears("completed one ok")
            #expect(second.lines("file one \(resource.size) ").count == 1)
        }

        @Test func `a stopped daemon stays stopped until it is needed`() async throws {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await scene.heldTask(of: big)
            try await scene.succeed("daemon", "stop")
            expectFailure(.daemonUnavailable, try await scene.run("daemon", "status"))
            process.type("cancel", "one")
            await process.hears("completed one cancelled")
            try await wait(for: .cancelled, scene)
        }

        @Test func `a task that ended in the meantime is reported once with its result`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (process, latch) = try await scene.heldTask(of: big)
            process.runner.signal(SIGSTOP)
            latch.release()
            try await scene.succeed("wait", "--all")
            process.type("cancel", "one")
            process.runner.signal(SIGCONT)
            await process.hears("events")
            #expect(await process.runner.waitForOutput(containing: "completed one "))
            process.type("finish")
            #expect(await process.runner.waitForOutput(containing: "invalid ok"))
            #expect(process.lines("completed").count == 1, "\(process.runner.output)")
            try expectExact(Workshop.name, big, in: scene.workshop)
        }

        @Test func `without the daemon's program a task reports what is missing`() async throws {
            let scene = try DaemonScene(Workshop(big))
            // A program that has no pawld beside it, nor in PATH, whatever is installed here.
            try scene.home.makeFolder("empty")
            let surroundings = ["PATH": scene.home.path("empty")]
            let built = BuiltProduct.path("BackgroundProbe")
            let folder = "\(built)-\(getpid())"
            try #require(mkdir(folder, 0o700) == 0 && link(built, "\(folder)/probe") == 0)
            defer {
                unlink("\(folder)/probe")
                rmdir(folder)
            }
            let process = try await scene.session(
                program: "\(folder)/probe",
                ["films"],
                surroundings
            )
            process.type("add", "one", scene.workshop.url, scene.workshop.folder.path("a.iso"))
            await process.hears("completed one daemon-unavailable")
            #expect(scene.workshop.origin.requests.isEmpty)
            process.type("finish")
            await process.hears("invalid daemon-unavailable")
        }

        @Test func `a relaunch command that is not an absolute path is an error`() async throws {
            let scene = try DaemonScene(Workshop(big))
            let process = try await scene.session("films", "--relaunch", "player", "--woken")
            await process.hears("invalid usage")
            #expect(process.runner.errors.contains("give the absolute path"))
        }

        @Test func `a temporary file waits for the next process`() async throws {
            let resource = Resource(size: 3 << 20)
            let scene = try DaemonScene(Workshop())
            let latch = Latch()
            scene.workshop.serve(.resource(resource).holdAfterBytes(1 << 20, until: latch))
            let first = try await scene.session("films")
            first.type("temporary", "one", scene.workshop.url)
            await scene.workshop.origin.waitForBytes(1)
            await first.kill()
            latch.release()
            try await scene.succeed("wait", "--all")
            let second = try await scene.session("films")
            await second.hears("completed one ok")
            let line = try #require(second.lines("file").first)
            let path = line.split(separator: " ").last.map(String.init) ?? ""
            #expect(line.hasPrefix("file one \(resource.size) "))
            #expect(path.hasPrefix(scene.home.path("cache")))
        }
    }
}

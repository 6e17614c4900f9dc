import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonTests {
        private let big = Resource(size: 24 << 20)

        @Test func `an added download is completed, listed and reported`() async throws {
            let resource = Resource(size: 3 << 20)
            let scene = try DaemonScene(Workshop(resource))
            let daemon = try await scene.startDaemon()
            let added = try await scene.succeed("add", scene.workshop.url)
            #expect(added.output == "1\tdisk.iso\n")
            let waited = try await scene.succeed("wait", "1")
            let path = scene.workshop.folder.path(Workshop.name)
            #expect(waited.output.isEmpty)
            #expect(waited.errors.hasPrefix("\(path): 3.00 MiB"), "\(waited.errors)")
            try expectExact(Workshop.name, resource, in: scene.workshop)
            let download = try #require(try await scene.downloads().first)
            #expect(download.state == .finished)
            #expect(download.path == scene.workshop.folder.path(Workshop.name))
            #expect(download.completedBytes == resource.size)
            let events = try await scene.events()
            #expect(events.map(\.kind) == [.added, .started, .finished])
            expectSound(events)
            let table = try await scene.succeed("list")
            #expect(table.output.contains("finished"))
            let shown = try await scene.succeed("show", "disk.iso")
            #expect(shown.output.contains(scene.workshop.url))
            withExtendedLifetime(daemon) {}
        }

        @Test func `a killed daemon resumes where it was`() async throws {
            let scene = try DaemonScene(Workshop())
            try await scene.leaveInTheMiddle(of: big)
            let before = scene.workshop.origin.snapshot
            scene.workshop.serve(.resource(big))
            let second = try await scene.startDaemon()
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, big, in: scene.workshop)
            #expect(scene.workshop.folder.list() == [Workshop.name])
            let after = scene.workshop.origin.requests.dropFirst(before.requests.count)
            #expect(after.allSatisfy { $0.range != nil }, "it started over")
            let events = try await scene.events()
            #expect(events.map(\.kind) == [.added, .started, .started, .finished])
            expectSound(events)
            withExtendedLifetime(second) {}
        }

        @Test func `SIGTERM stops the daemon, and the next start resumes by itself`() async throws {
            // The shutdown has 4.5 s, in which a busy machine may not run the daemon at all.
            let isInTime = try await quietRound {
                let scene = try DaemonScene(Workshop())
                let first = try await scene.startDaemon()
                try await scene.addHeld(big)
                let reader = try scene.start("events", "--after", "0", "--json")
                await reader.waitForOutput(containing: #""started""#)
                first.signal(SIGTERM)
                #expect(await first.waitForExit() == .code(0), "\(first.errors)")
                let status = await reader.waitForExit()
                #expect(status == .code(ErrorCode.daemonUnavailable.exitStatus))
                let isQuick = !first.errors.contains("too long")
                if isQuick { #expect(!scene.home.exists("run/pawl/daemon.sock")) }
                let before = scene.workshop.origin.requests.count
                scene.workshop.serve(.resource(big))
                let second = try await scene.startDaemon()
                try await scene.succeed("wait", "1")
                try expectExact(Workshop.name, big, in: scene.workshop)
                let after = scene.workshop.origin.requests.dropFirst(before)
                #expect(after.allSatisfy { $0.range != nil }, "it started over")
                withExtendedLifetime(second) {}
                return isQuick
            }
            #expect(isInTime)
        }

        @Test func `a second daemon on the same store exits and names the first`() async throws {
            let scene = try DaemonScene(Workshop())
            let first = try await scene.startDaemon()
            let second = try await scene.run("daemon", "run")
            expectFailure(.alreadyRunning, second)
            #expect(second.errors.contains("process \(first.identifier)"))
            try await scene.succeed("daemon", "status")
        }

        @Test func `pause, resume, cancel and remove`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let latch = try await scene.addHeld(big)
            try await scene.succeed("pause", "disk.iso")
            let paused = try await scene.run("wait", "1")
            #expect(paused.status == .code(ErrorCode.interrupted.exitStatus))
            #expect(try await scene.downloads().map(\.state) == [.paused])
            // A download that is already paused stays paused; a named one must be able to be
            // paused.
            try await scene.succeed("pause", "--all")
            latch.release()
            scene.workshop.serve(.resource(big))
            try await scene.succeed("resume", "*.iso")
            try await scene.succeed("wait", "--all")
            try expectExact(Workshop.name, big, in: scene.workshop)
            expectFailure(.conflict, try await scene.run("resume", "1"))
            try await scene.succeed("remove", "1", "--with-files")
            #expect(try await scene.downloads().isEmpty)
            expectSound(try await scene.events())
            withExtendedLifetime(daemon) {}
        }

        /// Whether requests to the queue have to wait.
        private func isBusy(_ scene: DaemonScene) async throws -> Bool {
            let socket = scene.home.path("run/pawl/daemon.sock")
            let url = "http://localhost/v1/settings"
            let arguments = ["-s", "-m", "0.3", "--unix-socket", socket, url]
            return try await ProcessRunner.run("curl", arguments).status == .code(28)
        }

        /// Runs a download to its end while the queue is busy for a while: the end waits for that,
        /// and so does the request of `body`.
        private func endWhileBusy(_ scene: DaemonScene, _ body: () async throws -> Void)
            async throws
        {
            let latch = Latch()
            let resource = Resource(size: 200_000)
            scene.workshop.serve(.resource(resource).holdAfterBytes(100_000, until: latch))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.url)
            await scene.workshop.origin.waitForBytes(100_000)
            let urls = (0..<20_000).map { "http://localhost:9/\($0)\n" }.joined()
            try scene.workshop.folder.write("list", Array(urls.utf8))
            let adding = try scene.start("add", "--paused", "-i", "list")
            while try await !isBusy(scene), adding.status == nil { try Task.checkCancellation() }
            latch.release()
            try await FolderWatch.wait(for: Workshop.name, in: scene.workshop.folder)
            try await body()
            await adding.waitForExit()
            withExtendedLifetime(daemon) {}
        }

        @Test func `a download that finishes while it is paused and resumed is finished`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            try await endWhileBusy(scene) {
                // Before or after the queue has received the end; in the latter case there is
                // nothing to pause.
                let pausing = try scene.start("pause", "1")
                _ = try await scene.run("resume", "1")
                await pausing.waitForExit()
                try await scene.waitForEvents(.finished, of: 1)
                let row = try #require(try await scene.downloads("1").first)
                #expect(row.state == .finished && row.problem == nil)
                #expect(try await !scene.events().contains { $0.kind == .failed })
            }
        }

        @Test func `a download that finishes while it is removed with its files leaves no file`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            try await endWhileBusy(scene) {
                try await scene.succeed("remove", "1", "--with-files")
            }
            let path = scene.workshop.folder.path(Workshop.name)
            try await ScratchFolder.wait(untilGone: path)
            #expect(scene.workshop.folder.list() == ["list"])
        }

        @Test func `what is cancelled leaves nothing`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.addHeld(big)
            try await scene.succeed("cancel", "1")
            let waited = try await scene.run("wait", "1")
            #expect(waited.status == .code(ErrorCode.cancelled.exitStatus))
            try await scene.succeed("daemon", "stop")
            #expect(await daemon.waitForExit() == .code(0))
            #expect(scene.workshop.folder.list().isEmpty)
        }

        @Test func `get adds downloads to the queue with --background`() async throws {
            let resource = Resource(size: 100_000)
            let scene = try DaemonScene(Workshop(resource))
            let daemon = try await scene.startDaemon()
            let run = try await scene.succeed("--background", scene.workshop.url)
            #expect(run.output == "1\tdisk.iso\n")
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, resource, in: scene.workshop)
            let wrong = try await scene.run("--background", "-j", "3", scene.workshop.url)
            expectFailure(.usage, wrong)
            withExtendedLifetime(daemon) {}
        }

        @Test func `a failure is stored with its reason and exit status`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.origin.url("/nothing"))
            let waited = try await scene.run("wait", "1")
            expectFailure(.notFound, waited)
            let download = try #require(try await scene.downloads().first)
            #expect(download.state == .failed)
            #expect(download.problem?.code == .notFound)
            withExtendedLifetime(daemon) {}
        }

        @Test func `add starts a daemon and stop stops it`() async throws {
            let resource = Resource(size: 100_000)
            let scene = try DaemonScene(Workshop(resource))
            try await scene.succeed("add", scene.workshop.url)
            try await scene.succeed("wait", "--all")
            try expectExact(Workshop.name, resource, in: scene.workshop)
            let start = try await scene.succeed("daemon", "start")
            #expect(start.errors.contains("is already running"))
            try await scene.succeed("daemon", "stop")
            expectFailure(.daemonUnavailable, try await scene.run("daemon", "status"))
            #expect(try scene.home.readText("state/pawl/daemon.log").contains("listens at"))
        }

        @Test func `without a daemon, each verb reports that`() async throws {
            let scene = try DaemonScene(Workshop())
            for arguments in [
                ["list"], ["show", "1"], ["pause", "1"], ["resume", "--all"], ["cancel", "1"],
                ["remove", "1"], ["wait", "1"], ["events"], ["daemon", "status"],
                ["daemon", "stop"], ["move", "--first", "1"], ["session", "list"],
                ["set", "--priority", "high", "1"], ["limit"], ["limit", "2M"],
            ] {
                let run = try await scene.workshop.run(arguments, scene.settings)
                expectFailure(.daemonUnavailable, run)
                #expect(run.errors.contains("pawl daemon start"))
            }
            #expect(scene.home.list() == ["run"])
        }
    }
}

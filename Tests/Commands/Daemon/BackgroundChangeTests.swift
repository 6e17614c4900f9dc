import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Settings, removals and moves of tasks across several processes.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct BackgroundChangeTests {
        private let big = Resource(size: 24 << 20)
        private let small = Resource(size: 300_000)

        /// Returns the one download as soon as it is so, or as it is at the end of the test's time.
        private func download(
            _ scene: DaemonScene,
            _ isRight: (WireDownload) -> Bool
        ) async throws -> WireDownload {
            while true {
                let row = try #require(try await scene.downloads().first)
                if isRight(row) || Task.isCancelled { return row }
            }
        }

        // MARK: - What is set

        @Test func `a setting of a running task reaches the daemon and the next process`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await scene.heldTask(of: big)
            process.type("set", "one", "two", "high", "1000000", "0")
            let row = try await download(scene) { $0.priority == .high }
            #expect(row.limitBytesPerSecond == 1_000_000)
            #expect(row.taskDescription == "two")
            #expect(row.state == .running)
            // Settings of another process apply to this one, too.
            try await scene.succeed("set", "--priority", "low", "--limit", "off", "1")
            while process.lines("tasks [").last?.contains(" low") != true, !Task.isCancelled {
                _ = await process.showsTask("two", .running)
            }
            await process.kill()
            let second = try await scene.session("films")
            #expect(await second.showsTask("two", .running) > 0)
        }

        @Test func `a start date that is set while a task is paused applies when it resumes`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await scene.heldTask(of: big)
            process.type("pause", "one")
            _ = try await download(scene) { $0.state == .paused }
            process.type("set", "one", "one", "high", "0", "3600")
            process.type("resume", "one")
            let row = try await download(scene) { $0.state != .paused }
            #expect(row.state == .waiting)
            #expect((row.notBefore ?? .distantPast) > Date().addingTimeInterval(3000))
        }

        @Test func `a requested start date survives a pause`() async throws {
            let scene = try DaemonScene(Workshop(small))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.url, "--not-before", "+2h")
            let date = try await scene.downloads().first?.notBefore
            try await scene.succeed("pause", "--all")
            try await scene.succeed("resume", "--all")
            let row = try #require(try await scene.downloads().first)
            #expect(row.state == .waiting)
            #expect(row.notBefore == date)
            #expect(date != nil)
            try await scene.succeed("set", "--not-before", "now", "1")
            try await scene.succeed("wait", "1")
            withExtendedLifetime(daemon) {}
        }

        @Test func `a session runs as many downloads at a time as it sets`() async throws {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await scene.heldTask(of: big, "--jobs", "1")
            process.type("add", "two", scene.workshop.url, scene.workshop.folder.path("b.iso"))
            try await scene.waitForEvents(.added, count: 2)
            scene.workshop.serve(.resource(small), at: "/small")
            try await scene.succeed("add", scene.workshop.origin.url("/small"))
            // It was added last and overtakes the download that may not start.
            try await scene.succeed("wait", "small")
            #expect(try await scene.downloads().map(\.state) == [.running, .waiting, .finished])
            let sessions = try await scene.succeed("session", "list", "--json")
            #expect(sessions.output.contains(#""maximumConcurrentDownloads" : 1"#))
            try await scene.succeed("cancel", "1")
            try await scene.waitForEvents(.started, of: 2)
        }

        @Test func `its metrics are delivered with its end`() async throws {
            let scene = try DaemonScene(Workshop(small))
            let process = try await scene.session("films")
            process.type("add", "one", scene.workshop.url, scene.workshop.folder.path("a.iso"))
            await process.hears("completed one ok")
            await process.hears("metrics one \(small.size) 1")
            let row = try #require(try await scene.downloads().first)
            #expect(row.metrics?.bytesReceived == small.size)
            #expect((row.metrics?.duration ?? .zero) > .zero)
        }

        // MARK: - What is gone

        @Test func `a download removed in the meantime is reported`() async throws {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await scene.heldTask(of: big)
            await process.kill()
            try await scene.succeed("remove", "--all")
            let second = try await scene.session("films")
            await second.hears("events")
            #expect(second.lines("completed") == ["completed one cancelled"])
            await second.kill()
            let third = try await scene.session("films")
            await third.hears("events")
            #expect(third.lines("completed").isEmpty)
        }

        @Test
        func
            `a download that finished and was removed in the meantime is reported with its result`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (process, latch) = try await scene.heldTask(of: big)
            await process.kill()
            latch.release()
            try await scene.succeed("wait", "1")
            try await scene.succeed("remove", "1")
            let path = scene.workshop.folder.path(Workshop.name)
            let second = try await scene.session("films")
            await second.hears("events")
            #expect(
                second.lines("file", "completed") == [
                    "file one \(big.size) \(path)", "completed one ok",
                ]
            )
        }

        @Test(.needsQueueFile, arguments: ["damaged", "removed"])
        func `a lost queue is reported, and events of the new one are received`(how: String)
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await scene.heldTask(of: big)
            process.runner.signal(SIGSTOP)
            try await scene.succeed("daemon", "stop")
            let store = "state/pawl/queue.sqlite"
            if how == "damaged" {
                try scene.home.write(store, Array(repeating: UInt8(ascii: "x"), count: 20_000))
            } else {
                unlink(scene.home.path(store))
            }
            try await scene.succeed("daemon", "start")
            process.runner.signal(SIGCONT)
            await process.hears("completed one cancelled")
            scene.workshop.serve(.resource(small), at: "/small")
            let path = scene.workshop.folder.path("small")
            process.type("add", "two", scene.workshop.origin.url("/small"), path)
            await process.hears("completed two ok")
        }

        @Test(.needsQueueFile)
        func `a session receives the events of downloads that resume after damage`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await scene.heldTask(of: big)
            scene.workshop.serve(.resource(small), at: "/small")
            let path = scene.workshop.folder.path("small")
            process.type("add", "two", scene.workshop.origin.url("/small"), path)
            await process.hears("completed two ok")
            process.runner.signal(SIGSTOP)
            try await scene.succeed("daemon", "stop")
            let store = "state/pawl/queue.sqlite"
            var bytes = try scene.home.read(store)
            let start = try #require(TestStore.emptyPage(of: bytes))
            for index in start..<(start + 300) { bytes[index] = 0xA5 }
            try scene.home.write(store, bytes)
            try scene.home.write(store + ".open", [])
            scene.workshop.serve(.resource(big))
            try await scene.succeed("daemon", "start")
            try await scene.succeed("wait", "1")
            #expect(scene.home.exists(store + ".damaged.1"))
            process.runner.signal(SIGCONT)
            await process.hears("completed one ok")
            #expect(process.lines("completed").count == 2)
            try expectExact(Workshop.name, big, in: scene.workshop)
        }

        // MARK: - Files

        @Test func `a file that a closure has moved is found by the next process`() async throws {
            let scene = try DaemonScene(Workshop(small))
            let first = try await scene.session("films", "--hang")
            let path = scene.workshop.folder.path("chosen/a.iso")
            first.type("choose", "one", scene.workshop.url, path)
            // The closure may block.
            await first.hears("chosen one pawl-choice")
            await first.hears("file one \(small.size) \(path)")
            await first.kill()
            let second = try await scene.session("films")
            await second.hears("completed one ok")
            #expect(second.lines("file") == ["file one \(small.size) \(path)"])
            second.type("finish")
            await second.hears("invalid ok")
            // Nothing of it is the session's own.
            second.type("tasks")
            await second.hears("tasks []")
            try expectExact("chosen/a.iso", small, in: scene.workshop)
        }

        @Test func `the request's choice for an existing file applies if a closure names the file`()
            async throws
        {
            let scene = try DaemonScene(Workshop(small))
            try scene.workshop.folder.write("a.iso", Array("old".utf8))
            let process = try await scene.session("films", "--overwrite")
            let path = scene.workshop.folder.path("a.iso")
            process.type("choose", "one", scene.workshop.url, path)
            await process.hears("file one \(small.size) \(path)")
            try expectExact("a.iso", small, in: scene.workshop)
            // What the request does not change comes from the session.
            let asked = scene.workshop.origin.requests
            #expect(!asked.isEmpty && asked.allSatisfy { $0["User-Agent"] == "probe/1" })
        }

        /// The files in the session's own folder.
        private func ownFiles(_ scene: DaemonScene) -> [String] {
            let all = try? FileManager.default.subpathsOfDirectory(atPath: scene.home.path("cache"))
            return (all ?? []).filter { $0.contains("/background/") }
                .compactMap { $0.split(separator: "/").last.map(String.init) }
                .filter { $0.prefix(1).allSatisfy(\.isNumber) }
        }

        @Test func `resume data of a temporary task survives the process and starts another one`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            scene.serveHeld(big)
            let process = try await scene.session("films")
            process.type("temporary", "one", scene.workshop.url)
            while !ownFiles(scene).contains(where: { $0.hasSuffix(".part.pawl") }) {
                try Task.checkCancellation()
                await Task.yield()
            }
            process.type("data", "one")
            #expect(await process.runner.waitForOutput(containing: "data one "))
            #expect(!process.lines("data").contains("data one -1"))
            // Another process of the session tidies up when it attaches.
            let other = try await scene.session("films", "--take-over")
            await other.hears("events")
            await other.kill()
            #expect(ownFiles(scene).contains { $0.hasSuffix(".part") })
        }

        @Test func `resume data of a temporary task starts a temporary one`() async throws {
            let scene = try DaemonScene(Workshop())
            scene.serveHeld(big)
            let process = try await scene.session("films")
            process.type("temporary", "one", scene.workshop.url)
            while !ownFiles(scene).contains(where: { $0.hasSuffix(".part.pawl") }) {
                try Task.checkCancellation()
                await Task.yield()
            }
            process.type("data", "one")
            #expect(await process.runner.waitForOutput(containing: "data one "))
            scene.workshop.serve(.resource(big))
            let before = scene.workshop.origin.requests.count
            process.type("again", "one")
            await process.hears("completed one ok")
            #expect(process.lines("file one \(big.size) ").count == 1, "\(process.runner.output)")
            // As any temporary file, it goes when its delegate has returned.
            while !ownFiles(scene).isEmpty, !Task.isCancelled { await Task.yield() }
            let after = scene.workshop.origin.requests.dropFirst(before)
            #expect(after.allSatisfy { $0.range != nil }, "it started over")
        }

        // MARK: - Relaunching

        @Test func `what a relaunch command has started ends with it`() async throws {
            let scene = try DaemonScene(Workshop())
            let note = scene.home.path("child")
            let (process, latch) = try await scene.heldTask(
                of: big,
                "--relaunch",
                "/bin/sh",
                "-c",
                "sleep 600 & echo $! > \(note).new; mv \(note).new \(note); wait"
            )
            await process.kill()
            latch.release()
            try await FolderWatch.wait(for: "child", in: scene.home)
            let text = try scene.home.readText("child").filter(\.isNumber)
            let child = try #require(pid_t(text))
            try await scene.succeed("daemon", "stop")
            // A download that no process waits for is still listed.
            let status = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
            let isGone = status.map { $0.contains(") Z ") } ?? true
            #expect(isGone)
            if !isGone { kill(child, SIGKILL) }
        }
    }
}

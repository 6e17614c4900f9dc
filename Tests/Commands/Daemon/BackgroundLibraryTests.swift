import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Libraries whose downloads the daemon runs, with real processes and real kills.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct BackgroundLibraryTests {
        private let big = Resource(size: 24 << 20)
        private static let part = "disk.iso.part"

        /// Opens the library of the workshop's folder in a process of its own.
        private func open(
            _ scene: DaemonScene,
            _ options: [String] = ["--session", "films"],
            in folder: String? = nil
        ) async throws -> SessionProcess {
            try await scene.session(
                program: BuiltProduct.path("LibraryProbe"),
                [folder ?? scene.workshop.folder.path, "shelf"] + options
            )
        }

        /// Starts the key `disk`, whose download pauses until the latch is released; returns when the
        /// daemon has 8 MiB of it.
        private func begin(
            _ scene: DaemonScene
        ) async throws -> (process: SessionProcess, latch: Latch) {
            let latch = scene.serveHeld(big)
            let process = try await open(scene)
            process.type("start", "disk", scene.workshop.url)
            await process.hears("started disk")
            await scene.workshop.origin.waitForBytes(8 << 20)
            try await FolderWatch.wait(for: Self.part, in: scene.workshop.folder)
            return (process, latch)
        }

        /// Waits until `count` keys are in a state that begins so; returns the list of keys.
        ///
        /// The process waits for the events of its library.
        @discardableResult
        private func shows(
            _ state: String,
            _ process: SessionProcess,
            count: Int = 1,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async -> String {
            let line = await process.answer("await \(count) \(state)", beginning: "keys [")
            #expect(
                line.components(separatedBy: " \(state)").count == count + 1,
                "\(line)\(process.runner.output)",
                sourceLocation: sourceLocation
            )
            return line
        }

        /// Lists the keys until the key `disk` is paused.
        ///
        /// A library has no event for a pause by another client of the daemon.
        private func showsPause(_ process: SessionProcess) async {
            var line = ""
            repeat {
                line = await keys(of: process)
            } while !line.hasPrefix("keys [disk paused") && process.runner.status == nil
                && !Task.isCancelled
            #expect(line.hasPrefix("keys [disk paused"), "\(line)")
        }

        /// Lists the keys.
        private func keys(of process: SessionProcess) async -> String {
            await process.answer("keys", beginning: "keys [")
        }

        /// The number of bytes in such a line.
        private func bytes(_ line: String) -> Int64 {
            let number = line.split(separator: " ").last?.dropLast()
            return number.flatMap { Int64($0) } ?? -1
        }

        /// The state of the only key with a complete record of `big`.
        private var finished: String {
            "finished \(big.digest(.sha256)?.description ?? "-") \(big.entityTag ?? "-")"
        }

        private func row(_ scene: DaemonScene) async throws -> WireDownload {
            try #require(try await scene.downloads().last)
        }

        // MARK: - The end of the process

        @Test func `killed: the daemon finishes the file, and the next process records it once`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, latch) = try await begin(scene)
            await first.kill()
            latch.release()
            try await scene.succeed("wait", "--all")
            try expectExact("disk.iso", big, in: scene.workshop)
            let second = try await open(scene)
            await shows(finished, second)
            // Only the file is left.
            #expect(scene.workshop.folder.list() == ["disk.iso"])
            await second.kill()
            let third = try await open(scene)
            await shows(finished, third)
            #expect(third.lines("finished", "failed", "added").isEmpty)
            #expect(try await scene.downloads().count == 1)
        }

        @Test func `killed and reopened: the key runs with its progress, and finishes`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, latch) = try await begin(scene)
            await first.kill()
            let second = try await open(scene)
            #expect(bytes(await shows("running", second)) > 0)
            latch.release()
            await second.hears("finished disk disk.iso")
            await shows(finished, second)
            try expectExact("disk.iso", big, in: scene.workshop)
            #expect(try await scene.downloads().count == 1)
        }

        @Test func `closed at once: the daemon has every download that was started`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let latch = scene.serveHeld(big)
            let first = try await open(scene)
            let keys = (0..<20).map { "key\($0)" }
            for key in keys { first.type("start", key, scene.workshop.url) }
            first.type("close")
            await first.hears("closed")
            await first.kill()
            #expect(try await scene.downloads().count == keys.count)
            latch.release()
        }

        @Test func `closed: the daemon continues, and the library can be opened again`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, latch) = try await begin(scene)
            first.type("close")
            await first.hears("closed")
            #expect(try await row(scene).state == .running)
            // The first process still exists.
            let second = try await open(scene)
            await shows("running", second)
            latch.release()
            await second.hears("finished disk disk.iso")
            #expect(first.lines("paused", "failed").isEmpty)
        }

        @Test func `a failure is kept for the next process, which retries it`() async throws {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.status(404))
            let first = try await open(scene)
            first.type("start", "disk", scene.workshop.url)
            await first.hears("failed disk not-found")
            await first.kill()
            let second = try await open(scene)
            await shows("failed not-found", second)
            scene.workshop.serve(.resource(big))
            second.type("resume", "disk")
            await second.hears("finished disk disk.iso")
            try expectExact("disk.iso", big, in: scene.workshop)
        }

        @Test func `a failure while no process is attached is reported to the next one`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, latch) = try await begin(scene)
            await first.kill()
            scene.workshop.serve(.status(404))
            // The daemon requests the rest again.
            try await scene.succeed("pause", "1")
            try await scene.succeed("resume", "1")
            try await scene.waitForEvents(.failed)
            let second = try await open(scene)
            await shows("failed not-found", second)
            #expect(scene.workshop.folder.exists(Self.part))
            latch.release()
        }

        @Test func `a failure that was recorded and not acknowledged is not reported again`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, latch) = try await begin(scene)
            await first.kill()
            scene.workshop.serve(.status(404))
            try await scene.succeed("pause", "1")
            try await scene.succeed("resume", "1")
            try await scene.waitForEvents(.failed)
            latch.release()
            // As a process leaves the note that is killed before its acknowledgement.
            let name = ".disk.pawl-download"
            let failure = #""failure":{"advice":"","code":"not-found","message":"it is gone"}"#
            let note = try scene.workshop.folder.readText(name)
            let failed = note.replacing(#""key":"#, with: failure + #","key":"#)
            try #require(failed != note)
            try scene.workshop.folder.write(name, failed)
            scene.workshop.serve(.resource(big))
            let second = try await open(scene)
            second.type("resume", "disk")
            await second.hears("finished disk disk.iso")
            #expect(second.lines("failed").isEmpty)
        }

        @Test func `a failed key that somebody resumes in the daemon is followed`() async throws {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.status(404))
            let process = try await open(scene)
            process.type("start", "disk", scene.workshop.url)
            await process.hears("failed disk not-found")
            scene.workshop.serve(.resource(big))
            try await scene.succeed("resume", "1")
            await process.hears("finished disk disk.iso")
            await shows(finished, process)
            #expect(scene.workshop.folder.list() == ["disk.iso"])
        }

        @Test func `many keys that finish while no process is attached are all recorded`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let latch = Latch()
            let count = 60
            for number in 0..<count {
                let resource = Resource(size: 200_000, seed: UInt64(number))
                let reply = Reply.resource(resource)
                // The first ones take all slots of the session until the process was killed.
                scene.workshop.serve(
                    number < 5 ? reply.holdAfterBytes(1000, until: latch) : reply,
                    at: "/\(number).bin"
                )
            }
            let first = try await open(scene)
            for number in 0..<count {
                first.type("start", "k\(number)", scene.workshop.origin.url("/\(number).bin"))
                await first.hears("started k\(number)")
            }
            try await scene.waitForEvents(.added, count: count)
            await first.kill()
            latch.release()
            try await scene.succeed("wait", "--all")
            let second = try await open(scene)
            let line = await shows("finished sha256", second, count: count)
            #expect(scene.workshop.folder.list() == (0..<count).map { "k\($0).bin" }.sorted())
            #expect(second.lines("failed").isEmpty)
            await second.kill()
            // What was recorded and not acknowledged is reported again, and changes nothing.
            let third = try await open(scene)
            #expect(await keys(of: third) == line)
            #expect(third.lines("finished", "failed").isEmpty)
        }

        // MARK: - Pausing and cancelling

        @Test func `pausing, resuming and cancelling a key act on the daemon's download`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, _) = try await begin(scene)
            scene.workshop.serve(.resource(big).holdAfterBytes(1 << 20, until: Latch()))
            first.type("pause", "disk")
            await first.hears("paused disk")
            #expect(try await row(scene).state == .paused)
            await first.kill()
            let second = try await open(scene)
            #expect(bytes(await shows("paused", second)) > 0)
            #expect(try await row(scene).state == .paused)
            second.type("resume", "disk")
            try await scene.waitForEvents(.resumed)
            await shows("running", second)
            // Another program pauses it, and the library resumes it.
            try await scene.succeed("pause", "1")
            await showsPause(second)
            second.type("resume", "disk")
            try await scene.waitForEvents(.resumed, count: 2)
            second.type("cancel", "disk")
            await second.hears("was true")
            #expect(try await row(scene).state == .cancelled)
            try await scene.workshop.folder.wait { $0.list().isEmpty }
            #expect(try await scene.downloads().count == 1)
        }

        @Test func `a paused key of an earlier process can be deleted`() async throws {
            let scene = try DaemonScene(Workshop())
            let (first, _) = try await begin(scene)
            first.type("pause", "disk")
            await first.hears("paused disk")
            await first.kill()
            let second = try await open(scene)
            second.type("delete", "disk")
            await second.hears("was true")
            #expect(try await row(scene).state == .cancelled)
            try await scene.workshop.folder.wait { $0.list().isEmpty }
        }

        // MARK: - Several processes

        @Test func `a second process sees the first one's download, and does not fetch it again`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, latch) = try await begin(scene)
            let second = try await open(scene)
            await shows("elsewhere", second)
            second.type("resume", "disk")
            await second.hears("failed disk already-running")
            latch.release()
            await first.hears("finished disk disk.iso")
            await second.hears("added disk.iso disk")
            await shows(finished, second)
            #expect(try await scene.downloads().count == 1)
        }

        @Test func `a process that takes over the session takes over its keys`() async throws {
            let scene = try DaemonScene(Workshop())
            let (first, latch) = try await begin(scene)
            let second = try await open(scene, ["--session", "films", "--take-over"])
            await shows("running", second)
            await shows("elsewhere", first)
            latch.release()
            await second.hears("finished disk disk.iso")
            await shows(finished, first)
            #expect(try await scene.downloads().count == 1)
        }

        @Test func `a library without the session leaves the daemon's download alone`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, latch) = try await begin(scene)
            await first.kill()
            let other = try await open(scene, [])
            await shows("elsewhere ?", other)
            other.type("resume", "disk")
            await other.hears("failed disk already-running")
            other.type("cancel", "disk")
            #expect(await other.runner.waitForOutput(containing: "refused cancel already-running"))
            other.type("clean")
            await other.hears("cleaned 0 kept 1")
            #expect(scene.workshop.folder.exists(Self.part))
            #expect(try await row(scene).state == .running)
            let requests = scene.workshop.origin.requests.count
            latch.release()
            try await scene.succeed("wait", "--all")
            // Nobody has recorded the file.
            other.type("resume", "disk")
            await other.hears("finished disk disk.iso")
            await shows(finished, other)
            #expect(scene.workshop.origin.requests.count == requests)
            // The session's own library finds the record.
            let second = try await open(scene)
            await shows(finished, second)
            #expect(scene.workshop.folder.list() == ["disk.iso"])
        }

        // MARK: - Other URLs and other files

        @Test func `a replaced URL continues the daemon's bytes`() async throws {
            let scene = try DaemonScene(Workshop())
            let (process, _) = try await begin(scene)
            scene.workshop.serve(.resource(big), at: "/other")
            process.type("replace", "disk", scene.workshop.origin.url("/other"))
            await process.hears("finished disk disk.iso")
            try expectExact("disk.iso", big, in: scene.workshop)
            #expect(scene.workshop.origin.requests.last?.range != nil)
        }

        @Test func `the daemon replaces a key's file, but not one that was changed meanwhile`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let old = Resource(size: 1000, seed: 7)
            scene.workshop.serve(.resource(old))
            let process = try await open(scene)
            process.type("start", "disk", scene.workshop.url)
            await process.hears("finished disk disk.iso")
            scene.workshop.serve(.resource(Resource(size: 2000, seed: 8)))
            process.type("refetch", "disk", scene.workshop.url)
            let text = "finished disk disk.iso\n"
            #expect(await process.runner.waitForOutput(containing: text, count: 2))
            #expect(try scene.workshop.folder.read("disk.iso").count == 2000)
            let latch = scene.serveHeld(big)
            process.type("refetch", "disk", scene.workshop.url)
            await scene.workshop.origin.waitForBytes(8 << 20)
            try scene.workshop.folder.write("disk.iso", "somebody's work")
            latch.release()
            await process.hears("finished disk disk.1.iso")
            #expect(try scene.workshop.folder.readText("disk.iso") == "somebody's work")
            try expectExact("disk.1.iso", big, in: scene.workshop)
        }

        // MARK: - Losses

        @Test(.needsQueueFile)
        func `a lost queue is reported, and the next request continues the bytes`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, _) = try await begin(scene)
            first.type("pause", "disk")
            await first.hears("paused disk")
            await first.kill()
            try await scene.succeed("daemon", "stop")
            try FileManager.default.removeItem(atPath: scene.home.path("state/pawl"))
            let second = try await open(scene)
            await shows("failed cancelled", second)
            #expect(scene.workshop.folder.exists(Self.part))
            scene.workshop.serve(.resource(big))
            second.type("resume", "disk")
            await second.hears("finished disk disk.iso")
            try expectExact("disk.iso", big, in: scene.workshop)
            #expect(scene.workshop.origin.requests.last?.range != nil)
        }

        @Test func `without the daemon's program a request fails, and a later process continues`()
            async throws
        {
            let scene = try DaemonScene(Workshop(big))
            // A program that has no pawld beside it, nor in PATH, whatever is installed here.
            try scene.home.makeFolder("empty")
            let built = BuiltProduct.path("LibraryProbe")
            let folder = "\(built)-\(getpid())"
            try #require(mkdir(folder, 0o700) == 0 && link(built, "\(folder)/probe") == 0)
            defer {
                unlink("\(folder)/probe")
                rmdir(folder)
            }
            let first = try await scene.session(
                program: "\(folder)/probe",
                [scene.workshop.folder.path, "shelf", "--session", "films"],
                ["PATH": scene.home.path("empty")]
            )
            first.type("start", "disk", scene.workshop.url)
            await first.hears("failed disk daemon-unavailable")
            first.type("close")
            await first.hears("closed")
            let second = try await open(scene)
            await shows("failed cancelled", second)
            second.type("resume", "disk")
            await second.hears("finished disk disk.iso")
            await shows(finished, second)
        }

        @Test(.enabled(if: ImmutableFolder.isAvailable, "only root can make a folder immutable"))
        func
            `a folder that the daemon cannot write to keeps the bytes, and the key can be retried`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let (first, latch) = try await begin(scene)
            await first.kill()
            let folder = scene.workshop.folder.path
            try #require(ImmutableFolder.set(folder, isImmutable: true))
            defer { ImmutableFolder.set(folder, isImmutable: false) }
            latch.release()
            try await scene.waitForEvents(.failed)
            ImmutableFolder.set(folder, isImmutable: false)
            let second = try await open(scene)
            await shows("failed", second)
            second.type("resume", "disk")
            await second.hears("finished disk disk.iso")
            try expectExact("disk.iso", big, in: scene.workshop)
            #expect(scene.workshop.folder.list() == ["disk.iso"])
        }

        @Test func `a folder that is renamed keeps the bytes, and the key can be retried`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let latch = scene.serveHeld(big)
            let (old, new) = (scene.home.path("old"), scene.home.path("new"))
            let first = try await open(scene, in: old)
            first.type("start", "disk", scene.workshop.url)
            await scene.workshop.origin.waitForBytes(8 << 20)
            try await FolderWatch.wait(for: "old/" + Self.part, in: scene.home)
            await first.kill()
            try #require(rename(old, new) == 0)
            latch.release()
            let second = try await open(scene, in: new)
            await shows("failed", second)
            scene.workshop.serve(.resource(big))
            second.type("resume", "disk")
            await second.hears("finished disk disk.iso")
            #expect(try big.verify(fileAt: new + "/disk.iso") == nil)
        }
    }
}

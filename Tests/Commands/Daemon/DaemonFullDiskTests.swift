import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The disk of the queue is full.
    @Suite(
        .timeLimit(.minutes(5)),
        .serialized,
        .needsQueueFile,
        .enabled(if: SmallDisk.isAvailable, "only root can mount a small disk")
    )
    struct DaemonFullDiskTests {
        private static let size = 24 << 20

        private struct Setting {
            let scene: DaemonScene
            let disk: SmallDisk
            let daemon: ProcessRunner
        }

        /// A daemon whose queue and files are on a small disk.
        private func start() async throws -> Setting {
            let scene = try DaemonScene(Workshop())
            let disk = try #require(try SmallDisk(bytes: Self.size))
            let state = scene.home.path("state")
            #expect(symlink(disk.path, state) == 0)
            let daemon = try await scene.startDaemon()
            return Setting(scene: scene, disk: disk, daemon: daemon)
        }

        /// Uses all free space of a disk.
        private func fill(_ disk: SmallDisk) {
            let file = open(disk.path + "/hog", O_WRONLY | O_CREAT, 0o600)
            defer { close(file) }
            let bytes = [UInt8](repeating: 1, count: 4096)
            while write(file, bytes, bytes.count) > 0 {}
        }

        @Test func `on a full disk downloads can be paused and removed, which frees space`()
            async throws
        {
            let setting = try await start()
            let (scene, disk) = (setting.scene, setting.disk)
            let resource = Resource(size: 12 << 20)
            let latch = scene.serveHeld(resource)
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "-x",
                "1",
                "-o",
                disk.path + "/disk.iso"
            )
            try await scene.succeed("add", "--paused", scene.workshop.url)
            // Bytes that were sent may still be on the way to the disk.
            while try await scene.downloads().first.map({ $0.completedBytes < 8 << 20 }) != false {
                try Task.checkCancellation()
            }
            fill(disk)
            // The log of the queue has some room until it is full, too.
            while try await scene.run("add", "--paused", scene.workshop.url).status == .code(0) {
                try Task.checkCancellation()
                // A download that fails gives room back.
                fill(disk)
            }
            try await scene.succeed("pause", "1")
            #expect(try await scene.downloads().first?.state == .paused)
            try await scene.succeed("remove", "--with-files", "1")
            #expect(access(disk.path + "/disk.iso.part", F_OK) != 0)
            #expect(try await scene.downloads().first?.id == 2)
            // There is room again.
            try await scene.succeed("add", "--paused", scene.workshop.url)
            latch.release()
            withExtendedLifetime(setting) {}
        }

        @Test func `the daemon reports a problem while its queue cannot be written`() async throws {
            let setting = try await start()
            let (scene, disk) = (setting.scene, setting.disk)
            let socket = scene.home.path("run/pawl/daemon.sock")
            func health() async throws -> String {
                let curl = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", socket]
                return try await ProcessRunner.run("curl", curl + ["http://d/healthz"]).output
            }
            #expect(try await health() == "200")
            fill(disk)
            while try await scene.run("add", "--paused", scene.workshop.url).status == .code(0) {
                try Task.checkCancellation()
                // A download that fails gives room back.
                fill(disk)
            }
            #expect(try await health() == "503")
            unlink(disk.path + "/hog")
            #expect(try await health() == "200")
            withExtendedLifetime(setting) {}
        }

        @Test func `the reserve is for actions that end downloads, not for new downloads`()
            async throws
        {
            let setting = try await start()
            let (scene, disk) = (setting.scene, setting.disk)
            for _ in 0..<30 { try await scene.succeed("add", "--paused", scene.workshop.url) }
            fill(disk)
            for number in 1...29 {
                try await scene.succeed(number % 2 == 0 ? "cancel" : "remove", "\(number)")
                let added = try await scene.run("add", "--paused", scene.workshop.url)
                #expect(added.status == .code(ErrorCode.diskFull.exitStatus), "\(number)")
                // Also uses the space that the other operations have freed.
                fill(disk)
            }
            unlink(disk.path + "/hog")
            try await scene.succeed("add", "--paused", scene.workshop.url)
            withExtendedLifetime(setting) {}
        }

        @Test func `with a few pages left the daemon reports a problem and adds nothing`()
            async throws
        {
            let setting = try await start()
            let (scene, disk) = (setting.scene, setting.disk)
            fill(disk)
            // Some pages are free again.
            var hog = stat()
            #expect(stat(disk.path + "/hog", &hog) == 0)
            #expect(truncate(disk.path + "/hog", hog.st_size - 64 << 10) == 0)
            let socket = scene.home.path("run/pawl/daemon.sock")
            let curl = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", socket]
            let health = try await ProcessRunner.run("curl", curl + ["http://d/healthz"])
            #expect(health.output == "503")
            let added = try await scene.run("add", "--paused", scene.workshop.url)
            #expect(added.status == .code(ErrorCode.diskFull.exitStatus))
            withExtendedLifetime(setting) {}
        }

        @Test func `a download waits for space on its disk and is retried`() async throws {
            let scene = try DaemonScene(Workshop())
            let disk = try #require(try SmallDisk(bytes: 4 << 20))
            let daemon = try await scene.startDaemon()
            // The length is unknown, so the received bytes cannot be resumed.
            scene.workshop.serve(Reply.resource(Resource(size: 8 << 20)).chunked().omitValidators)
            let events = try scene.start("events", "--after", "0", "--json")
            try await scene.succeed("add", scene.workshop.url, "-o", disk.path + "/disk.iso")
            #expect(await events.waitForOutput(containing: #""retrying""#))
            let row = try #require(try await scene.downloads().first)
            #expect(row.state == .waiting)
            #expect(row.problem?.code == .diskFull)
            #expect(row.notBefore != nil)
            #expect(row.completedBytes == 0)
            scene.workshop.serve(.resource(Resource(size: 8 << 10)))
            try await scene.succeed("resume", "1")
            try await scene.succeed("wait", "1")
            for process in [daemon, events] {
                process.signal(15)
                await process.waitForExit()
            }
        }

        /// A full disk, on which download 2 starts at a date in the future.
        ///
        /// On a slow machine the date may pass before the disk is full; then a later date is tried.
        private func startFull() async throws -> Setting {
            for seconds in [3, 10, 30, 90] {
                let setting = try await start()
                let scene = setting.scene
                scene.workshop.serve(.resource(Resource(size: 5000)))
                try await scene.succeed("add", "--paused", scene.workshop.url)
                try await scene.succeed("add", "--not-before", "+\(seconds)s", scene.workshop.url)
                fill(setting.disk)
                while try await scene.run("add", "--paused", scene.workshop.url).status == .code(0)
                {
                    try Task.checkCancellation()
                    fill(setting.disk)
                }
                let kinds = try await scene.events().filter { $0.download == 2 }.map(\.kind)
                if kinds == [.added] { return setting }
            }
            throw CancellationError()
        }

        @Test func `a command that cannot be stored starts nothing`() async throws {
            let setting = try await startFull()
            let (scene, disk) = (setting.scene, setting.disk)
            let isBehind = await setting.daemon.waitForOutput(containing: "cannot be written")
            #expect(isBehind)
            #expect(scene.workshop.origin.requests.isEmpty)
            unlink(disk.path + "/hog")
            try await scene.succeed("wait", "2")
            #expect(scene.workshop.origin.requests.count == 1)
            withExtendedLifetime(setting) {}
        }
    }
}

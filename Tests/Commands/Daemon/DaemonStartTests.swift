import Glibc
import PawlCore
import PawlTesting
import Testing

extension DaemonSuites {
    /// Commands while the daemon starts or stops.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonStartTests {
        @Test(
            .needsQueueFile,
            arguments: [
                ["list"], ["daemon", "status"], ["add", "--paused", "http://example.org/a"],
                ["daemon", "start"], ["daemon", "restart"],
            ]
        )
        func `a command waits for a daemon that is starting`(arguments: [String]) async throws {
            let scene = try DaemonScene(Workshop())
            let folders = "state/pawl/queue.sqlite.folders"
            try scene.home.makeFolder("state")
            try scene.home.makeFolder("state/pawl")
            chmod(scene.home.path("state/pawl"), 0o700)
            // The daemon reads this file while it starts, and waits for a writer of the pipe.
            try #require(mkfifo(scene.home.path(folders), 0o600) == 0)
            let daemon = try scene.start("daemon", "run")
            try await FolderWatch.wait(for: "state/pawl/queue.sqlite.open", in: scene.home)
            let opened = try Opened(scene.home.path("state/pawl/daemon.lock"))
            let asking = try scene.start(arguments, [:])
            // The command has found no socket, and looks who uses the queue.
            #expect(opened.wait())
            try await release(scene.home.path(folders))
            #expect(await asking.waitForExit() == .code(0), "\(asking.errors)")
            try await scene.succeed("daemon", "status")
            try await scene.succeed("daemon", "stop")
            #expect(await daemon.waitForExit() == .code(0))
        }

        /// Ends the wait of the process that opens the pipe, and removes the pipe.
        private func release(_ pipe: String) async throws {
            var writer: Int32 = -1
            while writer < 0 {
                try Task.checkCancellation()
                await Task.yield()
                // It fails until a process waits for a writer.
                writer = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            }
            unlink(pipe)
            close(writer)
        }

        @Test(arguments: [["list"], ["daemon", "status"]])
        func `a request between two daemons waits for the second one`(arguments: [String])
            async throws
        {
            let scene = try DaemonScene(Workshop())
            try await scene.succeed("daemon", "start")
            try await scene.succeed("daemon", "stop")
            // Another command is between the end of one daemon and the start of the next.
            let path = scene.home.path("state/pawl/daemon-commands.lock")
            let lock = open(path, O_RDWR | O_CLOEXEC)
            defer { close(lock) }
            try #require(flock(lock, LOCK_EX) == 0)
            let opened = try Opened(path)
            let asking = try scene.start(arguments, [:])
            // The request has found no daemon, and looks whether a command starts one.
            #expect(opened.wait())
            let daemon = try scene.start("daemon", "run")
            #expect(await asking.waitForExit() == .code(0), "\(asking.errors)")
            try #require(flock(lock, LOCK_UN) == 0)
            try await scene.succeed("daemon", "stop")
            #expect(await daemon.waitForExit() == .code(0))
        }

        @Test func `pawl wait continues when the daemon is restarted`() async throws {
            let scene = try DaemonScene(Workshop())
            try await scene.succeed("daemon", "start")
            let big = Resource(size: 24 << 20)
            let latch = try await scene.addHeld(big)
            let waiting = try scene.start("wait", "1")
            try await scene.succeed("daemon", "restart")
            latch.release()
            #expect(await waiting.waitForExit() == .code(0), "\(waiting.errors)")
            try expectExact(Workshop.name, big, in: scene.workshop)
            try await scene.succeed("daemon", "stop")
        }

        @Test func `commands that restart and stop the daemon at the same time all succeed`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            try await scene.succeed("daemon", "start")
            for _ in 1...3 {
                let restarts = try (1...3).map { _ in try scene.start("daemon", "restart") }
                for restart in restarts {
                    #expect(await restart.waitForExit() == .code(0), "\(restart.errors)")
                }
                try await scene.succeed("daemon", "status")
                let stop = try scene.start("daemon", "stop")
                let restart = try scene.start("daemon", "restart")
                #expect(await stop.waitForExit() == .code(0), "\(stop.errors)")
                #expect(await restart.waitForExit() == .code(0), "\(restart.errors)")
                try await scene.succeed("daemon", "start")
            }
        }
    }
}

/// Waits until a process opens a file (inotify(7)).
private final class Opened: Sendable {
    private let queue: Int32

    struct Unavailable: Error {}

    init(_ path: String) throws {
        queue = inotify_init1(Int32(IN_CLOEXEC))
        guard inotify_add_watch(queue, path, UInt32(IN_OPEN)) >= 0 else { throw Unavailable() }
    }

    deinit { close(queue) }

    /// Returns `false` if no process opens the file.
    func wait() -> Bool {
        var entry = pollfd(fd: queue, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 60_000) == 1
    }
}

import Glibc
import Pawl
import PawlCore
import PawlTesting
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StoreLockTests {
    @Test func `one daemon owns a folder, and the second reports which`() throws {
        let folder = try ScratchFolder()
        let first = try StoreLock(folder: folder.path)
        let error = #expect(throws: DownloadError.self) { try StoreLock(folder: folder.path) }
        #expect(error?.code == .alreadyRunning)
        #expect(error?.message.contains("process \(getpid())") == true)
        #expect(StoreLock.owner(in: folder.path)?.process == getpid())
        withExtendedLifetime(first) {}
    }

    @Test func `the lock shows what its daemon is doing, which never goes back`() throws {
        let folder = try ScratchFolder()
        // A daemon that was killed has left a longer line.
        try folder.write("daemon.lock", "4194304 listening\n")
        #expect(StoreLock.owner(in: folder.path) == nil)
        let lock = try StoreLock(folder: folder.path)
        #expect(lock.isInPlace)
        func phase() -> StoreLock.Phase? { StoreLock.owner(in: folder.path)?.phase }
        #expect(phase() == .starting)
        #expect(try folder.readText("daemon.lock") == "\(getpid()) starting\n")
        lock.enter(.listening)
        #expect(phase() == .listening)
        lock.enter(.stopping)
        lock.enter(.listening)
        #expect(phase() == .stopping)
        unlink(folder.path("daemon.lock"))
        #expect(!lock.isInPlace)
        try folder.write("daemon.lock", "")
        #expect(!lock.isInPlace)
    }

    @Test(arguments: [StoreLock.Phase.starting, .stopping])
    func `after some time a client reports that the daemon is still busy`(
        phase: StoreLock.Phase
    ) async throws {
        let folder = try ScratchFolder()
        let paths = try DaemonPaths.prepared(in: folder)
        let lock = try StoreLock(folder: paths.storeFolder)
        lock.enter(phase)
        let client = DaemonClient(paths, patience: .milliseconds(50))
        let error = await #expect(throws: DownloadError.self) { try await client.status() }
        #expect(error?.code == .daemonUnavailable)
        let word = phase == .starting ? "is still starting" : "is stopping"
        #expect(error?.message == "the daemon (process \(getpid())) \(word)")
        #expect(error?.advice.contains("kill") == false)
    }

    @Test func `a daemon of an earlier version that cannot be reached may have to be killed`()
        async throws
    {
        let folder = try ScratchFolder()
        let paths = try DaemonPaths.prepared(in: folder)
        let lock = try StoreLock(folder: paths.storeFolder)
        // An earlier version has written only its process.
        try folder.write("state/pawl/daemon.lock", "\(getpid())\n")
        let client = DaemonClient(paths)
        let error = await #expect(throws: DownloadError.self) { try await client.status() }
        #expect(error?.advice.contains("kill \(getpid())") == true)
        withExtendedLifetime(lock) {}
    }

    @Test func `a command waits for its turn to start or stop the daemon`() async throws {
        let folder = try ScratchFolder()
        let paths = try DaemonPaths.prepared(in: folder)
        var turn: CommandLock? = try await CommandLock(
            folder: paths.storeFolder,
            waitingAtMost: .zero
        )
        let process = DaemonClient(paths, patience: .zero).process
        let taken = await #expect(throws: DownloadError.self) { try await process.stop() }
        #expect(taken?.message.contains("another command") == true)
        withExtendedLifetime(turn) {}
        turn = nil
        let stopped = await #expect(throws: DownloadError.self) { try await process.stop() }
        #expect(stopped?.message.contains("is not running") == true)
    }
}

import Glibc
import PawlTesting
import Testing

extension DaemonSuites {
    /// The log of a daemon in the background.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonLogTests {
        @Test func `a running daemon starts a new log when the old one is too large`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            try await scene.succeed("daemon", "start")
            let first = try scene.home.readText("state/pawl/daemon.log")
            let file = open(scene.home.path("state/pawl/daemon.log"), O_WRONLY | O_APPEND)
            let years = [UInt8](repeating: UInt8(ascii: "x"), count: 4 << 20)
            #expect(Glibc.write(file, years, years.count) == years.count)
            close(file)
            // No server listens there, which is logged.
            try await scene.succeed("add", "http://127.0.0.1:1/a")
            try await FolderWatch.wait(for: "state/pawl/daemon.log.1", in: scene.home)
            #expect(try scene.home.readText("state/pawl/daemon.log.1").hasPrefix(first))
            try await scene.succeed("daemon", "stop")
            let log = try scene.home.readText("state/pawl/daemon.log")
            #expect(log.contains("127.0.0.1:1"))
            #expect(log.utf8.count < 1 << 20)
        }
    }
}

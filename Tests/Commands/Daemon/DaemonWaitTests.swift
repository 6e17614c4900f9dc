import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The results that `pawl wait` reports.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonWaitTests {
        @Test func `a download that failed before the wait began counts`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            scene.workshop.serve(.resource(Resource(size: 5000)))
            scene.workshop.serve(.status(404), at: "/missing")
            try await scene.succeed("add", "-o", "a", scene.workshop.origin.url("/missing"))
            try await scene.succeed("add", "-o", "b", scene.workshop.url)
            try await scene.succeed("add", "--paused", "-o", "c", scene.workshop.url)
            try await scene.succeed("cancel", "3")
            let first = try await scene.run("wait", "1", "2")
            #expect(first.status == .code(ErrorCode.notFound.exitStatus))
            // All have ended: that one of them failed is no news, and still the result.
            let all = try await scene.run("wait", "--all")
            #expect(all.status == .code(ErrorCode.notFound.exitStatus))
            #expect(all.errors.contains("404"), "\(all.errors)")
            try await scene.succeed("remove", "1")
            try await scene.succeed("wait", "--all")
            withExtendedLifetime(daemon) {}
        }
    }
}

import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// `pawl fleet failures`.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct FleetFailureTests {
        private let resource = Resource(size: 1000)

        @Test func `failed downloads are counted, and those of one kind are queued again`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            #expect(try await scene.succeed("fleet", "failures").output == "No failures.\n")
            let origin = scene.workshop.origin
            let folder = scene.workshop.folder.path
            for (path, status) in [("/a", 404), ("/b", 404), ("/c", 403)] {
                scene.workshop.serve(.status(status), at: path)
                try await scene.succeed("add", origin.url(path), "-d", folder)
            }
            _ = try await scene.run("wait", "--all")
            let lines = try await scene.succeed("fleet", "failures").output.split(separator: "\n")
            let cells = lines.map { $0.split(separator: " ", omittingEmptySubsequences: true) }
            #expect(cells.first?.prefix(4) == ["KIND", "COUNT", "HOST", "LAST"], "\(lines)")
            #expect(cells.dropFirst().first?.prefix(4) == ["not-found", "2", "127.0.0.1", "2"])
            #expect(cells.count == 3)
            #expect(cells.last?.dropFirst().first == "1")

            let ofHost = try await scene.succeed("fleet", "failures", "--host", "127.0.0.1")
            #expect(ofHost.output.split(separator: "\n") == lines)
            let ofOther = try await scene.succeed("fleet", "failures", "--host", "example.org")
            #expect(ofOther.output == "No failures.\n")

            for path in ["/a", "/b", "/c"] { scene.workshop.serve(.resource(resource), at: path) }
            let none = try await scene.run(
                "fleet",
                "failures",
                "--retry",
                "not-found",
                "--host",
                "example.org"
            )
            expectFailure(.notFound, none)
            let retried = try await scene.succeed("fleet", "failures", "--retry", "not-found")
            #expect(retried.output == "2 downloads queued\n")
            try await scene.succeed("wait", "1", "2")
            let states = try await scene.downloads().map(\.state)
            #expect(states == [.finished, .finished, .failed])
            let again = try await scene.run("fleet", "failures", "--retry", "not-found")
            expectFailure(.notFound, again)
            let json = try await scene.succeed("fleet", "failures", "--json").output
            let left = try WireJSON.decode(WireFailures.self, from: json.utf8)
            #expect(left.failures.map(\.download) == [3])
            withExtendedLifetime(daemon) {}
        }
    }
}

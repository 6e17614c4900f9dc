import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// `pawl fleet` with a daemon that has its queue for itself.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct FleetTests {
        @Test func `the only node is shown with what it does`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            let latch = try await scene.addHeld(Resource(size: 24 << 20))
            try await scene.succeed("add", "--paused", "http://example.org/a")
            let json = try await scene.succeed("fleet", "--json").output
            let fleet = try WireJSON.decode(WireFleet.self, from: json.utf8)
            #expect(fleet.nodes.map(\.isSelf) == [true])
            #expect(fleet.nodes.map(\.state) == [.alive])
            #expect(fleet.nodes.map(\.running) == [1])
            #expect(fleet.counts == ["running": 1, "paused": 1])
            #expect(
                fleet.hosts == [
                    WireHostQueue("127.0.0.1", counts: ["running": 1]),
                    WireHostQueue("example.org", counts: ["paused": 1]),
                ]
            )
            let text = try await scene.succeed("fleet").output
            #expect(text.hasPrefix("NODE"))
            #expect(text.contains("\nRUNNING  PAUSED  HOST\n"), "\(text)")
            // Without a terminal, the full screen is printed once.
            let top = try await scene.succeed("fleet", "top").output
            #expect(top.hasPrefix("NODE"))
            #expect(!top.contains("\u{1B}"))
            expectFailure(.conflict, try await scene.run("fleet", "drain", "a"))
            expectFailure(.usage, try await scene.run("fleet", "drain"))
            expectFailure(.usage, try await scene.run("fleet", "nod"))
            latch.release()
            withExtendedLifetime(daemon) {}
        }

        @Test func `on a terminal, the screen is drawn until q is pressed`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            var settings = scene.settings
            settings.terminal = TerminalSize(columns: 60, rows: 20)
            let run = try scene.workshop.start(arguments: ["fleet", "top"], settings)
            #expect(await run.waitForOutput(containing: "q quit"), "\(run.output)")
            try await scene.succeed("add", "--paused", "http://example.org/a")
            #expect(await run.waitForOutput(containing: "example.org"), "\(run.output)")
            run.type("q")
            #expect(await run.waitForExit() == .code(0))
            withExtendedLifetime(daemon) {}
        }
    }
}

import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// `pawl top` on a terminal, with a daemon.
    @Suite(.timeLimit(.minutes(5)))
    struct TopCommandTests {
        private func start(_ scene: DaemonScene) throws -> ProcessRunner {
            var settings = scene.settings
            settings.terminal = TerminalSize(columns: 100, rows: 20)
            return try scene.workshop.start(arguments: ["top"], settings)
        }

        private func wait(for state: TaskState, _ scene: DaemonScene) async throws {
            while !Task.isCancelled {
                if try await scene.downloads().map(\.state) == [state] { return }
            }
        }

        @Test func `keys control the downloads, and the terminal is left as it was`() async throws {
            let scene = try DaemonScene(Workshop())
            try await scene.addHeld(Resource(size: 24 << 20))
            let top = try start(scene)
            #expect(await top.waitForOutput(containing: "disk.iso"))
            top.type("p")
            try await wait(for: .paused, scene)
            #expect(await top.waitForOutput(containing: "1 paused"))
            top.type("x")
            #expect(await top.waitForOutput(containing: "removed disk.iso"))
            #expect(try await scene.downloads().isEmpty)
            top.type("u")
            try await wait(for: .paused, scene)
            top.type("q")
            #expect(await top.waitForExit() == .code(0))
            #expect(top.output.hasSuffix("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"), "\(top.errors)")
        }

        @Test func `Ctrl-C leaves the terminal as it was, too`() async throws {
            let scene = try DaemonScene(Workshop())
            try await scene.succeed("add", "--paused", "http://host.example/disk.iso")
            let top = try start(scene)
            #expect(await top.waitForOutput(containing: "disk.iso"))
            top.type("\u{3}")
            _ = await top.waitForExit()
            #expect(top.output.contains("\u{1B}[?1049l"))
        }

        @Test func `without a terminal it is a usage error`() async throws {
            let scene = try DaemonScene(Workshop())
            let run = try await scene.run("top")
            #expect(run.status == .code(ErrorCode.usage.exitStatus))
            #expect(run.errors.contains("needs a terminal"))
        }
    }
}

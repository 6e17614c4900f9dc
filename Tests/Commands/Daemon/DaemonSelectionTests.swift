import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Downloads that are selected by their state.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonSelectionTests {
        private let resource = Resource(size: 1000)

        /// A finished download (1), two failed ones (2, 3), a paused one (4) and a cancelled one (5).
        private func scene() async throws -> (DaemonScene, daemon: ProcessRunner) {
            let scene = try DaemonScene(Workshop(resource))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.url)
            for name in ["/a.iso", "/b.iso"] {
                try await scene.succeed("add", scene.workshop.origin.url(name))
            }
            for name in ["/c.iso", "/d.iso"] {
                try await scene.succeed("add", "--paused", scene.workshop.origin.url(name))
            }
            try await scene.succeed("cancel", "5")
            for id: Int64 in [2, 3] { try await scene.waitForEvents(.failed, of: id) }
            try await scene.succeed("wait", "1")
            return (scene, daemon)
        }

        private func states(_ scene: DaemonScene) async throws -> [Int64: TaskState] {
            Dictionary(
                uniqueKeysWithValues: try await scene.downloads().map { ($0.id, $0.state) }
            )
        }

        @Test func `all failed downloads are retried, and no others`() async throws {
            let (scene, daemon) = try await scene()
            scene.workshop.serve(.resource(resource), at: "/a.iso")
            scene.workshop.serve(.resource(resource), at: "/b.iso")
            let retried = try await scene.succeed("retry", "--all")
            #expect(retried.output == "2\tqueued\ta.iso\n3\tqueued\tb.iso\n")
            try await scene.succeed("wait", "2", "3")
            #expect(
                try await states(scene)
                    == [1: .finished, 2: .finished, 3: .finished, 4: .paused, 5: .cancelled]
            )
            let none = try await scene.succeed("retry", "--all")
            #expect(none.output.isEmpty)
            let paused = try await scene.run("retry", "c.iso")
            expectError(.notFound, paused)
            #expect(paused.errors.contains("no cancelled, failed or waiting download matches"))
            scene.workshop.serve(.resource(resource), at: "/d.iso")
            try await scene.succeed("retry", "d.iso")
            try await scene.succeed("wait", "5")
            withExtendedLifetime(daemon) {}
        }

        @Test func `finished and cancelled downloads are cleared, and their files stay`()
            async throws
        {
            let (scene, daemon) = try await scene()
            let cleared = try await scene.succeed("clear")
            #expect(cleared.output == "1\tremoved\tdisk.iso\n5\tremoved\td.iso\n")
            #expect(try await states(scene) == [2: .failed, 3: .failed, 4: .paused])
            try expectExact(Workshop.name, resource, in: scene.workshop)
            try await scene.succeed("clear", "--state", "failed", "a.*")
            #expect(try await states(scene) == [3: .failed, 4: .paused])
            expectFailure(.usage, try await scene.run("clear", "--state", "paused"))
            expectError(.notFound, try await scene.run("clear", "c.iso"))
            #expect(try await scene.succeed("clear").output.isEmpty)
            withExtendedLifetime(daemon) {}
        }

        @Test(.needsQueueFile) func `old downloads leave the list, and their files stay`()
            async throws
        {
            let (scene, daemon) = try await scene()
            try await scene.succeed("daemon", "stop")
            await daemon.waitForExit()
            let store = try SQLiteStore(path: scene.home.path("state/pawl/queue.sqlite"))
            try store.write { transaction in
                for (id, days) in [1: 91.0, 2: 100, 3: 89] {
                    guard var row = try transaction.downloads.find(Int64(id)) else { continue }
                    row.endedAt = Date().addingTimeInterval(-days * 86_400)
                    try transaction.downloads.save(row)
                }
            }
            try store.close()
            let second = try await scene.startDaemon()
            try await scene.waitForEvents(.removed, count: 2)
            #expect(try await states(scene) == [3: .failed, 4: .paused, 5: .cancelled])
            try expectExact(Workshop.name, resource, in: scene.workshop)
            expectSound(try await scene.events())
            withExtendedLifetime(second) {}
        }

        @Test func `the limits of the history are shown and remembered`() async throws {
            let (scene, daemon) = try await scene()
            let limits = try await scene.succeed("limit", "--history", "2", "--history-days", "7")
            let line = "history    newest 2, up to 7 days\n"
            #expect(limits.output.contains(line), "\(limits.output)")
            // Each ended download stays for a minute, so that clients can see its end.
            #expect(try await states(scene).count == 5)
            expectFailure(.usage, try await scene.run("limit", "--history-days", "0"))
            try await scene.succeed("daemon", "restart")
            await daemon.waitForExit()
            #expect(try await scene.succeed("limit").output.contains(line))
            try await scene.succeed("daemon", "stop")
        }

        @Test func `a state alone selects all downloads in it`() async throws {
            let (scene, daemon) = try await scene()
            let resumed = try await scene.succeed("cancel", "--state", "paused,failed")
            #expect(
                resumed.output
                    == "2\tcancelled\ta.iso\n3\tcancelled\tb.iso\n4\tcancelled\tc.iso\n"
            )
            #expect(try await scene.downloads("--state", "finished").map(\.id) == [1])
            try await scene.succeed("resume", "--state", "cancelled", "d.iso")
            #expect(
                try await scene.succeed("remove", "--state", "finished").output.hasPrefix("1\t")
            )
            expectFailure(.usage, try await scene.run("pause", "--state", "halted"))
            expectFailure(.usage, try await scene.run("pause"))
            expectFailure(.usage, try await scene.run("pause", "--all", "1"))
            expectFailure(.usage, try await scene.run("retry", "--state", "paused"))
            let moved = ["set", "--state", "failed", "--url", scene.workshop.url]
            let several = try await scene.workshop.run(moved, scene.settings)
            expectFailure(.usage, several)
            #expect(several.errors.contains("cannot be used with several downloads"))
            withExtendedLifetime(daemon) {}
        }
    }
}

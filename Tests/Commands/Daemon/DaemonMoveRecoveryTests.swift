import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Moves that an earlier daemon has not finished.
    @Suite(.timeLimit(.minutes(5)), .serialized, .enabled(if: TwoDisks.isAvailable))
    struct DaemonMoveRecoveryTests {
        private let resource = Resource(size: 60_000)

        /// A daemon that was killed when the copy of a file was complete and had no name yet.
        private struct Setting {
            let scene: DaemonScene
            /// The folder of the rule, on another disk than the downloads.
            let far: ScratchFolder
            let requests: Int
        }

        private func leaveMove() async throws -> Setting {
            let scene = try DaemonScene(Workshop(inMemory: true))
            scene.workshop.serve(.resource(resource))
            let far = try ScratchFolder()
            // The other disk refuses the first call, a rename.
            var plan = FaultPlan(.killBefore, at: 2, of: [.link, .rename])
            plan.path = far.path
            let daemon = try await scene.startDaemon(plan)
            #expect(await daemon.waitForOutput(containing: "listens at"), "\(daemon.errors)")
            try await scene.succeed("daemon", "hooks", "--move", "name=* -> \(far.path)")
            _ = try await scene.run("add", scene.workshop.url)
            await daemon.waitForExit()
            #expect(scene.workshop.folder.exists(Workshop.name))
            let requests = scene.workshop.origin.snapshot.requests.count
            return Setting(scene: scene, far: far, requests: requests)
        }

        /// Expects that the download has ended once, and that its file is complete at one path.
        private func expectMoved(_ setting: Setting, as names: Set<String>) async throws {
            let scene = setting.scene
            try await scene.succeed("wait", "1")
            try await scene.workshop.folder.wait { $0.list().isEmpty }
            let found = setting.far.list()
            #expect(found.count == 1 && names.isSuperset(of: found), "\(found)")
            let name = try #require(found.first)
            #expect(try setting.far.read(name) == resource.bytes())
            #expect(try await scene.downloads().map(\.path) == [setting.far.path(name)])
            #expect(scene.workshop.origin.snapshot.requests.count == setting.requests)
            let events = try await scene.events()
            #expect(events.filter { $0.kind == .finished }.count == 1)
            #expect(!events.contains { $0.kind == .failed })
        }

        @Test func `a rename while a recovered move runs leaves one complete file`() async throws {
            let setting = try await leaveMove()
            let daemon = try await setting.scene.startDaemon()
            // It comes before the end of the move or after it, and may be refused.
            _ = try await setting.scene.run("set", "1", "--name", "other.iso")
            try await expectMoved(setting, as: [Workshop.name, "other.iso"])
            // A later rename works.
            let renamed = try await setting.scene.run("set", "1", "--name", "last.iso")
            if renamed.status == .code(0) {
                #expect(setting.far.list() == ["last.iso"])
            } else {
                #expect(setting.far.list().count == 1)
            }
            withExtendedLifetime(daemon) {}
        }

        @Test(.needsQueueFile)
        func `a recovered move that cannot be recorded at first is recorded by the next try`()
            async throws
        {
            let setting = try await leaveMove()
            let scene = setting.scene
            let call = try HeldCall()
            var plan = FaultPlan(call.action, at: 2, of: [.link, .rename])
            plan.path = setting.far.path
            let daemon = try await scene.startDaemon(plan)
            // The copy is about to get its name. From then on, no write of the queue succeeds.
            let holder = try await call.reached()
            let (queue, away) = (
                scene.home.path("state/pawl/queue.sqlite"), scene.home.path("away")
            )
            try #require(rename(queue, away) == 0)
            holder.signal(SIGKILL)
            let hasFailed = await daemon.waitForOutput(
                containing: "the move of download 1 cannot be recorded"
            )
            #expect(hasFailed, "\(daemon.errors)")
            #expect(setting.far.list() == [Workshop.name])
            try #require(rename(away, queue) == 0)
            try await expectMoved(setting, as: [Workshop.name])
            withExtendedLifetime(daemon) {}
        }

        @Test func `a complete download whose end is not recorded yet cannot be cancelled`()
            async throws
        {
            let scene = try DaemonScene(Workshop(resource))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.url)
            // The cancellation comes before the end of the run, or is refused.
            let cancelled = try await scene.run("cancel", "1")
            _ = try await scene.run("wait", "1")
            let row = try #require(try await scene.downloads().first)
            let kinds = try await scene.events().map(\.kind)
            if cancelled.status == .code(0) {
                #expect(row.state == .cancelled && !kinds.contains(.finished))
            } else {
                #expect(row.state == .finished && !kinds.contains(.cancelled))
            }
            withExtendedLifetime(daemon) {}
        }
    }
}

import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// Actions that come while a run ends.
    @Suite(.timeLimit(.minutes(5)))
    struct DaemonEndingTests {
        private let resource = Resource(size: 60_000)

        /// A download whose run waits in a system call on its file.
        private struct Setting {
            let scene: DaemonScene
            let daemon: ProcessRunner
            /// The run continues when this process ends.
            let holder: ProcessRunner
        }

        private func hold(
            _ calls: Set<FaultPlan.Call>,
            of path: (DaemonScene) -> String
        ) async throws -> Setting {
            let scene = try DaemonScene(Workshop(resource))
            let call = try HeldCall()
            var plan = FaultPlan(call.action, at: 1, of: calls)
            plan.path = path(scene)
            let daemon = try await scene.startDaemon(plan)
            #expect(await daemon.waitForOutput(containing: "listens at"), "\(daemon.errors)")
            try await scene.succeed("add", scene.workshop.url)
            let holder = try await call.reached()
            return Setting(scene: scene, daemon: daemon, holder: holder)
        }

        @Test func `a file that is getting its name can be neither cancelled nor paused`()
            async throws
        {
            let setting = try await hold([.link, .rename]) { _ in Workshop.name }
            let scene = setting.scene
            for action in ["cancel", "pause"] {
                let run = try await scene.run(action, "1")
                expectFailure(.conflict, run)
                #expect(run.errors.contains("its end is being recorded"), "\(run.errors)")
            }
            // Those that are not named are left out.
            try await scene.succeed("pause", "--all")
            setting.holder.signal(SIGKILL)
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, resource, in: scene.workshop)
            let kinds = Set(try await scene.events().map(\.kind))
            #expect(kinds.contains(.finished))
            #expect(kinds.isDisjoint(with: [.cancelled, .paused]), "\(kinds)")
            withExtendedLifetime(setting) {}
        }

        @Test func `a download that is cancelled before its file may get its name does not finish`()
            async throws
        {
            // All bytes are received, and the file is synced.
            let setting = try await hold([.fdatasync, .fsync]) { $0.workshop.folder.path }
            let scene = setting.scene
            try await scene.succeed("cancel", "1")
            setting.holder.signal(SIGKILL)
            // The daemon stops when its runs have ended.
            try await scene.succeed("daemon", "stop")
            await setting.daemon.waitForExit()
            let next = try await scene.startDaemon()
            #expect(try await scene.downloads().map(\.state) == [.cancelled])
            let kinds = try await scene.events().map(\.kind)
            #expect(kinds.contains(.cancelled) && !kinds.contains(.finished), "\(kinds)")
            #expect(scene.workshop.folder.list().isEmpty)
            withExtendedLifetime(next) {}
        }
    }
}

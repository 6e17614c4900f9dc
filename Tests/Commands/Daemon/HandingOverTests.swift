import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The command that Ctrl-C on a terminal prints, run with a real daemon.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct HandingOverTests {
        private let resource = Resource(size: 12 << 20)

        private func onTerminal(_ scene: DaemonScene) -> ProcessSettings {
            var settings = scene.settings
            settings.terminal = TerminalSize(columns: 300, rows: 24)
            return settings
        }

        /// The command that the terminal shows.
        private func shownCommand(_ runner: ProcessRunner) -> String? {
            runner.output.split(whereSeparator: \.isNewline).compactMap { line in
                line.firstRange(of: "To continue in the background: ").map {
                    String(line[$0.upperBound...])
                }
            }.last
        }

        /// Runs it as a shell does that has `pawl` in its path.
        private func carryOut(_ command: String, _ scene: DaemonScene) async throws
            -> FinishedProcess
        {
            let folder = Workshop.program.split(separator: "/").dropLast().joined(separator: "/")
            return try await ProcessRunner.run(
                "sh",
                ["-c", "PATH=/\(folder):$PATH; \(command)"],
                scene.workshop.complete(scene.settings)
            )
        }

        @Test func `the printed command resumes from the partial file in the background`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let runner = try await scene.workshop.begin(
                resource,
                [scene.workshop.url],
                onTerminal(scene)
            )
            runner.type("\u{3}")
            #expect(await runner.waitForExit() == .code(7))
            let command = try #require(shownCommand(runner), "\(runner.output)")
            #expect(
                command == "pawl get --background --connections 1 \(scene.workshop.url)"
            )
            let kept = try await Inspection.of("disk.iso.part", in: scene.workshop).claimed
            #expect(kept.count >= 8 << 20)
            let before = scene.workshop.origin.requests.count
            scene.workshop.serve(.resource(resource))
            let run = try await carryOut(command, scene)
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(run.output == "1\tdisk.iso\n")
            try await scene.succeed("wait", "1")
            try expectExact(Workshop.name, resource, in: scene.workshop)
            #expect(scene.workshop.folder.list() == [Workshop.name])
            for request in scene.workshop.origin.requests.dropFirst(before) {
                let asked = try #require(request.range?.resolve(size: resource.size))
                #expect(kept.intersection(RangeSet(asked)).isEmpty)
            }
        }

        @Test func `the unfinished ones of several downloads are added with their options`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let small = Resource(size: 1000)
            scene.workshop.serve(.resource(small), at: "/small")
            for name in ["a", "b"] {
                let reply = Reply.resource(resource).holdAfterBytes(10 << 20, until: Latch())
                scene.workshop.serve(reply, at: "/\(name)")
            }
            let urls = ["small", "a", "b"].map { scene.workshop.origin.url("/\($0)") }
            let runner = try scene.workshop.start(
                arguments: ["-x", "1", "-d", "to here"] + urls,
                onTerminal(scene)
            )
            for name in ["small", "a.part", "b.part"] {
                try await FolderWatch.wait(for: "to here/\(name)", in: scene.workshop.folder)
            }
            runner.type("\u{3}")
            #expect(await runner.waitForExit() == .code(7))
            let command = try #require(shownCommand(runner), "\(runner.output)")
            #expect(
                command
                    == "pawl get --background --directory 'to here' --connections 1 \(urls[1]) \(urls[2])"
            )
            let before = scene.workshop.origin.requests.count
            for name in ["a", "b"] { scene.workshop.serve(.resource(resource), at: "/\(name)") }
            let run = try await carryOut(command, scene)
            #expect(run.output == "1\ta\n2\tb\n", "\(run.errors)")
            try await scene.succeed("wait", "1", "2")
            for name in ["a", "b"] {
                try expectExact("to here/\(name)", resource, in: scene.workshop)
            }
            #expect(scene.workshop.folder.list("to here") == ["a", "b", "small"])
            let after = scene.workshop.origin.requests.dropFirst(before)
            #expect(after.allSatisfy { $0.range != nil }, "it started over")
        }

        @Test func `the output of get --background follows its options`() async throws {
            let scene = try DaemonScene(Workshop(resource))
            let daemon = try await scene.startDaemon()
            let get = ["get", "--background", scene.workshop.url]
            let json = try await scene.workshop.run(get + ["--progress", "json"], scene.settings)
            let outcome = try WireJSON.decode(WireOutcome.self, from: json.output.utf8)
            #expect(outcome.downloads.map(\.id) == [1])
            let quiet = try await scene.workshop.run(get + ["-q"], scene.settings)
            #expect(quiet.status == .code(0))
            #expect(quiet.everything.isEmpty)
            #expect(try await scene.downloads().count == 2)
            withExtendedLifetime(daemon) {}
        }

        @Test func `no command is printed without a terminal or with --quiet`()
            async throws
        {
            for (isTerminal, options) in [(false, [String]()), (true, ["-q"])] {
                let scene = try DaemonScene(Workshop())
                let runner = try await scene.workshop.begin(
                    resource,
                    [scene.workshop.url] + options,
                    isTerminal ? onTerminal(scene) : scene.settings
                )
                runner.signal(SIGINT)
                #expect(await runner.waitForExit() == .code(7))
                #expect(!(runner.output + runner.errors).contains("background"))
                #expect(!scene.home.exists("run/pawl"))
            }
        }
    }
}

import FoundationEssentials
import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// The output of the verbs: order, times, results, and errors of writing.
    @Suite(.timeLimit(.minutes(5)), .serialized)
    struct DaemonShowingTests {
        @Test func `a running move is shown in the table and in JSON`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            for name in ["a", "b", "c"] {
                try await scene.succeed("add", "--paused", scene.workshop.origin.url("/\(name)"))
            }
            try await scene.succeed("move", "--first", "3")
            try await scene.succeed("move", "--before", "1", "2")
            let table = try await scene.succeed("list").output.split(separator: "\n").dropFirst()
            #expect(table.map { $0.split(separator: " ").last } == ["c", "b", "a"])
            let json = try await scene.succeed("list", "--json").output
            let rows = try WireJSON.decode([WireDownload].self, from: json.utf8)
            #expect(rows.map(\.id) == [3, 2, 1])
            withExtendedLifetime(daemon) {}
        }

        @Test func `a pipe gets complete names and the reasons of failures`() async throws {
            let name = String(repeating: "long-", count: 40) + "end.iso"
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.status(404), at: "/\(name)")
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.origin.url("/\(name)"))
            let waited = try await scene.run("wait", "1")
            expectFailure(.notFound, waited)
            let list = try await scene.succeed("list").output
            #expect(list.contains(" \(name)  "), "\(list)")
            #expect(list.contains("404"), "\(list)")
            withExtendedLifetime(daemon) {}
        }

        @Test func `the advice of a stored error names options in the command, members in JSON`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.status(401))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.url)
            let waited = try await scene.run("wait", "1")
            expectFailure(.unauthorized, waited)
            #expect(waited.errors.contains("name and password with --user"), "\(waited.errors)")
            let shown = try await scene.succeed("show", "1").output
            #expect(shown.contains("name and password with --user"), "\(shown)")
            let problem = try #require(try await scene.downloads().first?.problem)
            #expect(problem.advice?.contains("name and password with `credentials`") == true)
            withExtendedLifetime(daemon) {}
        }

        @Test
        func `the advice to repeat a download of the queue names the command that resumes it`()
            async throws
        {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", "--retries", "0", "http://127.0.0.1:1/a")
            let waited = try await scene.run("wait", "1")
            expectFailure(.network, waited)
            #expect(waited.errors.contains("; run 'pawl resume 1'"), "\(waited.errors)")
            let shown = try await scene.succeed("show", "1").output
            #expect(shown.contains("; run 'pawl resume 1'"), "\(shown)")
            #expect(!shown.contains("the same command"), "\(shown)")
            withExtendedLifetime(daemon) {}
        }

        @Test func `times are local with their offset from UTC`() async throws {
            let scene = try DaemonScene(Workshop())
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", "--paused", scene.workshop.url)
            for arguments in [["show", "1"], ["events", "--past"]] {
                let runner = try scene.start(arguments, ["TZ": "XYZ-05:30"])
                #expect(await runner.waitForExit() == .code(0), "\(runner.errors)")
                let text = runner.output
                let time = try #require(text.firstMatch(of: /[-0-9]{10}T[:0-9]{8}\+05:30/))
                let date = try Date(String(time.output), strategy: .iso8601)
                #expect(abs(date.timeIntervalSinceNow) < 300, "\(text)")
            }
            withExtendedLifetime(daemon) {}
        }

        @Test func `wait reports each result, and none with --quiet`() async throws {
            let scene = try DaemonScene(Workshop(Resource(size: 3 << 20)))
            let latch = Latch()
            let held = Reply.resource(Resource(size: 200_000)).holdAfterBytes(100, until: latch)
            scene.workshop.serve(held, at: "/late")
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.url)
            try await scene.succeed("add", scene.workshop.origin.url("/late"))
            let waiting = try scene.start("wait", "1", "2")
            let path = scene.workshop.folder.path(Workshop.name)
            #expect(await waiting.waitForOutput(containing: "\(path): 3.00 MiB"))
            #expect(waiting.status == nil)
            latch.release()
            #expect(await waiting.waitForExit() == .code(0))
            #expect(waiting.errors.split(separator: "\n").count == 2, "\(waiting.errors)")
            #expect(waiting.output.isEmpty)
            #expect(try await scene.succeed("wait", "-q", "1", "2").everything.isEmpty)
            let json = try await scene.succeed("wait", "--json", "1", "2")
            #expect(json.errors.isEmpty)
            let rows = try WireJSON.decode([WireDownload].self, from: json.output.utf8)
            #expect(rows.map(\.id) == [1, 2])
            withExtendedLifetime(daemon) {}
        }

        @Test func `wait shows progress on a terminal`() async throws {
            let scene = try DaemonScene(Workshop())
            let latch = Latch()
            let resource = Resource(size: 24 << 20)
            scene.workshop.serve(.resource(resource).holdAfterBytes(6 << 20, until: latch))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", "-x", "1", scene.workshop.url)
            var settings = scene.settings
            settings.terminal = TerminalSize(columns: 100, rows: 10)
            let waiting = try scene.workshop.start(arguments: ["wait", "1"], settings)
            #expect(await waiting.waitForOutput(containing: "/24.0 MiB"), "\(waiting.output)")
            latch.release()
            #expect(await waiting.waitForExit() == .code(0))
            #expect(waiting.output.contains("✓"))
            withExtendedLifetime(daemon) {}
        }

        @Test func `every verb reports output that cannot be written`() async throws {
            let scene = try DaemonScene(Workshop(Resource(size: 1000)))
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", "--paused", "--session", "s", scene.workshop.url)
            try scene.workshop.folder.write("x.part", [1])
            let verbs = [
                "--version", "--help", "help list", "list", "list --json", "show 1", "pause 1",
                "events --past", "wait --json 1", "session list", "daemon status", "limit",
                "set --priority low 1", "move --first 1", "add --paused http://localhost:9/f",
                "remove 1", "get --progress json \(scene.workshop.url)",
            ]
            for verb in verbs {
                let words = verb.split(separator: " ").map(String.init)
                let run = try await ProcessRunner.run(
                    "sh",
                    ["-c", "exec \"$0\" \"$@\" >/dev/full", Workshop.program] + words,
                    scene.workshop.complete(scene.settings)
                )
                guard case .code(let status) = run.status else {
                    Issue.record("\(verb): \(run.status)")
                    continue
                }
                #expect(status != 0, "\(verb)")
                let reason = "writing to standard output failed: No space left on device"
                #expect(run.errors.contains(reason), "\(verb): \(run.errors)")
            }
            // A reader that closes the pipe early is not an error.
            let early = try await ProcessRunner.run(
                "sh",
                ["-c", "(\"$0\" help get; echo $? >status) | true", Workshop.program],
                scene.workshop.complete(scene.settings)
            )
            #expect(early.errors.isEmpty)
            #expect(try scene.workshop.folder.readText("status") == "0\n")
            withExtendedLifetime(daemon) {}
        }
    }
}

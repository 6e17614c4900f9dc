import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

extension DaemonSuites {
    /// What the daemon does when a download starts, finishes or fails.
    @Suite(.timeLimit(.minutes(5)))
    struct DaemonHookTests {
        private let file = Resource(size: 100_000)

        @Test func `programs run for the start and the end of a download`() async throws {
            let scene = try DaemonScene(Workshop(file))
            let notes = try HookNotes(in: scene.home)
            let daemon = try await scene.startDaemon()
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "--session",
                "films",
                "--on-start",
                notes.command("start"),
                "--on-complete",
                notes.command("end", "well")
            )
            let start = try await notes.read("start")
            #expect(start.facts.event == .start)
            #expect(start.variables["PAWL_DOWNLOAD_PATH"] == nil)
            let end = try await notes.read("end")
            let path = scene.workshop.folder.path(Workshop.name)
            #expect(end.facts.event == .complete)
            #expect(end.facts.path == path)
            #expect(end.facts.completedBytes == 100_000)
            #expect(end.facts.session == "films")
            #expect(end.variables["PAWL_EVENT"] == "complete")
            #expect(end.variables["PAWL_DOWNLOAD_ID"] == "1")
            #expect(end.variables["PAWL_DOWNLOAD_PATH"] == path)
            #expect(end.variables["PAWL_DOWNLOAD_BYTES"] == "100000")
            #expect(end.variables["PAWL_DOWNLOAD_URL"] == scene.workshop.url)
            // What a program prints is in the log, and so is its end.
            #expect(await daemon.waitForOutput(containing: "noted well"))
            #expect(await daemon.waitForOutput(containing: "note' ended with status 0"))
        }

        @Test(arguments: [true, false])
        func `programs get the user's password of a database, unless the queue is in one`(
            isInDatabase: Bool
        ) async throws {
            var store = "sqlite"
            if isInDatabase {
                let cluster = try await PostgresCluster.shared()
                store = cluster.address(try await cluster.makeDatabase())
            }
            let scene = try DaemonScene(Workshop(file), store: store)
            let notes = try HookNotes(in: scene.home)
            let environment: [String: String] = ["PGPASSWORD": PostgresCluster.password]
            let start = try scene.start(["daemon", "start"], environment)
            #expect(await start.waitForExit() == .code(0), "\(start.errors)")
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "--on-complete",
                notes.command("end")
            )
            let end = try await notes.read("end")
            #expect(end.variables["PAWL_EVENT"] == "complete")
            let password = isInDatabase ? nil : PostgresCluster.password
            #expect(end.variables["PGPASSWORD"] == password)
        }

        @Test func `a program runs for a failed download, and gets the reason`() async throws {
            let scene = try DaemonScene(Workshop())
            scene.workshop.serve(.status(410))
            let notes = try HookNotes(in: scene.home)
            try await scene.succeed("add", scene.workshop.url, "--on-error", notes.command("error"))
            let note = try await notes.read("error")
            #expect(note.facts.event == .error)
            #expect(note.facts.problem?.code == .notFound)
            #expect(note.variables["PAWL_DOWNLOAD_ERROR"] == "not-found")
            #expect(note.variables["PAWL_DOWNLOAD_MESSAGE"]?.isEmpty == false)
        }

        @Test func `the daemon's hooks apply to all downloads without hooks of their own`()
            async throws
        {
            let scene = try DaemonScene(Workshop(file))
            let notes = try HookNotes(in: scene.home)
            try await scene.succeed("daemon", "start")
            let shown = try await scene.succeed(
                "daemon",
                "hooks",
                "--on-complete",
                notes.command("general")
            )
            #expect(shown.output.contains("on-complete  \(scene.home.path("note")) "))
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "--output",
                "own",
                "--on-complete",
                notes.command("own")
            )
            _ = try await notes.read("own")
            try await scene.succeed("add", scene.workshop.url, "--on-complete", "none")
            try await scene.succeed("wait", "--all")
            #expect(!scene.home.exists("general"))
            try await scene.succeed("add", scene.workshop.url, "--output", "other")
            let note = try await notes.read("general")
            #expect(note.variables["PAWL_DOWNLOAD_ID"] == "3")
            #expect(note.facts.name == "other")
            let rest = try await scene.succeed("daemon", "hooks", "--reset")
            #expect(rest.output.contains("on-complete  -\n"))
        }

        @Test func `a program that was running when the daemon was killed runs again`()
            async throws
        {
            let scene = try DaemonScene(Workshop(file))
            let script = """
                cd '\(scene.home.path)'
                if mkdir began; then echo $$ > one.new; mv one.new one; exec sleep 600; fi
                : > two
                """
            let path = try scene.home.write("script", script)
            let daemon = try await scene.startDaemon()
            try await scene.succeed("add", scene.workshop.url, "--on-complete", "/bin/sh \(path)")
            try await FolderWatch.wait(for: "one", in: scene.home)
            daemon.signal(SIGKILL)
            await daemon.waitForExit()
            let first = try #require(pid_t(scene.home.readText("one").filter(\.isNumber)))
            kill(first, SIGKILL)
            let again = try await scene.startDaemon()
            try await FolderWatch.wait(for: "two", in: scene.home)
            #expect(await again.waitForOutput(containing: "'/bin/sh' ended with status 0"))
        }

        @Test func `a webhook receives the details of the download`() async throws {
            let scene = try DaemonScene(Workshop(file))
            scene.workshop.origin.route("/hook", .status(204))
            let daemon = try await scene.startDaemon()
            let hook = scene.workshop.origin.url("/hook?token=s3cret")
            try await scene.succeed("add", scene.workshop.url, "--webhook", hook)
            #expect(await daemon.waitForOutput(containing: "was accepted"))
            let requests = scene.workshop.origin.requests(to: "/hook")
            let request = try #require(requests.first)
            #expect(requests.count == 1)
            #expect(request.method == "POST")
            #expect(request["Content-Type"] == "application/json")
            let facts = try WireJSON.decode(HookFacts.self, from: request.body)
            #expect(facts.event == .complete)
            #expect(facts.path == scene.workshop.folder.path(Workshop.name))
            #expect(!daemon.errors.contains("s3cret"))
        }

        @Test func `a download can refuse each hook of the daemon, and each can be turned off`()
            async throws
        {
            let scene = try DaemonScene(Workshop(file))
            scene.workshop.origin.route("/hook", .status(204))
            let hook = scene.workshop.origin.url("/hook")
            let daemon = try await scene.startDaemon()
            try await scene.succeed("daemon", "hooks", "--webhook", hook, "--unpack", "--notify")
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "--webhook",
                "none",
                "--no-unpack",
                "--no-notify"
            )
            try await scene.succeed("wait", "--all")
            try await scene.succeed("add", scene.workshop.url, "--output", "b", "--no-notify")
            #expect(await daemon.waitForOutput(containing: "was accepted"))
            #expect(scene.workshop.origin.requests(to: "/hook").count == 1)
            #expect(daemon.errors.contains("download 2: unpacking"))
            for job in ["unpacking", "webhook", "notification"] {
                #expect(!daemon.errors.contains("download 1: \(job)"))
            }
            let shown = try await scene.succeed(
                "daemon",
                "hooks",
                "--no-notify",
                "--webhook",
                "none"
            )
            #expect(shown.output.contains("notify       no\n"), "\(shown.output)")
            #expect(shown.output.contains("unpack       yes\n"))
            #expect(shown.output.contains("webhook      none\n"))
        }

        @Test(.needsQueueFile) func `a program whose end cannot be recorded does not run again`()
            async throws
        {
            let scene = try DaemonScene(Workshop(file))
            scene.workshop.origin.route("/hook", .status(204))
            let daemon = try await scene.startDaemon()
            let gate = scene.home.path("gate")
            try #require(mkfifo(gate, 0o600) == 0)
            let script = "cd '\(scene.home.path)'; echo ran >> runs; read line < gate"
            let path = try scene.home.write("script", script)
            try await scene.succeed(
                "add",
                scene.workshop.url,
                "--on-complete",
                "/bin/sh \(path)",
                "--webhook",
                scene.workshop.origin.url("/hook")
            )
            try await FolderWatch.wait(for: "runs", in: scene.home)
            let queue = scene.home.path("state/pawl/queue.sqlite")
            let aside = scene.home.path("aside")
            try #require(rename(queue, aside) == 0)
            let writer = open(gate, O_RDWR | O_CLOEXEC)
            defer { close(writer) }
            #expect(write(writer, "\n\n", 2) == 2)
            #expect(await daemon.waitForOutput(containing: "was not recorded"))
            try #require(rename(aside, queue) == 0)
            // The next job begins when the end of the first one is recorded.
            #expect(await daemon.waitForOutput(containing: "was accepted"))
            #expect(try scene.home.readText("runs") == "ran\n")
        }

        @Test func `a program over TCP can neither set nor read hooks`() async throws {
            let network = try await NetworkScene.make()
            try await network.scene.succeed(
                "daemon",
                "hooks",
                "--on-error",
                "/bin/false quietword",
                "--webhook",
                "https://host.example/quietpath"
            )
            let add = #"""
                {"downloads":[{"url":"http://192.0.2.1/a","destination":"a",
                "settings":{"onComplete":["/bin/true"]}}]}
                """#
            #expect(try await network.ask("POST", "/v1/downloads", add).status == 403)
            for change in [#"{"onComplete":["/bin/true"]}"#, #"{"webhook":"http://a.test/"}"#] {
                #expect(try await network.ask("PATCH", "/v1/settings", change).status == 403)
            }
            let other = try await network.ask("PATCH", "/v1/settings", #"{"historyDays":7}"#)
            let read = try await network.ask("GET", "/v1/settings")
            for answer in [other, read] {
                #expect(answer.status == 200)
                #expect(!answer.body.contains("quietword"))
                #expect(!answer.body.contains("quietpath"))
            }
        }

        @Test func `wait runs a program at the end`() async throws {
            let scene = try DaemonScene(Workshop(file))
            try await scene.succeed("add", scene.workshop.url)
            let script = #"/bin/sh -c 'echo "$PAWL_EVENT"; cat; exit 9'"#
            let run = try await scene.run("wait", "1", "--exec", script)
            #expect(run.status == .code(9))
            let lines = run.output.split(separator: "\n")
            #expect(lines.first == "complete")
            let json = try #require(lines.last)
            let rows = try WireJSON.decode([WireDownload].self, from: json.utf8)
            #expect(rows.map(\.state) == [.finished])
            scene.workshop.serve(.status(404), at: "/gone")
            try await scene.succeed("add", scene.workshop.origin.url("/gone"))
            let failed = try await scene.run(
                "wait",
                "2",
                "--exec",
                #"/bin/sh -c 'echo $PAWL_EVENT'"#
            )
            #expect(failed.status == .code(ErrorCode.notFound.exitStatus))
            #expect(failed.output == "error\n")
        }
    }
}

import Glibc
import PawlCore
import PawlTesting
import PawlWire
import Testing

/// What the command does when a download of its own starts, finishes or fails.
@Suite(.timeLimit(.minutes(5)))
struct HookOptionTests {
    private let file = Resource(size: 100_000)

    @Test func `programs run for the start and the end, and their output is shown`() async throws {
        let workshop = try Workshop(file)
        let notes = try HookNotes(in: workshop.folder)
        let run = try await workshop.run(
            workshop.url,
            "--on-start",
            notes.command("start"),
            "--on-complete",
            notes.command("end", "well")
        )
        #expect(run.status == .code(0))
        #expect(run.errors.contains("noted well\n"))
        #expect(try await notes.read("start").facts.event == .start)
        let end = try await notes.read("end")
        #expect(end.facts.path?.hasSuffix(Workshop.name) == true)
        #expect(end.facts.completedBytes == 100_000)
        #expect(end.variables["PAWL_DOWNLOAD_NAME"] == Workshop.name)
    }

    @Test func `a program that fails is reported, and the download stays a success`() async throws {
        let workshop = try Workshop(file)
        let run = try await workshop.run(workshop.url, "--on-complete", "/bin/sh -c 'exit 3'")
        #expect(run.status == .code(0))
        #expect(run.errors.contains("hook '/bin/sh' ended with status 3"))
        try expectExact(Workshop.name, file, in: workshop)
    }

    @Test func `a program runs for a failed download and not for a success`() async throws {
        let workshop = try Workshop(file)
        let notes = try HookNotes(in: workshop.folder)
        workshop.serve(.status(404), at: "/gone")
        let run = try await workshop.run(
            workshop.url,
            workshop.origin.url("/gone"),
            "--on-error",
            notes.command("error")
        )
        #expect(run.status == .code(ErrorCode.notFound.exitStatus))
        let note = try await notes.read("error")
        #expect(note.facts.problem?.code == .notFound)
        #expect(note.facts.url.hasSuffix("/gone"))
    }

    @Test func `at most eight programs run at the same time, and all run`() async throws {
        let workshop = try Workshop()
        let count = 20
        let urls = (1...count).map { workshop.origin.url("/file\($0)") }
        for number in 1...count {
            workshop.serve(.resource(Resource(size: 1000)), at: "/file\(number)")
        }
        let gate = workshop.folder.path("gate")
        try #require(mkfifo(gate, 0o600) == 0)
        // Those that end between the two counts make the result smaller, never larger.
        let script = """
            cd '\(workshop.folder.path)'
            n=1
            until mkdir "began.$n" 2>/dev/null; do n=$((n+1)); done
            began=$(ls -d began.* | wc -l)
            ended=$(ls -d ended.* 2>/dev/null | wc -l)
            [ $((began - ended)) -le 8 ] || : > too-many
            read line < gate
            : > "ended.$n"
            """
        let path = try workshop.folder.write("script", script)
        let runner = try workshop.start(
            arguments: urls + ["--jobs", "20", "--on-complete", "/bin/sh \(path)"]
        )
        try await FolderWatch.wait(for: "began.8", in: workshop.folder)
        let writer = open(gate, O_RDWR | O_CLOEXEC)
        defer { close(writer) }
        let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: count)
        #expect(write(writer, lines, count) == count)
        #expect(await runner.waitForExit() == .code(0), "\(runner.errors)")
        #expect(workshop.folder.exists("ended.\(count)"))
        #expect(!workshop.folder.exists("too-many"))
    }

    @Test func `a hook of the config file can be refused`() async throws {
        let workshop = try Workshop(file)
        workshop.serve(.status(204), at: "/hook")
        let hook = workshop.origin.url("/hook")
        let path = try workshop.folder.write(
            "config.toml",
            "[defaults]\nwebhook = \"\(hook)\"\nunpack = true\n"
        )
        try workshop.folder.setPermissions("config.toml", 0o600)
        let refused = try await workshop.run(
            workshop.url,
            "--config",
            path,
            "--webhook",
            "none",
            "--no-unpack"
        )
        #expect(refused.status == .code(0), "\(refused.errors)")
        #expect(!refused.errors.contains("unpacking "))
        #expect(workshop.origin.requests(to: "/hook").isEmpty)
        let taken = try await workshop.run(workshop.url, "--config", path)
        #expect(taken.errors.contains("unpacking "))
        #expect(workshop.origin.requests(to: "/hook").count == 1)
    }

    @Test func `a webhook is asked again when its server is busy`() async throws {
        let workshop = try Workshop(file)
        workshop.serve(.sequence([.status(503), .status(200)]), at: "/hook")
        let run = try await workshop.run(
            workshop.url,
            "--webhook",
            workshop.origin.url("/hook")
        )
        #expect(run.status == .code(0))
        #expect(workshop.origin.requests(to: "/hook").map(\.status) == [503, 200])
    }

    @Test func `the config file has hooks`() async throws {
        let workshop = try Workshop(file)
        let notes = try HookNotes(in: workshop.folder)
        let path = try workshop.folder.write(
            "config.toml",
            "[defaults]\n" + #"on-complete = "\#(notes.command("end"))""# + "\n"
        )
        try workshop.folder.setPermissions("config.toml", 0o600)
        let run = try await workshop.run(workshop.url, "--config", path)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try await notes.read("end").facts.event == .complete)
    }

    @Test(arguments: ["", "./a", "'a", "bin/a"])
    func `a command that names no program is a usage error`(text: String) async throws {
        let workshop = try Workshop(file)
        let run = try await workshop.run(workshop.url, "--on-complete", text)
        #expect(run.status == .code(ErrorCode.usage.exitStatus))
        #expect(run.errors.contains("--on-complete"))
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `a webhook gets the name and the password of its URL, which are not shown`()
        async throws
    {
        let workshop = try Workshop(file)
        workshop.serve(.sequence([.status(503), .status(204)]), at: "/hook")
        let hook = workshop.origin.url("/hook").replacing("http://", with: "http://joe:tid%40e@")
        let run = try await workshop.run(workshop.url, "--webhook", hook)
        #expect(run.status == .code(0), "\(run.errors)")
        let requests = workshop.origin.requests(to: "/hook")
        #expect(requests.map(\.status) == [503, 204])
        let expected = "Basic " + Array("joe:tid@e".utf8).base64
        #expect(requests.allSatisfy { $0["Authorization"] == expected && !$0.body.isEmpty })
        #expect(!run.errors.contains("tid"))
    }

    @Test(arguments: ["ftp://host.example/hook", "file:///tmp/hook", "data:,hook"])
    func `a webhook that is not on an HTTP server is a usage error`(url: String) async throws {
        let workshop = try Workshop(file)
        let run = try await workshop.run(workshop.url, "--webhook", url)
        #expect(run.status == .code(ErrorCode.usage.exitStatus))
        #expect(run.errors.contains("give a URL with http or https"))
        #expect(workshop.origin.requests.isEmpty)
    }
}

import Glibc
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ProcessRunnerTests {
    private func shell(_ script: String, _ settings: ProcessSettings = ProcessSettings())
        async throws
        -> FinishedProcess
    {
        try await ProcessRunner.run("/bin/sh", ["-c", script], settings)
    }

    @Test func `output, errors and status are separate`() async throws {
        let result = try await shell("echo out; echo err >&2; exit 7")
        #expect(result.output == "out\n")
        #expect(result.errors == "err\n")
        #expect(result.status == .code(7))
    }

    @Test func `large input and output are passed whole`() async throws {
        var settings = ProcessSettings()
        settings.input = ContentPattern(seed: 3).bytes(at: 0, count: 3_000_000)
        let runner = try ProcessRunner("cat", [], settings)
        #expect(await runner.waitForExit() == .code(0))
        #expect(runner.outputBytes == settings.input)
    }

    @Test func `the child has its own environment and folder`() async throws {
        let folder = try ScratchFolder()
        let settings = ProcessSettings(
            environment: ["PAWL_TEST": "yes", "PATH": "/bin:/usr/bin", "HOME": nil],
            folder: folder.path
        )
        let result = try await shell("pwd; echo $PAWL_TEST ${HOME-none}", settings)
        #expect(result.output == "\(folder.path)\nyes none\n")
    }

    @Test func `a signal ends the program and is reported`() async throws {
        let runner = try ProcessRunner("/bin/sh", ["-c", "echo ready; exec sleep 60"])
        #expect(await runner.waitForOutput(containing: "ready"))
        runner.signal(SIGTERM)
        #expect(await runner.waitForExit() == .signal(SIGTERM))
        runner.signal(SIGTERM)
    }

    @Test func `waiting for output ends with the program`() async throws {
        let runner = try ProcessRunner("/bin/sh", ["-c", "echo other"])
        #expect(await !runner.waitForOutput(containing: "ready"))
    }

    @Test func `a time limit kills the program with its descendants`() async throws {
        let settings = ProcessSettings(timeLimit: .milliseconds(100))
        let result = try await shell("sleep 60 & sleep 60", settings)
        #expect(result.status == .signal(SIGKILL))
        #expect(result.reachedTimeLimit)
    }

    @Test(arguments: ["sleep 60", "yes"])
    func `a descendant that keeps the pipe does not delay the end`(_ descendant: String)
        async throws
    {
        let runner = try ProcessRunner("/bin/sh", ["-c", "echo done; \(descendant) &"])
        #expect(await runner.waitForExit() == .code(0))
        #expect(runner.output.hasPrefix("done\n"))
    }

    @Test func `a terminal has its size, reports a new size, and Ctrl-C interrupts`() async throws {
        let settings = ProcessSettings(terminal: TerminalSize(columns: 40, rows: 10))
        let script = """
            trap 'stty size; echo resized' WINCH; trap 'echo interrupted; exit 3' INT
            test -t 0 && test -t 1 && test -t 2 && stty size; echo ready
            while :; do sleep 0.02; done
            """
        let runner = try ProcessRunner("/bin/sh", ["-c", script], settings)
        #expect(await runner.waitForOutput(containing: "10 40\r\nready"))
        runner.resize(TerminalSize(columns: 100, rows: 20))
        #expect(await runner.waitForOutput(containing: "20 100\r\nresized"))
        runner.type("\u{3}")
        #expect(await runner.waitForExit() == .code(3))
        #expect(runner.output.hasSuffix("interrupted\r\n"))
    }

    @Test func `a stream can be kept off the terminal`() async throws {
        var settings = ProcessSettings(terminal: TerminalSize())
        settings.terminalStreams = [.error]
        let result = try await shell("test -t 1 || echo pipe; test -t 2 && echo tty >&2", settings)
        // The terminal may deliver a line in two parts, and the pipe's line comes between them.
        #expect(result.output.contains("pipe\n"))
        #expect(result.output.replacing("pipe\n", with: "") == "tty\r\n")
    }

    @Test func `a missing program is an error`() {
        #expect(throws: (any Error).self) { try ProcessRunner("/nowhere/at-all") }
        #expect(throws: (any Error).self) {
            try ProcessRunner("true", [], ProcessSettings(folder: "/nowhere"))
        }
    }

    @Test func `a runner that is released kills its program`() async throws {
        var runner: ProcessRunner? = try ProcessRunner("/bin/sh", ["-c", "echo up; exec sleep 60"])
        await runner?.waitForOutput(containing: "up")
        let identifier = try #require(runner?.identifier)
        runner = nil
        // The program is reaped by now or soon: its number no longer belongs to a running program.
        let limit = SystemTimekeeper().now() + .seconds(120)
        while kill(identifier, 0) == 0, SystemTimekeeper().now() < limit { await Task.yield() }
        #expect(kill(identifier, 0) == -1)
    }

    @Test func `a scratch folder holds files and is removed with its owner`() throws {
        var folder: ScratchFolder? = try ScratchFolder()
        let path = try #require(folder?.path)
        try folder?.write("a", "text")
        try folder?.makeFolder("b")
        try folder?.write("b/.hidden", [1, 2, 3])
        #expect(folder?.list() == ["a", "b"])
        #expect(folder?.size("a") == 4)
        #expect(folder?.size("c") == nil)
        #expect(try folder?.readText("a") == "text")
        #expect(try folder?.read("b/.hidden") == [1, 2, 3])
        try folder?.setPermissions("b", 0)
        folder = nil
        #expect(access(path, F_OK) == -1)
    }

    @Test func `the built test program is next to the package's programs`() {
        #expect(access(BuiltProduct.folder, X_OK) == 0)
        #expect(BuiltProduct.path("pawl").hasSuffix("/pawl"))
    }
}

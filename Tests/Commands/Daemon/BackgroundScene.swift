import Glibc
import PawlCore
import PawlTesting
import Testing

/// A process with a background session that receives commands on its input.
struct SessionProcess {
    let runner: ProcessRunner
    let arguments: [String]

    func type(_ words: String...) { runner.type(words.joined(separator: " ") + "\n") }

    /// Waits for this line; records an issue if it does not arrive.
    func hears(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        let isThere = await runner.waitForOutput(containing: line + "\n")
        #expect(
            isThere,
            "no '\(line)' from \(arguments): \(runner.output)\(runner.errors)",
            sourceLocation: sourceLocation
        )
    }

    /// Types a command, and returns the next line that begins so; no text if the process ends first.
    func answer(_ command: String, beginning: String) async -> String {
        let count = lines(beginning).count
        type(command)
        return await runner.waitForLine(beginning: beginning, number: count + 1) ?? ""
    }

    /// Lists the tasks until one has this state; returns its number of bytes.
    func showsTask(
        _ name: String,
        _ state: TaskState,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Int64 {
        let beginning = "tasks [\(name) \(state) "
        var line = ""
        repeat {
            line = await answer("tasks", beginning: "tasks [")
        } while !line.hasPrefix(beginning) && runner.status == nil && !Task.isCancelled
        #expect(line.hasPrefix(beginning), "\(line)", sourceLocation: sourceLocation)
        return Int64(line.dropFirst(beginning.count).prefix { $0.isNumber }) ?? -1
    }

    /// The output lines that start with one of these words, including the echoed input.
    func lines(_ words: String...) -> [String] {
        runner.output.split(whereSeparator: \.isNewline).map(String.init).filter { line in
            words.contains { line.hasPrefix($0) }
        }
    }

    func kill() async {
        runner.signal(SIGKILL)
        await runner.waitForExit()
    }
}

extension DaemonScene {
    /// Starts a process with that session; the daemon starts by itself.
    func session(_ arguments: String...) async throws -> SessionProcess {
        try await session(program: BuiltProduct.path("BackgroundProbe"), arguments)
    }

    /// Starts a process with the session `films`, whose task `one` pauses until the latch is
    /// released; returns when the download has a checkpoint.
    func heldTask(
        of resource: Resource,
        _ options: String...
    ) async throws -> (process: SessionProcess, latch: Latch) {
        let latch = serveHeld(resource)
        let process = try await session(
            program: BuiltProduct.path("BackgroundProbe"),
            ["films"] + options
        )
        process.type("add", "one", workshop.url, workshop.folder.path(Workshop.name))
        try await FolderWatch.wait(for: Workshop.name + ".part", in: workshop.folder)
        return (process, latch)
    }

    func session(
        program: String,
        _ arguments: [String],
        _ environment: [String: String] = [:]
    ) async throws -> SessionProcess {
        var settings = settings
        settings.environment["XDG_CACHE_HOME"] = home.path("cache")
        for (name, value) in environment { settings.environment[name] = value }
        settings.terminal = TerminalSize()
        settings.terminalStreams = [.input]
        let probe = SessionProcess(
            runner: try ProcessRunner(
                program,
                arguments,
                workshop.complete(settings)
            ),
            arguments: arguments
        )
        await probe.hears("ready")
        return probe
    }
}

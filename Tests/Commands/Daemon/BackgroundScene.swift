import Glibc
import PawlCore
import PawlTesting
import Testing

/// A process with a background session, told by its input what to do.
struct SessionProcess {
    let runner: ProcessRunner
    let arguments: [String]

    func type(_ words: String...) { runner.type(words.joined(separator: " ") + "\n") }

    /// Waits for that line; records an issue where it does not come.
    func hears(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        let isThere = await runner.waitForOutput(containing: line + "\n")
        #expect(
            isThere,
            "no '\(line)' from \(arguments): \(runner.output)\(runner.errors)",
            sourceLocation: sourceLocation
        )
    }

    /// Asks for its tasks until it says that it has one in that state; returns how many bytes it has.
    func showsTask(
        _ name: String,
        _ state: TaskState,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Int64 {
        let beginning = "tasks [\(name) \(state) "
        repeat {
            let count = lines("tasks [").count
            type("tasks")
            while lines("tasks [").count == count, runner.status == nil, !Task.isCancelled {
                await Task.yield()
            }
        } while lines("tasks [").last?.hasPrefix(beginning) != true && runner.status == nil
            && !Task.isCancelled
        let line = lines("tasks [").last ?? ""
        #expect(line.hasPrefix(beginning), "\(line)", sourceLocation: sourceLocation)
        return Int64(line.dropFirst(beginning.count).prefix { $0.isNumber }) ?? -1
    }

    /// What it wrote that begins with one of these words; what was typed is there, too.
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

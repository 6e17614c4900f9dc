package import SystemPackage

/// A program that runs beside the test, with all it writes captured.
///
/// It is killed when it is let go, with its descendants.
package final class ProcessRunner: Sendable {
    private let process: RunningProcess

    /// Starts a program, searched in PATH where its name has no slash.
    ///
    /// Throws `Errno`.
    package init(
        _ program: String,
        _ arguments: [String] = [],
        _ settings: ProcessSettings = ProcessSettings()
    ) throws(Errno) {
        process = try RunningProcess.start(program, arguments, settings)
    }

    deinit { process.send(SignalNumber.kill, toGroup: true) }

    package var identifier: Int32 { process.identifier }

    /// What it wrote to its output, or its terminal, so far.
    package var output: String { String(decoding: outputBytes, as: UTF8.self) }
    package var outputBytes: [UInt8] { process.state.value.output }

    /// What it wrote to its error stream so far, where that is not its terminal.
    package var errors: String { String(decoding: process.state.value.error, as: UTF8.self) }

    /// Nil while it runs.
    package var status: ExitStatus? { process.state.value.status }

    /// Whether it was killed for taking too long.
    package var reachedTimeLimit: Bool { process.state.value.reachedTimeLimit }

    /// Sends a signal to it alone; nothing happens where it has ended.
    package func signal(_ number: Int32) { process.send(number) }

    /// Types on its terminal; Ctrl-C is `\u{3}`.
    package func type(_ text: String) {
        process.state.update { $0.pendingInput += Array(text.utf8) }
    }

    /// Changes the size of its terminal, of which it hears by SIGWINCH.
    package func resize(_ size: TerminalSize) { process.state.update { $0.resize = size } }

    /// Waits until it has ended and all it wrote is in.
    ///
    /// When the task is cancelled before, it is killed.
    @discardableResult
    package func waitForExit() async -> ExitStatus {
        let state = await process.state.wait { $0.isComplete }
        if let status = state.status { return status }
        process.send(SignalNumber.kill, toGroup: true)
        return .signal(SignalNumber.kill)
    }

    /// Waits until it wrote that text to any of its streams; false where it ended without.
    @discardableResult
    package func waitForOutput(containing text: String) async -> Bool {
        let wanted = Array(text.utf8)
        let holds = { @Sendable (state: ProcessState) in
            ByteSearch.contains(state.output, wanted) || ByteSearch.contains(state.error, wanted)
        }
        return holds(await process.state.wait { $0.isComplete || holds($0) })
    }

    /// Waits until it has written that text `count` times to its output; false if it ended before.
    @discardableResult
    package func waitForOutput(containing text: String, count: Int) async -> Bool {
        let wanted = Array(text.utf8)
        let holds = { @Sendable (state: ProcessState) in
            ByteSearch.count(of: wanted, in: state.output) >= count
        }
        return holds(await process.state.wait { $0.isComplete || holds($0) })
    }

    /// Runs a program to its end.
    package static func run(
        _ program: String,
        _ arguments: [String] = [],
        _ settings: ProcessSettings = ProcessSettings()
    ) async throws(Errno) -> FinishedProcess {
        let runner = try ProcessRunner(program, arguments, settings)
        let status = await runner.waitForExit()
        return FinishedProcess(
            status: status,
            output: runner.output,
            errors: runner.errors,
            reachedTimeLimit: runner.reachedTimeLimit
        )
    }
}

/// What a program that was run to its end left.
package struct FinishedProcess: Sendable {
    package var status: ExitStatus
    package var output: String
    package var errors: String
    package var reachedTimeLimit: Bool
}

enum SignalNumber {
    static let kill: Int32 = 9
}

enum ByteSearch {
    /// How many times the bytes occur, without overlap.
    static func count(of wanted: [UInt8], in bytes: [UInt8]) -> Int {
        guard let first = wanted.first else { return 0 }
        var (count, start) = (0, 0)
        while start + wanted.count <= bytes.count {
            if bytes[start] == first, bytes[start..<start + wanted.count].elementsEqual(wanted) {
                count += 1
                start += wanted.count
            } else {
                start += 1
            }
        }
        return count
    }

    static func contains(_ bytes: [UInt8], _ wanted: [UInt8]) -> Bool {
        guard let first = wanted.first else { return true }
        guard bytes.count >= wanted.count else { return false }
        return (0...(bytes.count - wanted.count)).contains { start in
            bytes[start] == first
                && bytes[start..<start + wanted.count].elementsEqual(wanted)
        }
    }
}

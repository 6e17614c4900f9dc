package import SystemPackage

/// A program that runs beside the test, with its output captured.
///
/// The program and its descendants are killed when the object is released.
package final class ProcessRunner: Sendable {
    private let process: RunningProcess

    /// Starts a program, which is searched in PATH if its name has no slash.
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

    /// The text that the program has written to its output or terminal so far.
    package var output: String { String(decoding: outputBytes, as: UTF8.self) }
    package var outputBytes: [UInt8] { process.state.value.output }

    /// The text that the program has written to its error stream so far, unless that is its
    /// terminal.
    package var errors: String { String(decoding: process.state.value.error, as: UTF8.self) }

    /// The exit status; `nil` while the program runs.
    package var status: ExitStatus? { process.state.value.status }

    /// Whether the program was killed because it reached its time limit.
    package var reachedTimeLimit: Bool { process.state.value.reachedTimeLimit }

    /// Sends a signal to the program alone; does nothing if it has ended.
    package func signal(_ number: Int32) { process.send(number) }

    /// Types text on the program's terminal; Ctrl-C is `\u{3}`.
    package func type(_ text: String) {
        process.state.update { $0.pendingInput += Array(text.utf8) }
    }

    /// Changes the size of the program's terminal, which the kernel reports by SIGWINCH.
    package func resize(_ size: TerminalSize) { process.state.update { $0.resize = size } }

    /// Waits until the program has ended and its output is complete.
    ///
    /// If the task is cancelled first, the program is killed.
    @discardableResult
    package func waitForExit() async -> ExitStatus {
        let state = await process.state.wait { $0.isComplete }
        if let status = state.status { return status }
        process.send(SignalNumber.kill, toGroup: true)
        return .signal(SignalNumber.kill)
    }

    /// Waits until the program writes the text to any stream; returns false if it ends first.
    @discardableResult
    package func waitForOutput(containing text: String) async -> Bool {
        let wanted = Array(text.utf8)
        let holds = { @Sendable (state: ProcessState) in
            ByteSearch.contains(state.output, wanted) || ByteSearch.contains(state.error, wanted)
        }
        return holds(await process.state.wait { $0.isComplete || holds($0) })
    }

    /// Waits until what the program has written to its output or terminal meets a condition;
    /// returns false if it ends first.
    @discardableResult
    package func waitForOutput(
        until isMet: @escaping @Sendable (String) -> Bool
    ) async -> Bool {
        let holds = { @Sendable (state: ProcessState) in
            isMet(String(decoding: state.output, as: UTF8.self))
        }
        return holds(await process.state.wait { $0.isComplete || holds($0) })
    }

    /// Waits until the program has written the text `count` times to its output; returns false if
    /// it ends first.
    @discardableResult
    package func waitForOutput(containing text: String, count: Int) async -> Bool {
        let wanted = Array(text.utf8)
        let holds = { @Sendable (state: ProcessState) in
            ByteSearch.count(of: wanted, in: state.output) >= count
        }
        return holds(await process.state.wait { $0.isComplete || holds($0) })
    }

    /// Waits until the program has written `number` complete lines that begin so to its output, and
    /// returns the last of them; `nil` if the program ends first.
    package func waitForLine(beginning text: String, number: Int) async -> String? {
        let find = { @Sendable (state: ProcessState) -> String? in
            let lines = state.output.split(
                separator: UInt8(ascii: "\n"),
                omittingEmptySubsequences: false
            )
            // The last line has no end yet.
            let found = lines.dropLast().filter { $0.starts(with: text.utf8) }
            guard found.count >= number else { return nil }
            return String(decoding: found[number - 1], as: UTF8.self)
        }
        return find(await process.state.wait { $0.isComplete || find($0) != nil })
    }

    /// Runs a program until it ends.
    package static func run(
        _ program: String,
        _ arguments: [String] = [],
        _ settings: ProcessSettings = ProcessSettings()
    ) async throws(Errno) -> FinishedProcess {
        try await ProcessRunner(program, arguments, settings).finished()
    }

    /// Waits until the program ends, and returns its result.
    package func finished() async -> FinishedProcess {
        let status = await waitForExit()
        return FinishedProcess(
            status: status,
            output: output,
            errors: errors,
            reachedTimeLimit: reachedTimeLimit
        )
    }
}

/// The result of a program that has ended.
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
    /// Returns the number of times that the bytes occur, without overlap.
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

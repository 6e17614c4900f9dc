internal import CPlatform
internal import Glibc
package import PawlCore
internal import Synchronization

/// Writes all output of the command: results to standard output, messages and the live block to
/// standard error.
package final class Console: Sendable {
    package let traits: TerminalTraits
    private let output: Int32
    private let messages: Int32
    private let state = Mutex(State())
    private let later = Mutex(Later())

    /// The lines that wait for their reader.
    private struct Later {
        var bytes: [UInt8] = []
        var writer: OutputWriter?
    }

    private struct State {
        var block = LiveBlock()
        /// The `errno` of the first failed write of results.
        var outputError: Int32?
        var messagesAreClosed = false
    }

    package init(output: Int32 = STDOUT_FILENO, messages: Int32 = STDERR_FILENO) {
        self.output = output
        self.messages = messages
        traits = TerminalTraits(
            isTerminal: isatty(messages) == 1,
            environment: Self.environment(["TERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"])
        )
    }

    /// Writes results; returns whether results can still be written.
    @discardableResult
    package func output(_ text: String) -> Bool {
        state.withLock { state in
            if state.outputError == nil { state.outputError = Self.write(text, to: output) }
            return state.outputError == nil
        }
    }

    /// Adds a line to the results without waiting for their reader.
    func outputLater(_ line: String) {
        later.withLock { $0.bytes += Array((line + "\n").utf8) }
        writeLines()
    }

    /// Writes the lines that their reader takes now; returns whether there are more.
    @discardableResult
    func writeLines() -> Bool {
        later.withLock { later in
            guard !later.bytes.isEmpty else { return false }
            let writer = later.writer ?? OutputWriter(output)
            later.writer = writer
            let (count, failure) = later.bytes.withUnsafeBytes { writer.writeReady($0) }
            later.bytes.removeFirst(count)
            guard let failure else { return !later.bytes.isEmpty }
            later.bytes = []
            state.withLock { $0.outputError = failure }
            return false
        }
    }

    /// The folder for temporary files.
    static var temporaryFolder: String {
        let given = environment(["TMPDIR"])["TMPDIR"] ?? ""
        return given.isEmpty ? "/tmp" : given
    }

    /// Returns standard output as the destination of a download.
    func orderedOutput() -> OrderedOutput {
        let folder = Self.temporaryFolder
        let name = "pawl-output-" + String(UInt64.random(in: 0 ... .max), radix: 16)
        let writer = OutputWriter(output)
        return OrderedOutput(temporaryPath: folder.asFolderPath + name) {
            [self] (bytes, check) throws(DownloadError) in
            guard let failure = try writer.write(bytes, check) else { return }
            // Whoever watches `outputIsClosed` ends the downloads.
            state.withLock { $0.outputError = failure }
            throw CancellationToken.cancelled
        }
    }

    /// Whether results are written to a terminal.
    package var outputIsTerminal: Bool { isatty(output) == 1 }

    /// Whether a write of results has failed, or their reader has closed the pipe.
    package var outputIsClosed: Bool { state.withLock { $0.outputError } != nil }

    /// Whether the reader of results has closed the pipe.
    package var outputPipeIsClosed: Bool { state.withLock { $0.outputError } == EPIPE }

    /// The width of the terminal to which results are written; `nil` if it is not a terminal.
    package var outputColumns: Int? {
        guard isatty(output) == 1 else { return nil }
        return Int(Self.size(of: output).columns)
    }

    /// The width of the help.
    package var helpColumns: Int {
        HelpText.columns(Self.environment(["COLUMNS"])["COLUMNS"], terminal: outputColumns)
    }

    /// The exit status of a process whose work returned `status`.
    ///
    /// If results could not be written, this is reported and the status is that of the error. It is
    /// not an error if the reader closes the pipe early, as `head` does.
    package func exitStatus(after status: Int32) -> Int32 {
        guard let number = state.withLock({ $0.outputError }), number != EPIPE else {
            return status
        }
        let error = DownloadError(
            number == ENOSPC ? .diskFull : .diskFailure,
            "writing to standard output failed: \(String(cString: strerror(number)))",
            advice: "the output is incomplete"
        )
        report(error)
        return status == 0 ? error.code.exitStatus : status
    }

    /// Writes a line to standard error, above the live block.
    package func message(_ line: String) {
        state.withLock { state in
            let line = line + (traits.isTerminal ? "\r\n" : "\n")
            write(state.block.printing(line, on: size), &state)
        }
    }

    /// Writes a question to standard error, without an end of line.
    package func prompt(_ text: String) {
        state.withLock { state in write(text, &state) }
    }

    /// Draws the live block if the terminal supports that.
    package func draw(_ lines: [String], on size: LiveBlock.Size) {
        guard traits.canRedraw else { return }
        state.withLock { state in write(state.block.draw(lines, on: size), &state) }
    }

    /// Draws the live block again after the terminal has echoed a key into it.
    package func redrawBlockIfFree() {
        _ = state.withLockIfAvailable { state in
            write(state.block.printing("", on: size), &state)
        }
    }

    /// Removes the live block and shows the cursor.
    package func removeBlock() {
        state.withLock { state in write(state.block.remove(), &state) }
    }

    /// Removes the live block and runs `body`, which stops or ends the process; nothing draws
    /// meanwhile.
    ///
    /// If another thread hangs in a write to a stopped terminal, the block stays.
    package func withoutBlockIfFree(_ body: () -> Void) {
        let done: Void? = state.withLockIfAvailable { state in
            write(state.block.remove(), &state)
            body()
        }
        if done == nil { body() }
    }

    /// The current size of the terminal.
    package var size: LiveBlock.Size { Self.size(of: messages) }

    private static func size(of terminal: Int32) -> LiveBlock.Size {
        var columns: UInt32 = 0
        var rows: UInt32 = 0
        guard pawl_terminal_size(terminal, &columns, &rows) == 0, columns > 0, rows > 0 else {
            return LiveBlock.Size(columns: 80, rows: 24)
        }
        return LiveBlock.Size(columns: columns, rows: rows)
    }

    private func write(_ text: String, _ state: inout State) {
        guard !text.isEmpty, !state.messagesAreClosed else { return }
        state.messagesAreClosed = Self.write(text, to: messages) != nil
    }

    /// Prints an error with its advice.
    ///
    /// `subject`: the download that the error is about, if there are several.
    package func report(_ error: DownloadError, of subject: String? = nil) {
        let start = subject.map { "\($0): " } ?? ""
        let text = traits.style.showable(start + error.text(for: .command))
        guard traits.isTerminal, traits.style.hasColours else {
            message("pawl: \(text)")
            return
        }
        let tone: TerminalStyle.Tone = error.code == .interrupted ? .dim : .red
        message("\(traits.style.tint("pawl:", tone)) \(text)")
    }

    /// Writes all of the text; returns the `errno` of a failure.
    private static func write(_ text: String, to file: Int32) -> Int32? {
        var text = text
        return text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(
                    file,
                    bytes.baseAddress?.advanced(by: written),
                    bytes.count - written
                )
                if count >= 0 {
                    written += count
                } else if errno == EAGAIN {
                    // Another process has made the shared terminal non-blocking.
                    var wait = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&wait, 1, 1000)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }

    private static func environment(_ names: [String]) -> [String: String] {
        var values: [String: String] = [:]
        for name in names {
            if let value = getenv(name) { values[name] = String(cString: value) }
        }
        return values
    }
}

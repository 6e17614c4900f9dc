/// The way in which a process ended.
package enum ExitStatus: Hashable, Sendable {
    case code(Int32)
    case signal(Int32)

    package var isSuccess: Bool { self == .code(0) }

    /// Decodes the status that `waitpid` reports.
    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7F
        self = signal == 0 ? .code(waitStatus >> 8 & 0xFF) : .signal(signal)
    }
}

/// A terminal's width and height in characters.
package struct TerminalSize: Hashable, Sendable {
    package var columns: UInt16
    package var rows: UInt16

    package init(columns: UInt16 = 80, rows: UInt16 = 24) {
        self.columns = columns
        self.rows = rows
    }
}

/// One of a process's standard streams.
package enum StandardStream: Int32, Sendable, CaseIterable {
    case input, output, error
}

/// The settings with which a program runs.
package struct ProcessSettings: Sendable {
    /// The changes to the environment of the test run; `nil` removes a variable.
    package var environment: [String: String?] = [:]
    /// The working folder; `nil` is the folder of the test run.
    package var folder: String?
    /// The bytes on standard input, followed by its end; with a terminal, the typed bytes.
    package var input: [UInt8] = []
    /// The size of the pseudo-terminal that becomes the controlling terminal, if any.
    package var terminal: TerminalSize?
    /// The streams that are connected to the terminal, whose output is captured.
    package var terminalStreams: Set<StandardStream> = [.input, .output, .error]
    /// The time after which the program and its descendants are killed.
    package var timeLimit = Self.usualLimit

    /// Less than the time limit of a suite.
    package static let usualLimit = Duration.seconds(240)

    package init() {}

    package init(
        environment: [String: String?] = [:],
        folder: String? = nil,
        input: String = "",
        terminal: TerminalSize? = nil,
        timeLimit: Duration = usualLimit
    ) {
        self.environment = environment
        self.folder = folder
        self.input = Array(input.utf8)
        self.terminal = terminal
        self.timeLimit = timeLimit
    }
}

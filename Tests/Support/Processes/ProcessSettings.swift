/// How a process ended.
package enum ExitStatus: Hashable, Sendable {
    case code(Int32)
    case signal(Int32)

    package var isSuccess: Bool { self == .code(0) }

    /// Decodes what `waitpid` says.
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

/// One of a process' standard streams.
package enum StandardStream: Int32, Sendable, CaseIterable {
    case input, output, error
}

/// How a program is run.
package struct ProcessSettings: Sendable {
    /// Put over the environment of the test run; nil takes a variable out.
    package var environment: [String: String?] = [:]
    /// Where it runs; nil is the folder of the test run.
    package var folder: String?
    /// What it reads on its standard input, which then ends; with a terminal, what is typed.
    package var input: [UInt8] = []
    /// A pseudo-terminal of that size, which becomes its controlling terminal.
    package var terminal: TerminalSize?
    /// Which streams are on that terminal; what is written there is captured as output.
    package var terminalStreams: Set<StandardStream> = [.input, .output, .error]
    /// It and its descendants are killed when it takes longer.
    package var timeLimit: Duration = .seconds(60)

    package init() {}

    package init(
        environment: [String: String?] = [:],
        folder: String? = nil,
        input: String = "",
        terminal: TerminalSize? = nil,
        timeLimit: Duration = .seconds(60)
    ) {
        self.environment = environment
        self.folder = folder
        self.input = Array(input.utf8)
        self.terminal = terminal
        self.timeLimit = timeLimit
    }
}

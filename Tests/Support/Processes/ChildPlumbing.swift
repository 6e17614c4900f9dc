import Glibc
import SystemPackage

/// The descriptors between a child process and its runner.
struct ChildPlumbing {
    /// The runner's end of the child's input, non-blocking; `nil` if it does not exist.
    private(set) var toInput: Int32?
    private(set) var fromOutput: Int32?
    private(set) var fromError: Int32?
    private(set) var terminal: PseudoTerminal?
    /// Whether the last read found that no process has the terminal open.
    var terminalHasHungUp = false
    /// The child's ends, by stream; the runner closes them once the child has them.
    private var childEnds: [StandardStream: Int32] = [:]
    private var onTerminal: Set<StandardStream> = []

    init(_ settings: ProcessSettings) throws(Errno) {
        do {
            if let size = settings.terminal {
                let terminal = try PseudoTerminal(size)
                self.terminal = terminal
                onTerminal = settings.terminalStreams
                Self.makeNonBlocking(terminal.master)
            }
            try connect()
        } catch {
            closeAll()
            throw error
        }
    }

    /// Whether no process can write to the terminal and all its output has been read.
    ///
    /// The kernel delivers a process's output in a separate thread. An empty read therefore proves
    /// nothing, and only the hang-up follows the last byte.
    var terminalIsDrained: Bool { terminal == nil || terminalHasHungUp }

    /// Adds the descriptors to the actions of `posix_spawn`.
    func prepare(_ actions: inout posix_spawn_file_actions_t) {
        for stream in StandardStream.allCases {
            if let end = childEnds[stream] {
                posix_spawn_file_actions_adddup2(&actions, end, stream.rawValue)
            } else if let terminal {
                // The first terminal that a session leader opens becomes its controlling terminal.
                posix_spawn_file_actions_addopen(
                    &actions,
                    stream.rawValue,
                    terminal.path,
                    O_RDWR,
                    0
                )
            }
        }
        // The child must not inherit other tests' sockets.
        _ = HiddenFunctions.addCloseFrom?(&actions, 3)
    }

    mutating func closeChildEnds() {
        for end in childEnds.values { close(end) }
        childEnds = [:]
    }

    mutating func closeInput() {
        if let toInput { close(toInput) }
        toInput = nil
    }

    mutating func closeOutput() {
        if let fromOutput { close(fromOutput) }
        fromOutput = nil
    }

    mutating func closeError() {
        if let fromError { close(fromError) }
        fromError = nil
    }

    mutating func closeAll() {
        closeChildEnds()
        closeInput()
        closeOutput()
        closeError()
        if let terminal { close(terminal.master) }
        terminal = nil
    }

    private mutating func connect() throws(Errno) {
        if !onTerminal.contains(.input) {
            let (reader, writer) = try Self.makePipe()
            childEnds[.input] = reader
            toInput = writer
        }
        if !onTerminal.contains(.output) {
            let (reader, writer) = try Self.makePipe()
            childEnds[.output] = writer
            fromOutput = reader
        }
        if !onTerminal.contains(.error) {
            let (reader, writer) = try Self.makePipe()
            childEnds[.error] = writer
            fromError = reader
        }
        for end in [toInput, fromOutput, fromError] { end.map(Self.makeNonBlocking) }
    }

    private static func makePipe() throws(Errno) -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func makeNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
}

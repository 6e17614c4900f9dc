import CPlatform
import Glibc
import PawlCore
import SystemPackage

/// The state of a process, during and after its run.
struct ProcessState: Sendable {
    var output: [UInt8] = []
    var error: [UInt8] = []
    /// The exit status, set after the process has ended; from then on its number may be reused.
    var status: ExitStatus?
    /// Whether all output has been read.
    var isComplete = false
    var reachedTimeLimit = false
    /// The bytes still to type or pipe in; on a pipe, the end of input follows.
    var pendingInput: [UInt8] = []
    var resize: TerminalSize?
}

/// A spawned process and the thread that feeds, reads and reaps it.
final class RunningProcess: Sendable {
    let identifier: pid_t
    let state: Observed<ProcessState>
    private let deadline: Moment
    private let clock = SystemTimekeeper()

    private init(identifier: pid_t, settings: ProcessSettings) {
        self.identifier = identifier
        deadline = SystemTimekeeper().now() + settings.timeLimit
        var initial = ProcessState()
        initial.pendingInput = settings.input
        state = Observed(initial)
    }

    static func start(_ program: String, _ arguments: [String], _ settings: ProcessSettings)
        throws(Errno) -> RunningProcess
    {
        var plumbing = try ChildPlumbing(settings)
        let identifier: pid_t
        do throws(Errno) {
            identifier = try ChildSpawn.spawn(program, arguments, settings, plumbing)
        } catch {
            plumbing.closeAll()
            throw error
        }
        plumbing.closeChildEnds()
        let process = RunningProcess(identifier: identifier, settings: settings)
        let ends = plumbing
        do throws(Errno) {
            try BlockingThread.start { process.pump(ends) }
        } catch {
            process.send(SIGKILL, toGroup: true)
            plumbing.closeAll()
            throw error
        }
        return process
    }

    /// Sends a signal under the lock, so that it never reaches a process that reuses the number.
    func send(_ signal: Int32, toGroup: Bool = false) {
        state.update { state in
            if state.status == nil { kill(toGroup ? -identifier : identifier, signal) }
        }
    }

    private func pump(_ ends: ChildPlumbing) {
        var plumbing = ends
        // It is negative, and `poll` ignores it, if the system has no such descriptors.
        let processDescriptor = pawl_open_process(identifier)
        defer { if processDescriptor >= 0 { close(processDescriptor) } }
        var readsAfterEnd = 0
        while true {
            let brought = transfer(&plumbing, processDescriptor)
            if state.value.status != nil {
                // The last output may still be in a pipe or in the terminal. A descendant may hold
                // either open or write forever.
                readsAfterEnd += 1
                if !brought, plumbing.terminalIsDrained { break }
                if readsAfterEnd > 256 { break }
            }
            reap()
            enforceDeadline()
        }
        plumbing.closeAll()
        state.update { $0.isComplete = true }
    }

    /// Transfers bytes in both directions after a short wait, which ends with the process.
    ///
    /// Returns whether the process has written bytes.
    private func transfer(_ plumbing: inout ChildPlumbing, _ processDescriptor: Int32) -> Bool {
        feed(&plumbing)
        let isOver = state.value.status != nil
        // A terminal that no process has open would end each wait at once. Only a read shows if it
        // was opened again.
        let hungUp = plumbing.terminalHasHungUp ? plumbing.terminal?.master : nil
        let sources = [
            isOver ? nil : processDescriptor, hungUp == nil ? plumbing.terminal?.master : nil,
            plumbing.fromOutput, plumbing.fromError,
        ]
        var entries = sources.compactMap { $0 }.map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        // A short wait, because a test may give input, and the time limit may be reached.
        let waits = !isOver || !plumbing.terminalIsDrained
        poll(&entries, nfds_t(entries.count), waits ? 5 : 0)
        var (output, error): ([UInt8], [UInt8]) = ([], [])
        let ready = entries.filter { $0.revents != 0 && $0.fd != processDescriptor }.map(\.fd)
        for descriptor in [hungUp].compactMap(\.self) + ready {
            let isError = descriptor == plumbing.fromError
            let bytes = read(descriptor, &plumbing)
            if isError { error += bytes } else { output += bytes }
        }
        guard !output.isEmpty || !error.isEmpty else { return false }
        // One update keeps the order: a test that sees the latest output also sees all earlier
        // output.
        state.update { state in
            state.output += output
            state.error += error
        }
        return true
    }

    private func read(_ descriptor: Int32, _ plumbing: inout ChildPlumbing) -> ArraySlice<UInt8> {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count > 0 {
            if descriptor == plumbing.terminal?.master { plumbing.terminalHasHungUp = false }
            return buffer[0..<count]
        }
        if count < 0, errno == EAGAIN || errno == EINTR { return [] }
        if descriptor == plumbing.fromOutput { plumbing.closeOutput() }
        if descriptor == plumbing.fromError { plumbing.closeError() }
        // Reads from a terminal whose child side is closed fail with EIO until it is opened again.
        if descriptor == plumbing.terminal?.master { plumbing.terminalHasHungUp = true }
        return []
    }

    private func feed(_ plumbing: inout ChildPlumbing) {
        let (input, size) = state.update { state in
            defer { state.resize = nil }
            return (state.pendingInput, state.resize)
        }
        if let size, let terminal = plumbing.terminal {
            PseudoTerminal.resize(terminal.master, to: size)
        }
        guard let target = plumbing.toInput ?? plumbing.terminal?.master else { return }
        guard !input.isEmpty else {
            plumbing.closeInput()
            return
        }
        let count = write(target, input, input.count)
        if count > 0 {
            state.update { $0.pendingInput.removeFirst(count) }
        } else if count < 0, errno != EAGAIN, errno != EINTR {
            // The child no longer reads.
            state.update { $0.pendingInput = [] }
        }
    }

    private func reap() {
        state.update { state in
            var status: Int32 = 0
            guard state.status == nil, waitpid(identifier, &status, WNOHANG) == identifier else {
                return
            }
            state.status = ExitStatus(waitStatus: status)
            // The remaining processes of the group end with it; the number is not reused this soon.
            kill(-identifier, SIGKILL)
        }
    }

    private func enforceDeadline() {
        guard clock.now() >= deadline else { return }
        let isLate = state.update { state in
            guard state.status == nil, !state.reachedTimeLimit else { return false }
            state.reachedTimeLimit = true
            return true
        }
        if isLate { send(SIGKILL, toGroup: true) }
    }
}

internal import Glibc
internal import PawlCore
internal import Synchronization

/// A loop as other threads see it: an inbox, and a thread that starts with the first transfer.
final class TransferLoop: Sendable {
    enum Command {
        case start(TransferContext)
        case cancel(TransferContext)
        case resume(TransferContext)
        case nudge(TransferContext)
        /// Continues to read the body of the request.
        case send(TransferContext)
        /// Ends the transfers of a transport, and closes its connections.
        case leave(LoopTenant, LoopDeparture)
    }

    private enum Phase {
        case unused
        case running(CurlMulti, pthread_t)
        case closed
    }

    private struct Inbox {
        var phase = Phase.unused
        var commands: [Command] = []
    }

    private let inbox = Mutex(Inbox())
    private let assigned = Atomic<Int>(0)
    private let idle = Mutex(IdleConnections())

    /// The loops to which transfers are moved if they find no connection to share; `nil` if no
    /// transfer of this loop shares connections.
    let exits: LoopGroup?

    init(exits: LoopGroup? = nil) { self.exits = exits }

    /// The number of transfers assigned to it whose end has not been reported.
    var load: Int { assigned.load(ordering: .relaxed) }

    /// The processor time that its thread has used so far; `nil` if there is no thread.
    var workTime: Duration? {
        inbox.withLock { inbox in
            // In this phase the thread has not ended.
            guard case .running(_, let thread) = inbox.phase else { return nil }
            var (clock, time) = (clockid_t(), timespec())
            guard pthread_getcpuclockid(thread, &clock) == 0, clock_gettime(clock, &time) == 0
            else { return nil }
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
    }

    func transferAssigned() { assigned.add(1, ordering: .relaxed) }

    func transferEnded() { assigned.subtract(1, ordering: .relaxed) }

    /// Records that a completed transfer left its connection open.
    func keptConnection(_ key: String) { idle.withLock { $0.add(key) } }

    /// Returns the number of connections of that key that no transfer is known to use.
    func idleConnections(_ key: String) -> Int { idle.withLock { $0.count(key) } }

    /// Records that a transfer assigned to it takes an idle connection, if there is one.
    func takeConnection(_ key: String) { idle.withLock { $0.remove(key) } }

    func start(_ context: TransferContext) {
        let refusal: TransferOutcome? = inbox.withLock { inbox in
            // Otherwise the transfer could outlive its transport's connections.
            guard !context.tenant.isClosed else { return .cancelled }
            if case .unused = inbox.phase { inbox.phase = open() }
            switch inbox.phase {
            case .running:
                Self.post(.start(context), to: &inbox)
                return nil
            case .unused:
                return .failed(TransferFailure(.local, "cannot start a thread for transfers"))
            case .closed:
                return .cancelled
            }
        }
        guard let refusal else { return }
        transferEnded()
        context.deliver(TransferEnd(refusal))
    }

    func cancel(_ context: TransferContext) {
        inbox.withLock { Self.post(.cancel(context), to: &$0) }
    }

    func resume(_ context: TransferContext) {
        inbox.withLock { Self.post(.resume(context), to: &$0) }
    }

    func nudge(_ context: TransferContext) {
        inbox.withLock { Self.post(.nudge(context), to: &$0) }
    }

    /// Continues a transfer whose body had no bytes to send.
    func send(_ context: TransferContext) {
        inbox.withLock { Self.post(.send(context), to: &$0) }
    }

    /// Ends all transfers of a transport that starts no further ones, and closes its connections.
    ///
    /// Returns what to wait for; `nil` if nothing remains, or on the loop's own thread.
    func leave(_ tenant: LoopTenant) -> LoopDeparture? {
        inbox.withLock { inbox in
            guard case .running(_, let thread) = inbox.phase else { return nil }
            let departure = LoopDeparture()
            Self.post(.leave(tenant, departure), to: &inbox)
            return pthread_equal(thread, pthread_self()) == 0 ? departure : nil
        }
    }

    /// Lets the thread end.
    ///
    /// Returns the thread for joining.
    func close() -> pthread_t? {
        inbox.withLock { inbox in
            let phase = inbox.phase
            inbox.phase = .closed
            guard case .running(let multi, let thread) = phase else { return nil }
            multi.wake()
            return thread
        }
    }

    /// Takes the commands posted since the last call.
    ///
    /// Only the loop's own thread calls it.
    func takeCommands() -> (commands: [Command], isClosed: Bool) {
        inbox.withLock { inbox in
            let commands = inbox.commands
            inbox.commands = []
            guard case .closed = inbox.phase else { return (commands, false) }
            return (commands, true)
        }
    }

    private static func post(_ command: Command, to inbox: inout Inbox) {
        // Without a thread there is nothing to cancel or to resume.
        guard case .running(let multi, _) = inbox.phase else { return }
        inbox.commands.append(command)
        // The thread takes all commands at once, so only the first one needs to wake it.
        if inbox.commands.count == 1 { multi.wake() }
    }

    private func open() -> Phase {
        guard let multi = CurlMulti() else { return .unused }
        let body = Unmanaged.passRetained(LoopThread(loop: self, multi: multi))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, runLoop, body.toOpaque())
        guard code == 0 else {
            body.release()
            return .unused
        }
        return .running(multi, thread)
    }
}

private func runLoop(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let body else { return nil }
    Unmanaged<LoopThread>.fromOpaque(body).takeRetainedValue().run()
    return nil
}

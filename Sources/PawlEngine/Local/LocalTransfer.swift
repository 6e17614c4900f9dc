internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// Passes the bytes of a `file:` or `data:` URL to a sink.
///
/// It uses a thread of the pool only while it reads: a transfer that is held or paused gives it
/// back.
final class LocalTransfer: Transfer {
    /// What all such transfers of an engine share.
    struct Surroundings: Sendable {
        let pool: BlockingPool
        let alarms: AlarmClock
        let time: any Timekeeper
    }

    /// Where the transfer is; only the thread that has taken it changes it.
    fileprivate struct Progress: Sendable {
        var source: LocalSource?
        var offset: Int64 = 0
        var start: Moment
        var firstByte: Moment?
    }

    fileprivate struct State: Sendable {
        /// `nil` while a thread works, and after the end.
        var progress: Progress?
        var isHeld = false
        var pausedUntil: Moment?
        var isNudged = false
        var isCancelled = false
        var alarm: AlarmClock.Ticket?

        func isReady(at now: Moment) -> Bool {
            isCancelled || isNudged || !isHeld && pausedUntil.map { $0 <= now } ?? true
        }
    }

    private let request: TransferRequest
    private let sink: any TransferSink
    private let surroundings: Surroundings
    private let state: Mutex<State>

    init(_ request: TransferRequest, sink: any TransferSink, _ surroundings: Surroundings) {
        (self.request, self.sink, self.surroundings) = (request, sink, surroundings)
        state = Mutex(State(progress: Progress(start: surroundings.time.now())))
    }

    /// Starts the transfer.
    func begin() { advance() }

    func cancel() { change { $0.isCancelled = true } }

    func resume() { change { ($0.isHeld, $0.pausedUntil) = (false, nil) } }

    func nudge() { change { $0.isNudged = true } }

    private func change(_ apply: (inout sending State) -> Void) {
        state.withLock { apply(&$0) }
        advance()
    }

    /// Continues on a thread of the pool if nothing forbids it.
    private func advance() {
        let now = surroundings.time.now()
        let progress = state.withLock { state -> Progress? in
            guard state.isReady(at: now) else { return nil }
            defer { state.progress = nil }
            return state.progress
        }
        guard let progress else { return }
        surroundings.pool.start { refusal in self.work(progress, isRefused: refusal != nil) }
    }

    /// Works until the transfer has ended or must wait.
    private func work(_ progress: Progress, isRefused: Bool) {
        var progress = progress
        guard !isRefused else { return end(progress, .cancelled) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(4096, min(request.bufferBytes, 256 * 1024)),
            alignment: 4096
        )
        defer { buffer.deallocate() }
        while true {
            let instruction = state.withLock {
                $0.nextInstruction(at: surroundings.time.now(), progress)
            }
            switch instruction {
            case .cancel: return end(progress, .cancelled)
            case .wait(let moment): return wait(until: moment)
            case .nudge:
                if progress.source != nil, let outcome = follow(sink.transferNudged()) {
                    return end(progress, outcome)
                }
            case .go:
                if let outcome = step(&progress, buffer) { return end(progress, outcome) }
            }
        }
    }

    /// Shows the head or some bytes to the sink; returns the outcome if the transfer ends.
    private func step(
        _ progress: inout Progress,
        _ buffer: UnsafeMutableRawBufferPointer
    ) -> TransferOutcome? {
        do throws(TransferFailure) {
            guard let source = progress.source else {
                let source = try LocalSource(request)
                (progress.source, progress.offset) = (source, source.range.start)
                progress.firstByte = surroundings.time.now()
                return show(source.head)
            }
            guard progress.offset < source.range.end else { return .completed }
            let (count, decision) = try source.read(at: progress.offset, into: buffer) { bytes in
                sink.transferReceived(bytes)
            }
            progress.offset += Int64(count)
            return follow(decision)
        } catch {
            return .failed(error)
        }
    }

    private func show(_ head: ResponseHead) -> TransferOutcome? {
        switch sink.transferReceived(head) {
        case .take: return nil
        case .hold:
            state.withLock { $0.isHeld = true }
            return nil
        case .refuse: return .stopped
        }
    }

    private func follow(_ decision: BodyDecision) -> TransferOutcome? {
        switch decision {
        case .more: break
        case .hold: state.withLock { $0.isHeld = true }
        case .pause(let duration):
            let moment = surroundings.time.now() + duration
            state.withLock { $0.pausedUntil = moment }
        case .stop: return .stopped
        }
        return nil
    }

    /// Lets an alarm continue the transfer at a moment; without one, the next command does.
    private func wait(until moment: Moment?) {
        if let moment {
            let ticket =
                state.withLock { $0.alarm }
                ?? surroundings.alarms.enroll { [weak self] in
                    self?.advance()
                }
            state.withLock { $0.alarm = ticket }
            surroundings.alarms.set(ticket, at: moment)
        }
        // A command may have arrived before the transfer could be continued.
        advance()
    }

    private func end(_ progress: Progress, _ outcome: TransferOutcome) {
        if let alarm = state.withLock({ $0.alarm }) { surroundings.alarms.resign(alarm) }
        var timings = TransferTimings()
        timings.firstByte = progress.firstByte.map { $0 - progress.start }
        timings.total = surroundings.time.now() - progress.start
        sink.transferEnded(TransferEnd(outcome, timings: timings))
    }
}

extension LocalTransfer.State {
    fileprivate enum Instruction {
        case go, nudge, cancel
        case wait(until: Moment?)
    }

    /// Returns what to do next, and puts the progress back if that is to wait.
    fileprivate mutating func nextInstruction(at now: Moment, _ progress: LocalTransfer.Progress)
        -> Instruction
    {
        if isCancelled { return .cancel }
        if isNudged {
            isNudged = false
            return .nudge
        }
        if let moment = pausedUntil, moment <= now { pausedUntil = nil }
        guard isHeld || pausedUntil != nil else { return .go }
        self.progress = progress
        return .wait(until: isHeld ? nil : pausedUntil)
    }
}

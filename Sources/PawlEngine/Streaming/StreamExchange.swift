internal import PawlCore
internal import Synchronization

/// One exchange with a server: its head as judged, its bytes on their way to the reader, its end.
///
/// The network's thread puts in, the reader takes out; when the reader is behind by a bufferful, the
/// transfer is held until it has taken it.
final class StreamExchange: TransferSink {
    /// The most that waits for the reader.
    static let mostBytes = 256 << 10
    /// The most that comes at a time.
    static let pieceBytes = 64 << 10

    struct Answer: Sendable {
        var verdict: StreamVerdict
        var head: ResponseHead
    }

    /// How far the way to an answer is.
    enum Asked: Sendable {
        case answered(Answer)
        /// Without an answer.
        case ended(TransferEnd)
        case waiting
    }

    enum News: Sendable {
        case bytes([UInt8])
        case ended(TransferEnd)
        case nothing
    }

    private struct State {
        var answer: Answer?
        var pending: [UInt8] = []
        var receivedBytes: Int64 = 0
        var sentBytes: Int64 = 0
        /// When the transfer last moved, or will be able to.
        var lastMove: Moment
        var isHeld = false
        var isSuspended: Bool
        var end: TransferEnd?
        var slot: HostSlot?
    }

    private let state: Mutex<State>
    private let judge: StreamHeadJudge
    private let limit: RateLimitClock
    private let time: any Timekeeper
    private let wake: @Sendable () -> Void

    init(
        judge: StreamHeadJudge,
        slot: HostSlot,
        isSuspended: Bool,
        engine: Engine,
        wake: @escaping @Sendable () -> Void
    ) {
        self.judge = judge
        limit = engine.limit
        time = engine.time
        self.wake = wake
        state = Mutex(State(lastMove: time.now(), isSuspended: isSuspended, slot: slot))
    }

    // MARK: - For the reader

    /// Looked at in one go: an answer and its end may come between two looks.
    var asked: Asked {
        state.withLock { state in
            if let answer = state.answer { return .answered(answer) }
            return state.end.map(Asked.ended) ?? .waiting
        }
    }

    var end: TransferEnd? { state.withLock { $0.end } }

    /// Of the body, so far.
    var receivedBytes: Int64 { state.withLock { $0.receivedBytes } }

    /// Of the request's own body, so far.
    var sentBytes: Int64 { state.withLock { $0.sentBytes } }

    /// Since when nothing moves; nil where nothing is to move.
    var quietSince: Moment? { state.withLock { $0.isSuspended ? nil : $0.lastMove } }

    /// What there is for the reader, and whether the transfer is to be resumed.
    func take() -> (news: News, resumes: Bool) {
        let now = time.now()
        return state.withLock { state in
            guard !state.isSuspended else { return (.nothing, false) }
            let resumes = state.isHeld
            state.isHeld = false
            if resumes { state.lastMove = max(state.lastMove, now) }
            if !state.pending.isEmpty {
                let bytes = state.pending
                state.pending = []
                return (.bytes(bytes), resumes)
            }
            if let end = state.end { return (.ended(end), resumes) }
            return (.nothing, resumes)
        }
    }

    /// Nothing comes and nothing is given out, until this is turned off.
    func setSuspended(_ isSuspended: Bool) {
        let now = time.now()
        state.withLock { state in
            state.isSuspended = isSuspended
            state.lastMove = max(state.lastMove, now)
        }
        wake()
    }

    // MARK: - For the network

    func transferReceived(_ head: ResponseHead) -> HeadAnswer {
        let verdict = judge.judge(head)
        let now = time.now()
        let answer: HeadAnswer = state.withLock { state in
            state.answer = Answer(verdict: verdict, head: head)
            state.lastMove = now
            guard case .accept = verdict else { return .refuse }
            // Without a limit somebody is to see the head first.
            guard judge.limit == nil || state.isSuspended else { return .take }
            state.isHeld = true
            return .hold
        }
        wake()
        return answer
    }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyAnswer {
        let now = time.now()
        let wait = limit.charge(bytes: bytes.count, now: now)
        let holds = state.withLock { state in
            state.pending.append(contentsOf: bytes)
            state.receivedBytes += Int64(bytes.count)
            state.lastMove = now + wait
            state.isHeld =
                state.isSuspended || state.pending.count > Self.mostBytes - Self.pieceBytes
            return state.isHeld
        }
        wake()
        if holds { return .hold }
        return wait > .zero ? .pause(wait) : .more
    }

    func transferSent(_ count: Int64) {
        let now = time.now()
        state.withLock { state in
            state.sentBytes = count
            state.lastMove = now
        }
    }

    func transferEnded(_ end: TransferEnd) {
        // The slot is let go after the lock.
        let slot = state.withLock { state in
            state.end = end
            defer { state.slot = nil }
            return state.slot
        }
        withExtendedLifetime(slot) {}
        wake()
    }
}

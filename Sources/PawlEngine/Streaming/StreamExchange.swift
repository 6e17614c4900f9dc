internal import PawlCore
internal import Synchronization

/// One exchange with a server: its judged head, the bytes waiting for the reader, its end.
///
/// The network's thread adds bytes and the reader takes them. When one buffer's worth of bytes
/// waits, the transfer is held until the reader has taken them.
final class StreamExchange: TransferSink {
    /// The maximum number of bytes that wait for the reader.
    static let mostBytes = 256 << 10
    /// The maximum number of bytes received at once.
    static let pieceBytes = 64 << 10

    struct JudgedHead: Sendable {
        var verdict: StreamVerdict
        var head: ResponseHead
    }

    /// The state of the way to a response.
    enum Asked: Sendable {
        case answered(JudgedHead)
        /// The exchange ended without a response.
        case ended(TransferEnd)
        case waiting
    }

    enum Reading: Sendable {
        case bytes([UInt8])
        case ended(TransferEnd)
        case nothing
    }

    private struct State {
        var answer: JudgedHead?
        var pending: [UInt8] = []
        /// The beginning of the body of an error status.
        var errorBody = ErrorBody()
        var receivedBytes: Int64 = 0
        var sentBytes: Int64 = 0
        /// The time when the transfer last made progress, or will be able to.
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

    /// The state, read in one operation: a response and its end may arrive between two reads.
    var asked: Asked {
        state.withLock { state in
            if let answer = state.answer { return .answered(answer) }
            return state.end.map(Asked.ended) ?? .waiting
        }
    }

    var end: TransferEnd? { state.withLock { $0.end } }

    /// The number of bytes of the body received so far.
    var receivedBytes: Int64 { state.withLock { $0.receivedBytes } }

    /// The number of bytes of the request's own body sent so far.
    var sentBytes: Int64 { state.withLock { $0.sentBytes } }

    /// The time since which nothing has moved; `nil` if nothing should move.
    var quietSince: Moment? { state.withLock { $0.isSuspended ? nil : $0.lastMove } }

    /// Returns what there is for the reader, and whether the transfer must be resumed.
    func take() -> (reading: Reading, resumes: Bool) {
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

    /// Turns suspension on or off.
    ///
    /// While suspended, no bytes are received or delivered.
    func setSuspended(_ isSuspended: Bool) {
        let now = time.now()
        state.withLock { state in
            state.isSuspended = isSuspended
            state.lastMove = max(state.lastMove, now)
        }
        wake()
    }

    // MARK: - For the network

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        let verdict = judge.judge(head)
        let now = time.now()
        let answer: HeadDecision = state.withLock { state in
            state.answer = JudgedHead(verdict: verdict, head: head)
            state.lastMove = now
            if case .status = verdict { return .take }
            guard case .accept = verdict else { return .refuse }
            // Without a limit a caller must see the head first.
            guard judge.limit == nil || state.isSuspended else { return .take }
            state.isHeld = true
            return .hold
        }
        wake()
        return answer
    }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        if let takesMore = takeErrorBody(bytes) { return takesMore ? .more : .stop }
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

    /// Takes bytes of an error's body, and returns whether there is room for more; `nil` if the
    /// body is the one that was asked for.
    private func takeErrorBody(_ bytes: UnsafeRawBufferPointer) -> Bool? {
        state.withLock { state in
            guard case .status? = state.answer?.verdict else { return nil }
            return state.errorBody.append(bytes)
        }
    }

    /// The beginning of the body of an error status, and whether it is the whole body.
    var errorBody: (ErrorBody, isWhole: Bool) {
        state.withLock { ($0.errorBody, $0.end?.outcome == .completed) }
    }

    func transferSent(_ count: Int64) {
        let now = time.now()
        state.withLock { state in
            state.sentBytes = count
            state.lastMove = now
        }
    }

    func transferEnded(_ end: TransferEnd) {
        // The slot is released after the lock.
        let slot = state.withLock { state in
            state.end = end
            defer { state.slot = nil }
            return state.slot
        }
        withExtendedLifetime(slot) {}
        wake()
    }
}

extension TransferEnd {
    /// Returns the failure of an exchange that broke before its head or the end of its body.
    func failure() throws(DownloadError) -> TransferFailure {
        switch outcome {
        case .failed(let failure): return failure
        case .completed, .stopped:
            return TransferFailure(.malformedResponse, "received no response")
        // The driver did not cancel it: the transport was shut down.
        case .cancelled: throw StreamClock.stopped
        }
    }
}

extension ResponseHead {
    /// The fields that two responses must share to count as the same.
    var traits: [String?] {
        [String(status)]
            + ["Content-Length", "Content-Type", "Content-Encoding", "ETag", "Last-Modified"]
            .map { self[$0] }
    }
}

internal import PawlCore

/// Delivers a response to the session, step by step.
struct ResponseDelivery: Sendable {
    enum Command: Sendable {
        case cancel
        case resume
        case nudge
    }

    private let request: TransferRequest
    private let sink: any TransferSink
    private let commands: Mailbox<Command>
    private let time: any Timekeeper
    private var headMoment: Moment?
    private var isHeld = false
    private var isStopped = false
    private var pauseEnd: Moment?

    init(
        _ request: TransferRequest,
        to sink: any TransferSink,
        commands: Mailbox<Command>,
        time: any Timekeeper
    ) {
        (self.request, self.sink) = (request, sink)
        (self.commands, self.time) = (commands, time)
    }

    /// Delivers the response, and then its end.
    mutating func run(_ steps: [DeliveryStep], body: [UInt8]) async {
        let start = time.now()
        if !request.body.isEmpty { sink.transferSent(Int64(request.body.count)) }
        let outcome = await deliver(steps, body)
        var timings = TransferTimings()
        timings.firstByte = headMoment.map { $0 - start }
        timings.total = time.now() - start
        sink.transferEnded(TransferEnd(outcome, timings: timings))
    }

    private mutating func deliver(_ steps: [DeliveryStep], _ body: [UInt8]) async
        -> TransferOutcome
    {
        for step in steps {
            if let end = await waitUntilReady() { return end }
            switch step {
            case .hold(let hold):
                hold.arrive { [commands] in commands.wake() }
                if let end = await waitUntilReady(for: hold) { return end }
            case .head(let head):
                show(head)
            case .bytes(let range):
                if let end = await show(body, range) { return end }
            case .end(let outcome):
                return outcome
            }
        }
        return isStopped ? .stopped : .completed
    }

    private mutating func show(_ head: ResponseHead) {
        headMoment = time.now()
        switch sink.transferReceived(head) {
        case .take: break
        case .hold: isHeld = true
        case .refuse: isStopped = true
        }
    }

    /// Passes on a part of the body in pieces; returns the end if it is reached before.
    private mutating func show(_ body: [UInt8], _ range: Range<Int>) async -> TransferOutcome? {
        let most = max(1, min(request.bufferBytes, 64 * 1024))
        for start in stride(from: range.lowerBound, to: range.upperBound, by: most) {
            if let end = await waitUntilReady() { return end }
            let piece = start..<min(start + most, range.upperBound)
            let decision = body.withUnsafeBytes { bytes in
                sink.transferReceived(UnsafeRawBufferPointer(rebasing: bytes[piece]))
            }
            follow(decision)
        }
        return nil
    }

    private mutating func follow(_ decision: BodyDecision) {
        switch decision {
        case .more: break
        case .pause(let duration): pauseEnd = time.now() + duration
        case .hold: isHeld = true
        case .stop: isStopped = true
        }
    }

    /// Carries out commands until the next step may follow; returns the end if that comes first.
    private mutating func waitUntilReady(for hold: ResponseHold? = nil) async -> TransferOutcome? {
        while true {
            for command in commands.take() {
                switch command {
                case .cancel: return .cancelled
                case .resume: (isHeld, pauseEnd) = (false, nil)
                case .nudge: if headMoment != nil, !isStopped { follow(sink.transferNudged()) }
                }
            }
            if isStopped { return .stopped }
            if let end = pauseEnd, end <= time.now() { pauseEnd = nil }
            guard isHeld || pauseEnd != nil || hold?.isReleased == false else { return nil }
            await wait(until: isHeld ? nil : pauseEnd)
        }
    }

    /// Waits for a command, a release or a moment.
    private func wait(until moment: Moment?) async {
        guard let moment else { return await commands.wait() }
        await withTaskGroup(of: Void.self) { [commands, time] group in
            group.addTask { await commands.wait() }
            // It throws only if it is cancelled, because a command has arrived.
            group.addTask { _ = try? await time.sleep(until: moment) }
            await group.next()
            group.cancelAll()
        }
    }
}

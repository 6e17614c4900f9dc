internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// One exchange for the last bytes of a file.
///
/// Over HTTP, the server finds them (RFC 9110 §14.1.2). If it does not, and with other protocols,
/// the first response shows the size of the file, and another request asks for the part. No byte is
/// passed on unless the size in its own response agrees with its offset.
final class FileEndTransfer: Transfer, TransferSink {
    /// The maximum number of requests, if the size is another one in each response.
    private static let mostRequests = 4

    private struct State {
        /// The size of the file by which the running request was made; `nil` if it is not known.
        var total: Int64?
        /// The size by which another request is made as soon as the running one has ended.
        var nextTotal: Int64?
        /// The reason why the response was refused.
        var failure: TransferFailure?
        var requests = 0
        /// What takes the accepted response.
        var view: RangeViewSink?
        var exchange = RunningTransfer()
    }

    /// What follows from the end of a request.
    private enum Step {
        case askAgain
        case end(TransferOutcome)
    }

    private let request: TransferRequest
    private let file: FileEnd
    private let sink: any TransferSink
    private let state: Mutex<State>

    /// `total`: the size of the file if it is known.
    init(_ request: TransferRequest, of file: FileEnd, total: Int64?, _ sink: any TransferSink) {
        (self.request, self.file, self.sink) = (request, file, sink)
        state = Mutex(State(total: total))
    }

    /// Whether the whole part was requested.
    private var isWhole: Bool { request.range == nil }

    private var speaksHTTP: Bool { request.scheme.isHTTP || request.scheme == .s3 }

    func start() {
        let (total, number, isCancelled) = state.withLock { state in
            state.requests += 1
            state.exchange.end()
            return (state.total, state.requests, state.exchange.isCancelled)
        }
        guard !isCancelled else { return sink.transferEnded(TransferEnd(.cancelled)) }
        let transfer = file.transport.start(asked(total), sink: self)
        let calls = state.withLock { state in
            // It may have ended already, and another one may have started.
            state.requests == number ? state.exchange.begin(transfer) : TransferCalls()
        }
        calls.make(to: transfer)
    }

    private func asked(_ total: Int64?) -> TransferRequest {
        if let total { return view(total).request(request) }
        var asked = request
        asked.range = nil
        if speaksHTTP {
            asked.fields.append(HTTPField(name: "Range", value: "bytes=" + file.range.text))
        }
        return asked
    }

    private func view(_ total: Int64) -> RangeView { RangeView(file.range.resolved(total: total)) }

    // MARK: - Transfer

    func cancel() { state.withLock { $0.exchange.cancel() }?.cancel() }

    func resume() { state.withLock { $0.exchange.resume() }?.resume() }

    func nudge() { state.withLock { $0.exchange.nudge() }?.nudge() }

    // MARK: - The head

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        let asked = state.withLock { $0.total }
        let mayLocate = isWhole || asked == nil
        let contentRange = head["Content-Range"].flatMap { ContentRange(parsing: $0) }
        switch (head.status, contentRange) {
        case (206, .part(let sent, let total?)):
            let isFound = isWhole && sent == file.range.resolved(total: total).byteRange
            if asked == total || (asked == nil && isFound) { return show(head, total) }
            return mayLocate ? askAgain(total) : deny(head, total)
        case (206, .part(_, total: nil)): return failUnknown()
        case (416, .unsatisfied(let total)):
            return mayLocate && asked != total && total > 0 ? askAgain(total) : deny(head, total)
        case (200, _):
            guard case .sound(let length) = BodyFraming(of: head) else { break }
            guard let total = length else { return failUnknown() }
            let isUseful = !isWhole || (file.range.resolved(total: total).start > 0 && serves(head))
            return asked == nil && isUseful && total > 0 ? askAgain(total) : show(head, total)
        default: break
        }
        return sink.transferReceived(head)
    }

    /// Whether a request for the part by its offsets may save the bytes before it.
    private func serves(_ head: ResponseHead) -> Bool {
        guard RequestMethod.isIdempotent(request.method) else { return false }
        let units = (head["Accept-Ranges"] ?? "").listMembers
        return !speaksHTTP || units.contains { $0.lowercased() == "bytes" }
    }

    private func show(_ head: ResponseHead, _ total: Int64) -> HeadDecision {
        if isWhole { file.found(size: total) }
        let view = RangeViewSink(sink, view(total), isWhole: isWhole)
        state.withLock { $0.view = view }
        return view.transferReceived(head)
    }

    /// Reports that the file no longer has the part: at the end of a file of another size is another
    /// part.
    private func deny(_ head: ResponseHead, _ total: Int64) -> HeadDecision {
        var head = head
        (head.status, head.reason) = (416, "Range Not Satisfiable")
        head.fields.removeAll { $0.hasName("Content-Range") || $0.hasName("Content-Length") }
        let range = file.range.resolved(total: total).byteRange
        head.fields.append(HTTPField(name: "Content-Range", value: "bytes */\(range.count)"))
        return sink.transferReceived(head)
    }

    private func askAgain(_ total: Int64) -> HeadDecision {
        let mayRepeat = RequestMethod.isIdempotent(request.method)
        let isAsked = state.withLock { state in
            guard mayRepeat, state.requests < Self.mostRequests else { return false }
            state.nextTotal = total
            return true
        }
        return isAsked ? .refuse : fail("the size of the file changes from response to response")
    }

    private func failUnknown() -> HeadDecision {
        fail("the server does not report the size of the file, so its end is not known")
    }

    private func fail(_ reason: String) -> HeadDecision {
        state.withLock { $0.failure = TransferFailure(.malformedResponse, reason) }
        return .refuse
    }

    // MARK: - What follows

    /// What takes the response.
    private var receiver: any TransferSink { state.withLock { $0.view } ?? sink }

    func transferSent(_ count: Int64) { sink.transferSent(count) }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        receiver.transferReceived(bytes)
    }

    func transferNudged() -> BodyDecision {
        let isRefused = state.withLock { $0.nextTotal != nil || $0.failure != nil }
        return isRefused ? .more : receiver.transferNudged()
    }

    func transferEnded(_ end: TransferEnd) {
        let step = state.withLock { state -> Step in
            guard end.outcome != .cancelled else { return .end(.cancelled) }
            if let total = state.nextTotal {
                guard !state.exchange.isCancelled else { return .end(.cancelled) }
                (state.total, state.nextTotal) = (total, nil)
                state.exchange.end()
                return .askAgain
            }
            return .end(state.failure.map { .failed($0) } ?? end.outcome)
        }
        switch step {
        // This thread is the transport's own.
        case .askAgain: file.pool.start { [self] _ in start() }
        case .end(let outcome):
            receiver.transferEnded(TransferEnd(outcome, timings: end.timings))
        }
    }
}

internal import CCurl
internal import PawlCore
internal import struct FoundationEssentials.URL

/// One transfer on its way: what libcurl's callbacks work on.
///
/// `@unchecked`: once posted to a loop, only that loop's thread touches it.
final class TransferContext: @unchecked Sendable {
    enum Pause {
        case none
        /// Until a timer says so.
        case timed
        /// Until the sink's side says so.
        case held
    }

    let request: TransferRequest
    private var sink: (any TransferSink)?
    private var timers: PauseTimers?
    private var head: HeadCollector
    /// Of the request's own body.
    private var sentBytes: Int64 = 0
    private var isHeadShown = false
    /// nil where the end of the body does not depend on it.
    private var isClosedCleanly: Bool?

    /// nil before the loop has begun with it and after libcurl is done with it.
    var handle: CurlHandle?
    var pause = Pause.none
    /// Set where the sink or the head decides the outcome before libcurl knows of it.
    private(set) var ending: TransferOutcome?
    /// The end that came while the sink held the transfer.
    private(set) var deferredEnd: TransferEnd?

    init(request: TransferRequest, sink: any TransferSink) {
        self.request = request
        head = HeadCollector(hasBody: request.method != "HEAD")
        self.sink = sink
    }

    var isHeld: Bool { pause == .held }

    func begin(with handle: CurlHandle, timers: PauseTimers) {
        self.handle = handle
        self.timers = timers
    }

    func outcome(of code: CURLcode) -> TransferOutcome {
        if let ending { return ending }
        guard code == CURLE_OK else {
            return .failed(
                TransferFailure(code: code, of: handle, request: request, head: head)
            )
        }
        guard head.isFinal else {
            return .failed(TransferFailure(.malformedResponse, "no final head came"))
        }
        guard !head.isCloseDelimited || isClosedCleanly != false else {
            return .failed(
                TransferFailure(.connectionLost, "the connection was cut: TLS has not ended it")
            )
        }
        return .completed
    }

    /// Shows what is left to show; nil where the sink holds the transfer, which defers the end.
    func conclude(_ end: TransferEnd) -> TransferEnd? {
        guard end.outcome != .cancelled else { return end }
        if !isHeadShown, ending == nil { showHead() }
        let end = TransferEnd(ending ?? end.outcome, timings: end.timings)
        guard isHeld, ending == nil else { return end }
        deferredEnd = end
        return nil
    }

    /// The last call to the sink, which is let go.
    func deliver(_ end: TransferEnd) {
        let sink = self.sink
        self.sink = nil
        timers = nil
        deferredEnd = nil
        sink?.transferEnded(end)
    }
}

// What libcurl's callbacks call.
extension TransferContext {
    /// Takes a line of a head; false ends the transfer.
    func receivedHeadLine(_ line: UnsafeRawBufferPointer) -> Bool {
        // After the body has begun these are trailers (RFC 9112 §7.1.2), of which nothing is used.
        guard !isHeadShown else { return true }
        do throws(TransferFailure) {
            try head.take(line)
            if head.isCloseDelimited, request.url.isSecure, isClosedCleanly == nil {
                isClosedCleanly = false
                handle?.watchProgress(of: self)
            }
            // Nothing follows a success but its body, which may be slow to come.
            if head.isSuccess { showHead() }
            return ending == nil || isBodySmall
        } catch {
            ending = .failed(error)
            return false
        }
    }

    /// Takes bytes of the body: their count, a pause, or another number, which ends the transfer.
    func received(_ bytes: UnsafeRawBufferPointer) -> Int {
        // Asking libcurl to pause only when there is more keeps to the one way that it knows best;
        // it keeps these bytes and shows them again.
        guard pause == .none else { return Int(CURL_WRITEFUNC_PAUSE) }
        if !isHeadShown {
            showHead()
            if isHeld { return Int(CURL_WRITEFUNC_PAUSE) }
        }
        // A body that is here as a whole is let pass, so that the connection can be used again.
        if ending == .stopped, handle?.contentLength == Int64(bytes.count) { return bytes.count }
        guard ending == nil, let sink else { return 0 }
        obey(sink.transferReceived(bytes))
        return ending == nil ? bytes.count : 0
    }

    /// Called on the loop's thread, between libcurl's callbacks.
    func nudged() {
        guard isHeadShown, ending == nil, deferredEnd == nil, let sink else { return }
        obey(sink.transferNudged())
    }

    private func obey(_ answer: BodyAnswer) {
        switch answer {
        case .more: break
        case .pause(let duration): startPause(duration)
        case .hold:
            if pause == .timed { timers?.remove(self) }
            pause = .held
        case .stop: ending = .stopped
        }
    }

    /// Whether the body of a refused head is likely to come with it.
    private var isBodySmall: Bool {
        guard let length = handle?.contentLength else { return false }
        return (0...Int64(16 * 1024)).contains(length)
    }

    /// Called by libcurl every now and then, and once between the last byte and the close.
    func progressed(sent: Int64) {
        if isClosedCleanly != nil { isClosedCleanly = handle?.isClosedCleanly }
        guard sent > sentBytes else { return }
        sentBytes = sent
        sink?.transferSent(sent)
    }

    /// Heads other than a success are shown when a body or the end proves them final: a 401 that
    /// libcurl answers with credentials has neither.
    private func showHead() {
        guard let sink, let head = head.finalHead(url: request.url) else { return }
        isHeadShown = true
        handle?.noteScheme(of: request, isSignedIn: head.status != 401)
        switch sink.transferReceived(head) {
        case .take: break
        case .hold: pause = .held
        case .refuse: ending = .stopped
        }
    }

    private func startPause(_ duration: Duration) {
        guard duration > .zero else { return }
        pause = .timed
        timers?.add(self, until: SystemTimekeeper().now() + duration)
    }
}

extension URL {
    fileprivate var isSecure: Bool { scheme?.lowercased() == "https" }
}

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

    /// A small body that was refused mostly comes with its head.
    private static let patienceWithRefusedBody = Duration.milliseconds(500)

    let request: TransferRequest
    /// Scheme, host and port.
    let origin: String
    /// Nil where it has a connection of its own.
    private(set) var sharing: Sharing?
    /// Where it went on with a connection of its own; for the loop that it was on.
    private(set) var newHome: TransferLoop?
    private var sink: (any TransferSink)?
    private var timers: PauseTimers?
    private var buffers: BodyBuffers?
    private var idleSockets: IdleSockets?
    /// Bytes that came and are not shown yet; nil where there are none.
    private var buffer: BodyBuffer?
    /// How many bytes of the body were shown.
    private var shownBytes: Int64 = 0
    private var head: HeadCollector
    /// Of the request's own body.
    private var sentBytes: Int64 = 0
    private var isHeadShown = false
    private let clock = SystemTimekeeper()
    /// nil where the end of the body does not depend on it.
    private var isClosedCleanly: Bool?

    /// An address was found that the request may not go to.
    private var hasMetPrivateAddress = false
    /// Whether bytes that belong to no answer waited on the connection that it was to use.
    private var hasMetSurplus = false
    /// Whether this is its second attempt, over a connection made for it.
    private(set) var isSecondAttempt = false

    /// nil before the loop has begun with it and after libcurl is done with it.
    var handle: CurlHandle?
    /// The most that libcurl reads for it at a time; nil on a connection that others use, too.
    var receiveBytes: Int?
    var pause = Pause.none {
        didSet { if pause == .held, sharing != nil { watchHold() } }
    }
    /// Set where the sink or the head decides the outcome before libcurl knows of it.
    private(set) var ending: TransferOutcome?
    /// The end that came while the sink held the transfer.
    private(set) var deferredEnd: TransferEnd?

    init(
        request: TransferRequest,
        origin: String,
        sharing: Sharing? = nil,
        sink: any TransferSink
    ) {
        self.request = request
        self.origin = origin
        self.sharing = sharing
        head = HeadCollector(hasBody: request.method != "HEAD")
        self.sink = sink
    }

    var isHeld: Bool { pause == .held }

    func begin(
        with handle: CurlHandle,
        timers: PauseTimers,
        buffers: BodyBuffers,
        idleSockets: IdleSockets
    ) {
        self.handle = handle
        self.timers = timers
        self.buffers = buffers
        self.idleSockets = idleSockets
    }

    func outcome(of code: CURLcode) -> TransferOutcome {
        if let ending { return ending }
        guard code == CURLE_OK else {
            if hasMetPrivateAddress, !isHeadShown {
                return .failed(TransferFailure(.addressRefused, ""))
            }
            if hasMetSurplus {
                return .failed(
                    TransferFailure(.malformedResponse, "more bytes came than the answer has")
                )
            }
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
        dropGathered()
        buffers = nil
        timers = nil
        idleSockets = nil
        deferredEnd = nil
        sink?.transferEnded(end)
    }
}

// A second attempt.
extension TransferContext {
    /// Whether the rest of an earlier answer on its connection is in the way of this one.
    ///
    /// Some servers send more bytes than `Content-Length`. They wait on the connection before it is
    /// used again, or are read as the beginning of the next answer.
    func isSpoiledByRest(_ outcome: TransferOutcome) -> Bool {
        guard case .failed(let failure) = outcome, failure.kind == .malformedResponse,
            !isHeadShown, !isSecondAttempt, sharing == nil,
            RequestMethod.isIdempotent(request.method), let handle
        else { return false }
        return hasMetSurplus || TransferTimings(of: handle).reusedConnection
    }

    /// Forgets what came: the request is sent again over a connection of its own.
    func beginSecondAttempt() {
        isSecondAttempt = true
        hasMetSurplus = false
        ending = nil
        head = HeadCollector(hasBody: request.method != "HEAD")
        isClosedCleanly = nil
        sentBytes = 0
        dropGathered()
    }
}

// What libcurl's callbacks call.
extension TransferContext {
    /// Takes a line of a head; false ends the transfer.
    func receivedHeadLine(_ line: UnsafeRawBufferPointer) -> Bool {
        // After the body has begun these are trailers (RFC 9112 §7.1.2), of which nothing is used.
        guard !isHeadShown else { return true }
        sharing?.heard(0, at: clock.now())
        do throws(TransferFailure) {
            try head.take(line)
            if head.isCloseDelimited, request.url.isSecure, isClosedCleanly == nil {
                isClosedCleanly = false
                handle?.watchProgress(of: self)
            }
            // Nothing follows it but its body, which may be slow to come, or never come.
            if head.isDecisive { showHead() }
            return ending == nil || letsBodyPass()
        } catch {
            ending = .failed(error)
            return false
        }
    }

    /// Takes bytes of the body: their count, a pause, or another number, which ends the transfer.
    func received(_ bytes: UnsafeRawBufferPointer) -> Int {
        if sharing?.isDropping == true { return 0 }
        // Asking libcurl to pause only when there is more keeps to the one way that it knows best;
        // it keeps these bytes and shows them again.
        guard pause == .none else { return Int(CURL_WRITEFUNC_PAUSE) }
        if !isHeadShown {
            showHead()
            if isHeld { return Int(CURL_WRITEFUNC_PAUSE) }
            // The sink has judged nothing yet that these bytes could belong to.
            guard isHeadShown else {
                ending = .failed(
                    TransferFailure(.malformedResponse, "a body came without a final head")
                )
                return 0
            }
        }
        sharing?.heard(bytes.count, at: clock.now())
        // A body that is here as a whole is let pass, so that the connection can be used again.
        if ending == .stopped, handle?.contentLength == Int64(bytes.count) { return bytes.count }
        guard ending == nil else { return 0 }
        if !gather(bytes) {
            showGathered()
            // These are shown again when the pause is over.
            guard pause == .none else { return Int(CURL_WRITEFUNC_PAUSE) }
            show(bytes)
        }
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

    /// Whether to wait a little for the body of a refused head, so that the connection can be used
    /// again.
    private func letsBodyPass() -> Bool {
        guard request.method != "HEAD" else { return true }
        guard let length = handle?.contentLength, (0...Int64(16 * 1024)).contains(length) else {
            return false
        }
        timers?.add(self, until: clock.now() + Self.patienceWithRefusedBody)
        return true
    }

    /// Called by libcurl every now and then, and once between the last byte and the close.
    func progressed(sent: Int64) {
        if isClosedCleanly != nil { isClosedCleanly = handle?.isClosedCleanly }
        guard sent > sentBytes else { return }
        sentBytes = sent
        sink?.transferSent(sent)
    }

    /// Heads that are not decisive are shown when a body or the end proves them final: a 401 that
    /// libcurl answers with credentials has neither.
    private func showHead() {
        let setsCookies = head.setsCookies
        guard let sink, var head = head.finalHead(url: request.url) else { return }
        isHeadShown = true
        head.connectTime = handle?.connectTime
        handle?.noteScheme(of: request, isSignedIn: head.status != 401)
        if setsCookies { handle?.keepCookies(of: request) }
        switch sink.transferReceived(head) {
        case .take: break
        case .hold: pause = .held
        case .refuse: ending = .stopped
        }
    }

    private func startPause(_ duration: Duration) {
        guard duration > .zero else { return }
        pause = .timed
        timers?.add(self, until: clock.now() + duration)
    }
}

// Before anything is sent.
extension TransferContext {
    /// Whether the request may go there; nil is an address of no known kind.
    func mayGo(to address: IPAddress?) -> Bool {
        guard !request.connection.allowsPrivateAddresses else { return true }
        // A public address may be this machine's own, or a neighbour's behind the same firewall.
        if let address, address.isPublic, !OwnNetwork.holds(address) { return true }
        hasMetPrivateAddress = true
        return false
    }
}

// On a connection that is used again.
extension TransferContext {
    /// Whether nothing waits on it that would be read as the answer to this request.
    private func isClean(_ endpoints: () -> IdleSockets.Endpoints) -> Bool {
        guard let handle, let idleSockets, handle.usesOldConnection else { return true }
        hasMetSurplus = handle.holdsDecryptedBytes || !idleSockets.isQuiet(endpoints())
        return !hasMetSurplus
    }
}

// On a connection that others use, too.
extension TransferContext {
    /// Called by libcurl when a connection was found; false keeps the request from being sent.
    func isAboutToAsk(over endpoints: @autoclosure () -> IdleSockets.Endpoints) -> Bool {
        guard sharing != nil else { return isClean(endpoints) }
        guard let handle else { return true }
        // The first to find that there is no HTTP/2 has that connection to itself.
        guard handle.agreesOnHTTP2 || handle.serialOrigins.insert(origin) else {
            sharing?.isRefused = true
            return false
        }
        sharing?.asked(at: clock.now())
        return true
    }

    /// Goes on with a connection of its own: no answer was shown over a shared one.
    func leave(for home: TransferLoop) {
        newHome = home
        sharing = nil
        timers = nil
    }

    /// The sink holds it, and libcurl goes on to take its bytes off the connection.
    func watchHold() { timers?.add(self, until: clock.now() + Sharing.holdCheck) }

    /// Whether libcurl keeps more of its bytes than it should.
    var keepsTooMuch: Bool {
        guard let sharing, let received = handle?.offset(CURLINFO_SIZE_DOWNLOAD_T) else {
            return false
        }
        return received - sharing.shownBytes > Sharing.mostKeptBytes
    }

    /// Has libcurl forget what it keeps: a handle that leaves a connection in use takes it along
    /// to its next transfer (libcurl 7.88).
    func dropKeptBytes() {
        guard pause != .none, sharing != nil, let handle else { return }
        sharing?.isDropping = true
        curl_easy_pause(handle.raw, CURLPAUSE_CONT)
    }
}

// Bytes that are shown together.
extension TransferContext {
    /// Shows what waits, unless the sink wants nothing at present.
    func showGathered() {
        guard pause == .none, let buffer else { return }
        show(buffer.bytes)
        dropGathered()
    }

    /// No more will come: a pause, which is for what comes, does not keep the last bytes back.
    func showLast() {
        if pause == .timed { pause = .none }
        showGathered()
    }

    /// False where it cannot be done, and the bytes are to be shown at once.
    private func gather(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard sharing == nil else { return false }
        let most = Int64(min(BodyBuffer.mostBytes, request.bufferBytes))
        guard bytes.count <= BodyBuffer.pieceBytes, bytes.count < most else { return false }
        guard let buffer = buffer ?? buffers?.lend(to: self) else { return false }
        self.buffer = buffer
        guard buffer.append(bytes) else { return false }
        buffers?.noteGrowth()
        // Up to a round offset of the file: the kernel has the least to do then.
        let start = (request.range?.start ?? 0).addingReportingOverflow(shownBytes).partialValue
        let left = Int(most - abs(start % most))
        if buffer.count >= left {
            show(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<left]))
            buffer.removeFirst(left)
        }
        // While libcurl can still close a connection whose last bytes the sink refuses.
        if handle?.contentLength == shownBytes + Int64(buffer.count) { showGathered() }
        return true
    }

    private func show(_ bytes: UnsafeRawBufferPointer) {
        guard ending == nil, !bytes.isEmpty, let sink else { return }
        shownBytes += Int64(bytes.count)
        obey(sink.transferReceived(bytes))
    }

    private func dropGathered() {
        guard let buffer else { return }
        self.buffer = nil
        buffers?.takeBack(buffer, from: self)
    }
}

extension URL {
    fileprivate var isSecure: Bool { scheme?.lowercased() == "https" }
}

internal import CCurl
internal import PawlCore
internal import struct FoundationEssentials.URL

/// One running transfer: the object that libcurl's callbacks work on.
///
/// `@unchecked`: once posted to a loop, it is touched only by that loop's thread.
final class TransferContext: @unchecked Sendable {
    enum Pause {
        case none
        /// Paused until a timer ends the pause.
        case timed
        /// Paused until the sink's side ends the pause.
        case held
    }

    /// The time to wait for a refused body: if it is small, it mostly arrives with its head.
    private static let refusedBodyTimeout = Duration.milliseconds(500)

    let request: TransferRequest
    /// The scheme, host and port.
    let origin: String
    /// The transport that has started it.
    let tenant: LoopTenant
    /// The transfers that can use the same connections.
    let group: ConnectionGroup
    /// The state of sharing; `nil` if the transfer has a connection of its own.
    ///
    /// Visible to the loop.
    private(set) var sharing: Sharing?
    /// The loop in which the transfer continued with a connection of its own, for the loop that it
    /// left.
    ///
    /// Visible to the loop.
    private(set) var newHome: TransferLoop?
    private var sink: (any TransferSink)?
    private var timers: PauseTimers?
    private var buffers: BodyBuffers?
    private var sockets: ConnectionSockets?
    /// The sockets opened for a connection that has not been made yet.
    private var openedSockets: [Int32] = []
    /// Bytes received but not yet passed on; `nil` if there are none.
    private var buffer: BodyBuffer?
    /// The number of bytes of the body that were passed on.
    private var shownBytes: Int64 = 0
    private var head: HeadCollector
    /// The replies of a server that does not speak HTTP; `nil` if it does.
    private var replies: FileReplies?
    /// The body that is read while it is sent; `nil` if there is none.
    ///
    /// Visible to the loop.
    let feed: BodyFeed?
    /// The number of bytes of the request's own body that were sent.
    private var sentBytes: Int64 = 0
    private var isHeadShown = false
    private let clock = SystemTimekeeper()
    /// Whether TLS ended the connection cleanly; `nil` if the end of the body does not depend on
    /// it.
    private var isClosedCleanly: Bool?

    /// Whether the name resolved to an address that is forbidden to the request.
    private var hasMetPrivateAddress = false
    /// Whether the connection to be used held bytes that belong to no response.
    private var hasMetSurplus = false
    /// Whether bytes of a body have arrived.
    private var hasBodyBytes = false
    /// The list of a folder over SFTP, which is passed on at the end.
    ///
    /// libcurl reads it in one go without waiting, and loses what it receives during a pause.
    private var folderList: [UInt8] = []
    private static let mostListBytes = 256 << 20
    /// The failure because of a host key that is not accepted.
    private var hostKeyFailure: TransferFailure?
    /// Whether this is the transfer's second attempt, over a connection made for it.
    ///
    /// Visible to the loop.
    private(set) var isSecondAttempt = false
    /// Whether the server has refused to be asked for its consent (417).
    private var isQuestionRefused = false

    /// The handle; `nil` until the loop starts the transfer and after libcurl is done with it.
    ///
    /// Visible to the loop.
    private(set) var handle: CurlHandle?
    /// The maximum that libcurl reads for this transfer at once; `nil` on a connection that others
    /// use, too.
    ///
    /// Visible to the loop.
    private(set) var receiveBytes: Int?
    // Visible to the loop.
    private(set) var pause = Pause.none {
        didSet { if pause == .held, sharing != nil { watchHold() } }
    }
    /// The outcome, if the sink or the head decides it before libcurl reports one.
    ///
    /// Visible to the loop.
    private(set) var ending: TransferOutcome?
    /// The end that arrived while the sink held the transfer.
    ///
    /// Visible to the loop.
    private(set) var deferredEnd: TransferEnd?

    init(
        request: TransferRequest,
        origin: String,
        tenant: LoopTenant,
        sharing: Sharing? = nil,
        sink: any TransferSink
    ) {
        self.request = request
        self.origin = origin
        self.tenant = tenant
        group = ConnectionGroup(tenant, request.connection)
        self.sharing = sharing
        feed = request.bodySource.map { BodyFeed($0) }
        head = HeadCollector(hasBody: request.method != "HEAD")
        replies = request.scheme.isHTTP ? nil : FileReplies(hiding: request.credentials?.password)
        self.sink = sink
    }

    var isHeld: Bool { pause == .held }

    /// The name under which loops count connections that the transfer can use.
    var connectionKey: String { group.key(origin) }

    func begin(
        with handle: CurlHandle,
        timers: PauseTimers,
        buffers: BodyBuffers,
        sockets: ConnectionSockets,
        receiveBytes: Int?
    ) {
        self.receiveBytes = receiveBytes
        self.handle = handle
        self.timers = timers
        self.buffers = buffers
        self.sockets = sockets
    }

    /// Gives up the handle; returns it with the number of bytes reserved for receiving.
    func releaseHandle() -> (handle: CurlHandle, receiveBytes: Int)? {
        defer { (handle, receiveBytes) = (nil, nil) }
        return handle.map { ($0, receiveBytes ?? 0) }
    }

    func endPause() { pause = .none }

    func outcome(of code: CURLcode) -> TransferOutcome {
        if let ending { return ending }
        if let failure = feed?.failure { return .failed(failure) }
        noteFacts()
        if code == CURLE_LOGIN_DENIED, let failure = SSHOptions.lockedKey(of: request) {
            return .failed(failure)
        }
        if !isHeadShown, replies?.refuse(code) == true { return .completed }
        guard code == CURLE_OK else {
            if hasMetPrivateAddress, !isHeadShown {
                return .failed(TransferFailure(.addressRefused, ""))
            }
            if let hostKeyFailure { return .failed(hostKeyFailure) }
            if hasMetSurplus {
                return .failed(
                    TransferFailure(
                        .malformedResponse,
                        "received more bytes than announced"
                    )
                )
            }
            return .failed(
                TransferFailure(code: code, of: handle, request: request, head: head)
            )
        }
        guard replies == nil else { return .completed }
        guard head.isFinal else {
            return .failed(TransferFailure(.connectionLost, "the header was cut off"))
        }
        guard !head.isCloseDelimited || isClosedCleanly != false else {
            return .failed(
                TransferFailure(
                    .connectionLost,
                    "the connection was closed without the TLS alert close_notify"
                )
            )
        }
        return .completed
    }

    /// Passes on the remaining bytes.
    ///
    /// Returns `nil` if the sink holds the transfer; then the end is deferred.
    func conclude(_ end: TransferEnd) -> TransferEnd? {
        guard end.outcome != .cancelled else { return end }
        // For FTP and SFTP, an empty response is known only when the transfer ends.
        let hasAnswered = replies == nil || end.outcome == .completed
        if !isHeadShown, ending == nil, hasAnswered { showHead() }
        let end = TransferEnd(ending ?? end.outcome, timings: end.timings)
        guard isHeld, ending == nil else { return end }
        deferredEnd = end
        return nil
    }

    /// Makes the last call to the sink and releases it.
    func deliver(_ end: TransferEnd) {
        if end.outcome == .completed { folderList.withUnsafeBytes { show($0) } }
        let sink = self.sink
        self.sink = nil
        dropGathered()
        buffers = nil
        timers = nil
        sockets = nil
        deferredEnd = nil
        sink?.transferEnded(end)
    }
}

// A second attempt.
extension TransferContext {
    /// The request to send: without a question that the server has refused.
    var requestToSend: TransferRequest {
        var request = request
        if isQuestionRefused { request.continueTimeout = nil }
        return request
    }

    /// Whether to send the request again instead of reporting this outcome.
    func needsSecondAttempt(after outcome: TransferOutcome) -> Bool {
        guard !isHeadShown, mayBeSentAgain else { return false }
        guard case .failed(let failure) = outcome else {
            return outcome == .completed && hasRefusedQuestion
        }
        let isLost = failure.kind == .connectionLost
        if isLost, hasRefusedQuestion { return true }
        return (isLost || failure.kind == .malformedResponse) && isSpoiledByRest
    }

    private var mayBeSentAgain: Bool {
        !isSecondAttempt && sharing == nil && RequestMethod.isIdempotent(request.method)
    }

    /// Whether bytes left over from an earlier response may have spoiled this one.
    ///
    /// Some servers send more bytes than `Content-Length` declares. The excess waits on the
    /// connection before its next use, or is read as the beginning of the next response.
    private var isSpoiledByRest: Bool {
        hasMetSurplus || handle?.timings.reusedConnection == true
    }

    /// Whether the last response refuses to be asked for consent (RFC 9110 §15.5.18).
    ///
    /// libcurl (7.88) then repeats the request once, over a connection that the server may close.
    private var hasRefusedQuestion: Bool {
        guard let feed, request.continueTimeout != nil else { return false }
        return head.refusesExpectation && feed.canRestart
    }

    /// Forgets everything received so far.
    ///
    /// The request is sent again over a connection of its own.
    func beginSecondAttempt() {
        isSecondAttempt = true
        isQuestionRefused = hasRefusedQuestion
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
    /// Takes a header line.
    ///
    /// Returning `false` ends the transfer.
    func receivedHeadLine(_ line: UnsafeRawBufferPointer) -> Bool {
        sharing?.received(0, at: clock.now())
        guard replies == nil else {
            replies?.take(line)
            return true
        }
        do throws(TransferFailure) {
            // After the body has begun these are trailers (RFC 9112 §7.1.2), which are not used.
            guard !isHeadShown else {
                try head.count(line)
                return true
            }
            try head.take(line)
            if head.isFinal { feed?.receivedResponse() }
            if head.isCloseDelimited, request.url.isSecure, isClosedCleanly == nil {
                isClosedCleanly = false
                handle?.watchProgress(of: self)
            }
            // Only its body follows, which may be slow or never arrive.
            if head.isDecisive { showHead() }
            return ending == nil || letsBodyPass()
        } catch {
            ending = .failed(error)
            return false
        }
    }

    /// Takes bytes of the body.
    ///
    /// Returns their number, a pause code, or any other number, which ends the transfer.
    func received(_ bytes: UnsafeRawBufferPointer) -> Int {
        if sharing?.isDropping == true { return 0 }
        if request.scheme == .sftp, request.url.hasDirectoryPath { return gatherList(bytes) }
        // Requesting the pause only when more bytes arrive is the path that libcurl handles best:
        // it keeps these bytes and passes them again.
        guard pause == .none else { return Int(CURL_WRITEFUNC_PAUSE) }
        feed?.receivedResponse()
        // libcurl repeats the request after this body.
        if !isHeadShown, mayBeSentAgain, hasRefusedQuestion { return bytes.count }
        hasBodyBytes = true
        if !isHeadShown {
            showHead()
            if isHeld { return Int(CURL_WRITEFUNC_PAUSE) }
            // The sink has not yet judged a head that these bytes could belong to.
            guard isHeadShown else {
                ending = .failed(
                    TransferFailure(.malformedResponse, "received a body without a final header")
                )
                return 0
            }
        }
        sharing?.received(bytes.count, at: clock.now())
        // A body that has arrived completely is let through, so that the connection can be reused.
        if ending == .stopped, handle?.contentLength == Int64(bytes.count) { return bytes.count }
        guard ending == nil else { return 0 }
        if !gather(bytes) {
            showGathered()
            // libcurl passes these bytes again after the pause.
            guard pause == .none else { return Int(CURL_WRITEFUNC_PAUSE) }
            show(bytes)
        }
        return ending == nil ? bytes.count : 0
    }

    /// Checks for requests from other threads.
    ///
    /// Called on the loop's thread, between libcurl's callbacks.
    func nudged() {
        guard isHeadShown, ending == nil, deferredEnd == nil, let sink else { return }
        follow(sink.transferNudged())
    }

    private func follow(_ decision: BodyDecision) {
        switch decision {
        case .more: break
        case .pause(let duration): startPause(duration)
        case .hold:
            if pause == .timed { timers?.remove(self) }
            pause = .held
        case .stop: ending = .stopped
        }
    }

    /// Whether to wait briefly for the body of a refused head, so that the connection can be
    /// reused.
    private func letsBodyPass() -> Bool {
        guard request.method != "HEAD" else { return true }
        guard let length = handle?.contentLength, (0...Int64(16 * 1024)).contains(length) else {
            return false
        }
        timers?.add(self, until: clock.now() + Self.refusedBodyTimeout)
        return true
    }

    /// Called by libcurl at intervals, and once between the last byte and the close.
    func progressed(sent: Int64) {
        if isClosedCleanly != nil { isClosedCleanly = handle?.isClosedCleanly }
        // libcurl counts the lines between chunks, too.
        let sent = min(sent, feed?.readBytes ?? sent)
        guard sent > sentBytes else { return }
        sentBytes = sent
        sink?.transferSent(sent)
    }

    /// Passes on a head.
    ///
    /// A head that is not decisive is passed on only when a body or the end proves it final: a 401
    /// that libcurl answers with credentials has neither.
    private func showHead() {
        let cookieCount = head.cookieCount
        noteFacts()
        guard let sink, var head = finalHead else { return }
        isHeadShown = true
        head.decoding = request.codings == .decoded ? ContentCodings.decoding(of: head) : .none
        if head.decoding == .decoded { handle?.readInSmallPieces() }
        head.connectTime = handle?.connectTime
        head.localAddress = handle?.localAddress ?? ""
        handle?.noteScheme(of: request, isSignedIn: head.status != 401)
        if cookieCount > 0 { handle?.keepCookies(of: request, count: cookieCount) }
        switch sink.transferReceived(head) {
        case .take: break
        case .hold: pause = .held
        case .refuse: ending = .stopped
        }
    }

    /// The head to pass on; `nil` if it is not complete.
    private var finalHead: ResponseHead? {
        guard let replies else { return head.finalHead(url: request.url) }
        return replies.head(request)
    }

    /// Notes what libcurl knows of the file of a server that does not speak HTTP.
    private func noteFacts() {
        guard let handle, replies != nil, !isHeadShown else { return }
        let modified = handle.offset(CURLINFO_FILETIME_T)
        replies?.note(length: handle.contentLength, modified: modified, hasBody: hasBodyBytes)
    }

    private func startPause(_ duration: Duration) {
        guard duration > .zero else { return }
        pause = .timed
        timers?.add(self, until: clock.now() + duration)
    }
}

// Before anything is sent.
extension TransferContext {
    /// Whether the request may connect to this address; `nil` is an address of no known kind.
    func mayGo(to address: @autoclosure () -> IPAddress?) -> Bool {
        guard !request.connection.allowsPrivateAddresses else { return true }
        // The address is that of the proxy.
        if request.connection.allowsPrivateProxies, request.goesThroughProxy {
            var hosts = [request.url.host() ?? ""]
            if let server = FixedRoute(request).destination { hosts.append(server.host) }
            hasMetPrivateAddress = hosts.contains { WrittenHost.isPrivate($0) }
            return !hasMetPrivateAddress
        }
        // A public address may belong to this machine, or to a neighbour behind the same firewall.
        if let address = address(), address.isPublic, !OwnNetwork.holds(address) { return true }
        hasMetPrivateAddress = true
        return false
    }
}

// A connection over SSH.
extension TransferContext {
    /// Whether a host key that is not in the file of known hosts is accepted; then it is added.
    ///
    /// `isNew`: whether the file has no other key of the host.
    func accepts(_ key: HostKey, isNew: Bool) -> Bool {
        let text = "\(key.type) \(key.fingerprint)"
        guard isNew, let accepted = request.connection.hostKey, key.fingerprint == accepted else {
            var failure = TransferFailure(isNew ? .hostKeyUnknown : .hostKeyChanged, text)
            failure.subject = key.fingerprint
            hostKeyFailure = failure
            return false
        }
        guard let host = request.url.host() else { return false }
        let port = request.url.port ?? request.scheme.usualPort
        key.add(host: host, port: port, to: HostKey.file(request.connection))
        return true
    }
}

// On a connection of its own.
extension TransferContext {
    /// Called on the loop's thread for each socket, of which at most one becomes the connection.
    func opened(_ socket: Int32) { openedSockets.append(socket) }

    /// Whether no bytes wait on the connection that would be read as the response to this request.
    private func isClean(_ endpoints: () -> ConnectionSockets.Endpoints) -> Bool {
        guard let handle, let sockets else { return true }
        guard handle.usesOldConnection else {
            sockets.note(endpoints(), among: openedSockets)
            openedSockets = []
            return true
        }
        hasMetSurplus = handle.holdsDecryptedBytes || !sockets.isQuiet(endpoints())
        return !hasMetSurplus
    }
}

// On a connection that others use, too.
extension TransferContext {
    /// Called by libcurl when a connection was found.
    ///
    /// Returning `false` keeps the request from being sent.
    func isAboutToAsk(over endpoints: @autoclosure () -> ConnectionSockets.Endpoints) -> Bool {
        guard sharing != nil else { return isClean(endpoints) }
        guard let handle else { return true }
        // The first transfer to find that the server does not speak HTTP/2 has that connection to
        // itself.
        guard handle.agreesOnHTTP2 || tenant.serialOrigins.insert(origin) else {
            sharing?.isRefused = true
            return false
        }
        sharing?.asked(at: clock.now())
        return true
    }

    /// Continues with a connection of its own.
    ///
    /// No response was passed on over a shared one.
    func leave(for home: TransferLoop) {
        newHome = home
        sharing = nil
        timers = nil
    }

    /// Starts the checks of a held transfer, whose bytes libcurl continues to read off the
    /// connection.
    func watchHold() { timers?.add(self, until: clock.now() + Sharing.holdCheck) }

    /// Whether libcurl keeps more of this transfer's bytes than it should.
    var keepsTooMuch: Bool {
        guard let sharing, let received = handle?.offset(CURLINFO_SIZE_DOWNLOAD_T) else {
            return false
        }
        return received - sharing.shownBytes > Sharing.mostKeptBytes
    }

    /// Makes libcurl discard the bytes that it keeps.
    ///
    /// Otherwise a handle that leaves a connection in use takes them along to its next transfer
    /// (libcurl 7.88).
    func dropKeptBytes() {
        guard pause != .none, sharing != nil, let handle else { return }
        sharing?.isDropping = true
        curl_easy_pause(handle.raw, CURLPAUSE_CONT)
    }
}

// Bytes that are passed on together.
extension TransferContext {
    /// Passes on the waiting bytes, unless the transfer is paused.
    func showGathered() {
        guard pause == .none, let buffer else { return }
        show(buffer.bytes)
        dropGathered()
    }

    /// Passes on the last bytes.
    ///
    /// No more will arrive, and a pause concerns only arriving bytes.
    func showLast() {
        if pause == .timed { pause = .none }
        showGathered()
    }

    /// Gathers bytes.
    ///
    /// Returns `false` if it cannot; then they are to be passed on at once.
    private func gather(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard sharing == nil else { return false }
        let most = Int64(min(BodyBuffer.mostBytes, request.bufferBytes))
        guard bytes.count <= BodyBuffer.pieceBytes, bytes.count < most else { return false }
        guard let buffer = buffer ?? buffers?.lend(to: self) else { return false }
        self.buffer = buffer
        guard buffer.append(bytes) else { return false }
        buffers?.noteGrowth()
        // Up to a round offset in the file, which is the least work for the kernel.
        let start = (request.range?.start ?? 0).addingReportingOverflow(shownBytes).partialValue
        let left = Int(most - abs(start % most))
        if buffer.count >= left {
            show(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<left]))
            buffer.removeFirst(left)
        }
        // libcurl can still close a connection whose last bytes the sink refuses.
        if handle?.contentLength == shownBytes + Int64(buffer.count) { showGathered() }
        return true
    }

    private func gatherList(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard folderList.count + bytes.count <= Self.mostListBytes else {
            ending = .failed(
                TransferFailure(
                    .malformedResponse,
                    "the list of the folder has more than \(Self.mostListBytes) bytes"
                )
            )
            return 0
        }
        hasBodyBytes = true
        folderList.append(contentsOf: bytes)
        return bytes.count
    }

    private func show(_ bytes: UnsafeRawBufferPointer) {
        guard ending == nil, !bytes.isEmpty, let sink else { return }
        shownBytes += Int64(bytes.count)
        follow(sink.transferReceived(bytes))
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

internal import PawlCore
internal import PawlStorage
internal import Synchronization
internal import struct FoundationEssentials.URL

/// One exchange for an `s3:` URL: an exchange over HTTP, and another one if that shows that the
/// request must be sent in another way.
final class S3Transfer: Transfer, TransferSink {
    /// Why a request is sent again; each reason counts once.
    private enum Reason { case region, clock, credentials, version }

    private enum Phase {
        /// The credentials are awaited.
        case waiting
        /// The request is being given to the other transport.
        case starting
        case running(any Transfer)
        /// The exchange ends without a request.
        case ending(TransferOutcome)
        case ended
    }

    private struct State {
        var phase = Phase.waiting
        var isCancelled = false
        /// What was called while the request was being given to the other transport.
        var calls = TransferCalls()
        /// The number of requests so far.
        var attempts = 0
        var reasons: Set<Reason> = []
        var account: S3Account?
        /// The region to which the request was sent, and the version that was added to it.
        var region = ""
        var addedVersion: String?
        /// Why the request was not signed; `nil` if it was.
        var unsigned: String?
        /// The response if it is an error, whose body is read before it is passed on.
        var refusal: Refusal?
        /// The response if it may be an error in place of a list.
        var listStart: ListStart?
        /// The credentials with which the request was signed.
        var credentials: S3Credentials?

        var running: (any Transfer)? {
            if case .running(let transfer) = phase { transfer } else { nil }
        }

        /// Keeps bytes of an error, or of a list that may be one.
        mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Receipt {
            if refusal != nil { return .kept(addToRefusal(bytes[...])) }
            guard var start = listStart else { return .passed(after: nil) }
            start.body += bytes
            listStart = nil
            guard let head = start.head else { return .passed(after: start) }
            let known = start.body.prefix(S3ErrorReply.mostBytes)
            switch S3ErrorReply.isError(known) {
            case true?:
                refusal = Refusal(head: head)
                return .kept(addToRefusal(known))
            case nil where known.count < S3ErrorReply.mostBytes:
                listStart = start
                return .kept(.more)
            case false?, nil: return .passed(after: start)
            }
        }

        private mutating func addToRefusal(_ bytes: some Collection<UInt8>) -> BodyDecision {
            let count = refusal?.body.count ?? 0
            refusal?.body += bytes.prefix(S3ErrorReply.mostBytes - count)
            return count + bytes.count < S3ErrorReply.mostBytes ? .more : .stop
        }

        mutating func takeListStart() -> ListStart? {
            defer { listStart = nil }
            return listStart
        }
    }

    private struct Refusal {
        var head: ResponseHead
        var body: [UInt8] = []
    }

    /// The beginning of a list, until it is known that it is not an error.
    private struct ListStart {
        /// `nil` if it was passed on.
        var head: ResponseHead?
        var body: [UInt8] = []
    }

    private enum Receipt {
        /// The bytes were kept.
        case kept(BodyDecision)
        /// The bytes are passed on, after what was kept.
        case passed(after: ListStart?)
    }

    private let request: TransferRequest
    private let sink: any TransferSink
    private let transport: S3Transport
    private let state = Mutex(State())

    init(_ request: TransferRequest, sink: any TransferSink, transport: S3Transport) {
        (self.request, self.sink, self.transport) = (request, sink, transport)
    }

    // MARK: - Sending

    /// Sends the request, as soon as the credentials are known.
    func begin() {
        let account: S3Account
        do throws(TransferFailure) {
            account = try transport.account(for: request)
        } catch {
            return end(with: .failed(error))
        }
        state.withLock { $0.account = account }
        switch account.credentialSource {
        case .anonymous(let reason): send(nil, unsigned: reason)
        case .fixed(let credentials): send(credentials)
        case .service(let service):
            transport.credentials.get(service, at: transport.now) { [self] answer in
                switch answer {
                case .success(nil): send(nil, unsigned: "no AWS credentials were found")
                case .success(let credentials): send(credentials)
                case .failure(let failure): end(with: .failed(failure))
                }
            }
        }
    }

    private func send(_ credentials: S3Credentials?, unsigned: String? = nil) {
        guard let prepared = prepare(credentials, unsigned) else {
            let failure = TransferFailure(.unsupportedURL, "it does not name an object of a bucket")
            return end(with: .failed(failure))
        }
        start(prepared)
    }

    /// Returns the request over HTTP; `nil` if the URL does not name an object.
    private func prepare(_ credentials: S3Credentials?, _ unsigned: String?) -> TransferRequest? {
        guard var object = S3Object(request.url),
            var endpoint = state.withLock({ $0.account?.endpoint })
        else { return nil }
        endpoint.region = transport.region(of: object.bucket, at: endpoint) ?? endpoint.region
        var version: String?
        if object.version == nil, let tag = request.pinnedTag,
            let known = request.versions?.version(of: request.url, tag)
        {
            (version, object.version) = (known, known)
        }
        var secured = endpoint
        // The signature is one for the host and port that the request is sent to.
        secured.base = endpoint.base.map { base in
            request.secureHosts?.secured(base, at: transport.now) ?? base
        }
        guard let unsignedRequest = secured.unsignedRequest(for: object, method: request.method)
        else { return nil }
        state.withLock { state in
            state.region = endpoint.region
            (state.addedVersion, state.unsigned) = (version, unsigned)
            state.credentials = credentials
        }
        let now = transport.now(at: endpoint)
        return request.overHTTP(as: unsignedRequest, credentials, region: endpoint.region, now)
    }

    private func start(_ request: TransferRequest) {
        let attempt = state.withLock { state -> Int? in
            guard case .waiting = state.phase else { return nil }
            state.phase = .starting
            state.attempts += 1
            return state.attempts
        }
        guard let attempt else { return }
        let transfer = transport.startOverHTTP(request, sink: self)
        let (calls, isCancelled) = state.withLock { state in
            // It may have ended already, and another one may have started.
            guard state.attempts == attempt else { return (TransferCalls(), state.isCancelled) }
            if case .starting = state.phase { state.phase = .running(transfer) }
            defer { state.calls = TransferCalls() }
            return (state.calls, state.isCancelled)
        }
        calls.make(to: transfer)
        if isCancelled { transfer.cancel() }
    }

    /// Ends the exchange without a request.
    ///
    /// libcurl refuses the scheme, so that the end is reported on a thread of the transport.
    private func end(with outcome: TransferOutcome) {
        let isWaiting = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .ending(outcome)
            return true
        }
        guard isWaiting else { return }
        _ = transport.startOverHTTP(TransferRequest(url: request.url), sink: self)
    }

    // MARK: - Transfer

    func cancel() {
        let running = state.withLock { state in
            state.isCancelled = true
            return state.running
        }
        running?.cancel()
        // Only if no request was sent yet.
        end(with: .cancelled)
    }

    func resume() { running { $0.resume = true }?.resume() }

    func nudge() { running { $0.nudge = true }?.nudge() }

    /// Returns the running exchange, or notes a call for one that is just starting.
    private func running(_ note: (inout TransferCalls) -> Void) -> (any Transfer)? {
        state.withLock { state in
            if case .starting = state.phase { note(&state.calls) }
            return state.running
        }
    }

    // MARK: - TransferSink

    func transferReceived(_ head: ResponseHead) -> HeadDecision {
        if !request.connection.allowsUntrustedCertificates {
            request.secureHosts?.learn(from: head, at: transport.now)
        }
        var head = head
        head.url = request.url
        // Whoever stored the object chose its Content-Encoding: ranges count the stored bytes.
        if request.codings != .decoded { head.fields.removeAll { $0.hasName("Content-Encoding") } }
        let isMoved = (300..<400).contains(head.status) && head["x-amz-bucket-region"] != nil
        guard head.status >= 400 || isMoved else {
            if let version = head["x-amz-version-id"], version != "null",
                let tag = head["ETag"].flatMap({ EntityTag(lenient: $0) })
            {
                request.versions?.record(version, of: request.url, tag)
            }
            guard S3Object(request.url)?.isList == true else { return sink.transferReceived(head) }
            state.withLock { $0.listStart = ListStart(head: head) }
            return .take
        }
        state.withLock { $0.refusal = Refusal(head: head) }
        return .take
    }

    func transferSent(_ count: Int64) { sink.transferSent(count) }

    func transferReceived(_ bytes: UnsafeRawBufferPointer) -> BodyDecision {
        switch state.withLock({ $0.receive(bytes) }) {
        case .kept(let decision): decision
        case .passed(after: nil): sink.transferReceived(bytes)
        case .passed(after: let start?): pass(start)
        }
    }

    /// Passes the beginning of a list on to the sink.
    private func pass(_ start: ListStart) -> BodyDecision {
        switch start.head.map({ sink.transferReceived($0) }) {
        case .refuse: return .stop
        case .hold:
            state.withLock { $0.listStart = ListStart(body: start.body) }
            return .hold
        case .take, nil:
            guard !start.body.isEmpty else { return .more }
            return start.body.withUnsafeBytes { sink.transferReceived($0) }
        }
    }

    func transferNudged() -> BodyDecision {
        let isKept = state.withLock { $0.refusal != nil || $0.listStart != nil }
        return isKept ? .more : sink.transferNudged()
    }

    func transferEnded(_ end: TransferEnd) {
        let (refusal, outcome, isCancelled) = state.withLock { state in
            defer { (state.refusal, state.phase) = (nil, .ended) }
            guard case .ending(let outcome) = state.phase else {
                return (state.refusal, nil as TransferOutcome?, state.isCancelled)
            }
            return (nil, outcome, true)
        }
        if let outcome { return sink.transferEnded(TransferEnd(outcome)) }
        var end = end
        while let start = state.withLock({ $0.takeListStart() }) {
            if case .stop = pass(start) { end.outcome = .stopped }
        }
        guard let refusal, end.outcome != .cancelled else { return sink.transferEnded(end) }
        let reply = S3ErrorReply(refusal.head, body: refusal.body)
        if !isCancelled, sendsAgain(after: reply, status: refusal.head.status) {
            state.withLock { $0.phase = .waiting }
            return begin()
        }
        pass(refusal, reply, end)
    }

    // MARK: - Errors

    /// Passes an error on to the sink.
    private func pass(_ refusal: Refusal, _ reply: S3ErrorReply, _ end: TransferEnd) {
        let unsigned = state.withLock { $0.unsigned }
        let hint = unsigned.map { "the request was not signed: \($0)" }
        var end = end
        switch sink.transferReceived(reply.head(hint: hint)) {
        case .refuse: end.outcome = .stopped
        case .take, .hold:
            let decision = refusal.body.withUnsafeBytes { bytes in
                bytes.isEmpty ? .more : sink.transferReceived(bytes)
            }
            if case .stop = decision { end.outcome = .stopped }
        }
        sink.transferEnded(end)
    }

    /// Returns whether the request is sent again in another way.
    private func sendsAgain(after reply: S3ErrorReply, status: Int) -> Bool {
        guard let reason = reason(reply, status) else { return false }
        return state.withLock { $0.reasons.insert(reason).inserted }
    }

    private func reason(_ reply: S3ErrorReply, _ status: Int) -> Reason? {
        let (account, region, version) = state.withLock {
            ($0.account, $0.region, $0.addedVersion)
        }
        let (credentials, isSigned) = state.withLock { ($0.credentials, $0.unsigned == nil) }
        guard let account, let object = S3Object(request.url) else { return nil }
        if let known = reply.region, known != region, S3Endpoint.isRegion(known) {
            transport.record(known, of: object.bucket, at: account.endpoint)
            return .region
        }
        if isSigned, let time = reply.serverTime {
            transport.record(serverTime: time, at: account.endpoint)
            return .clock
        }
        if reply.hasExpired, case .service(let service) = account.credentialSource {
            transport.credentials.forget(credentials, of: service)
            return .credentials
        }
        // A request for a version needs a separate permission, and the version may be deleted.
        if version != nil, [403, 404].contains(status) {
            request.versions?.refused()
            return .version
        }
        return nil
    }
}

extension TransferRequest {
    /// Returns the request as it is sent over HTTP, signed if there are credentials.
    fileprivate func overHTTP(
        as unsignedRequest: S3Endpoint.UnsignedRequest,
        _ credentials: S3Credentials?,
        region: String,
        _ now: Int64
    ) -> TransferRequest {
        var sent = self
        sent.url = unsignedRequest.url
        sent.sendsExactPath = true
        (sent.credentials, sent.cookies, sent.versions, sent.pinnedTag) = (nil, nil, nil, nil)
        sent.connection.netrcFile = nil
        sent.connection.s3 = S3Settings()
        if range == nil, method == "GET" || method == "HEAD" {
            sent.fields.append(HTTPField(name: "x-amz-checksum-mode", value: "ENABLED"))
        }
        let isSigned = sent.fields.contains { $0.hasName("Authorization") }
        guard let credentials, !isSigned else { return sent }
        var content = unsignedRequest.content
        content.payload = payload(over: unsignedRequest.url)
        sent.fields.removeAll { $0.hasName(Self.payloadField) }
        content.fields = sent.fields.filter { $0.name.lowercased().hasPrefix("x-amz-") }
        let signature = RequestSignature(credentials, region: region)
        sent.fields += signature.fields(for: content, at: now) ?? []
        return sent
    }

    private static let payloadField = "x-amz-content-sha256"

    /// Returns what is signed of the body: what the request itself states, otherwise the digest of a
    /// body in memory that nothing else protects.
    private func payload(over url: URL) -> String {
        if let stated = fields.first(where: { $0.hasName(Self.payloadField) }) {
            return stated.value
        }
        guard url.scheme == "http", hasBody else { return RequestSignature.Content.unsigned }
        let digest: [UInt8]? =
            switch bodySource {
            case nil: SHA256.digest(of: body)
            case let memory as MemoryBody: SHA256.digest(of: memory.bytes)
            default: nil
            }
        return digest?.hexadecimal ?? RequestSignature.Content.unsigned
    }
}

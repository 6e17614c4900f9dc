internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlFleet
internal import Synchronization
internal import PawlStorage
internal import struct FoundationEssentials.URL

/// Sends the requests for the objects of one download, and repeats those that failed temporarily.
///
/// Its calls do not end when the task is cancelled, but when they are told to: what was received is
/// kept then.
final class ObjectService: Sendable {
    /// What a request is for, which decides when it is cancelled: the first is cancelled first.
    enum Purpose: Int, Comparable {
        /// To look at the bucket, or to complete or abort an upload while the download runs: it is
        /// cancelled as soon as the download is stopped.
        case control
        /// To send bytes of the file, which a stopped download awaits for a moment.
        case content
        /// To begin an upload, which would never be aborted if its outcome were not known.
        case beginning
        /// To abort an upload at the end of the download.
        case cleaning

        static func < (left: Purpose, right: Purpose) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Exchange {
        var transfer = RunningTransfer()
        let purpose: Purpose
    }

    private struct Pause {
        let end = Completion<Void>()
        let purpose: Purpose
    }

    private struct State {
        var exchanges: [Int: Exchange] = [:]
        var pauses: [Int: Pause] = [:]
        var next = 0
        /// The last purpose whose requests are cancelled; `nil` if none are.
        var cancelled: Purpose?

        func isCancelled(_ purpose: Purpose) -> Bool { cancelled.map { purpose <= $0 } ?? false }
    }

    /// An object of the service.
    struct Address: Sendable {
        let url: URL
        let target: ObjectTarget

        /// The URL as text, without secrets.
        var text: String { url.redacted }

        /// The last component of the key.
        var name: String {
            let key = S3Object(url)?.key ?? []
            return String(
                decoding: key.split(separator: UInt8(ascii: "/")).last ?? [],
                as: UTF8.self
            )
        }

        /// The URL of the object with a number in its name; `nil` if there is none.
        func numbered(_ number: Int) -> URL? {
            guard let object = S3Object(url) else { return nil }
            let parts = object.key.split(
                separator: UInt8(ascii: "/"),
                omittingEmptySubsequences: false
            )
            let folder = parts.dropLast().flatMap { $0 + [UInt8(ascii: "/")] }
            let last = parts.last ?? []
            // A name that is not text gets its number at the end.
            let name =
                String(validating: last, as: UTF8.self)
                .map { Array(FileName.numbered($0, number).utf8) } ?? Array(last)
                + ".\(number)".utf8
            let key = (folder + name).percentEncoded(except: "/")
            return URL(string: "s3://\(object.bucket)/\(key)")
        }
    }

    let destination: ObjectDestination
    private let engine: Engine
    private let retries: Int
    /// The longest time for a request that needs no bytes of the source.
    private static let longestExchange = Duration.seconds(600)
    private let state = Mutex(State())

    init(_ destination: ObjectDestination, _ engine: Engine, retries: Int) {
        (self.destination, self.engine, self.retries) = (destination, engine, retries)
    }

    /// Returns the object with that URL; `nil` if it names none.
    func address(_ url: URL) -> Address? {
        ObjectTarget(destination.template(url)).map { Address(url: url, target: $0) }
    }

    // MARK: - Exchanges

    /// Ends the running requests and pauses up to a purpose, and cancels those that follow.
    func cancel(upTo purpose: Purpose) {
        let (exchanges, pauses) = state.withLock { state in
            state.cancelled = state.cancelled.map { max($0, purpose) } ?? purpose
            let numbers = state.exchanges.filter { $0.value.purpose <= purpose }.map(\.key)
            let transfers = numbers.compactMap { state.exchanges[$0]?.transfer.cancel() }
            return (transfers, state.pauses.values.filter { $0.purpose <= purpose })
        }
        for exchange in exchanges { exchange.cancel() }
        for pause in pauses { pause.end.complete() }
    }

    /// Whether requests with a purpose are cancelled.
    func isCancelled(_ purpose: Purpose) -> Bool { state.withLock { $0.isCancelled(purpose) } }

    /// Sends one request, and returns its response.
    private func reply(
        to request: TransferRequest,
        for purpose: Purpose
    ) async throws(ObjectFailure) -> ServiceReply {
        let reply = Completion<ServiceReply>()
        guard let number = begin(purpose) else { throw .cancelled }
        var request = request
        if request.bodySource == nil || request.bodySource is MemoryBody {
            request.maximumDuration = Self.longestExchange
        }
        let sink = ServiceReplySink(mostBytes: 8 << 20) { reply.complete(with: $0) }
        let transfer = engine.transport.start(request, sink: sink)
        state.withLock { $0.exchanges[number]?.transfer.begin(transfer) }?.make(to: transfer)
        defer { state.withLock { _ = $0.exchanges.removeValue(forKey: number) } }
        return await reply.waitIgnoringCancellation()
    }

    /// Returns the number of a new exchange; `nil` if it may not begin.
    private func begin(_ purpose: Purpose) -> Int? {
        state.withLock { state in
            guard !state.isCancelled(purpose) else { return nil }
            state.next += 1
            state.exchanges[state.next] = Exchange(purpose: purpose)
            return state.next
        }
    }

    /// Calls the closure once after a time; returns the alarm.
    func setAlarm(
        after duration: Duration,
        _ ring: @escaping @Sendable () -> Void
    ) -> AlarmClock.Ticket {
        let ticket = engine.alarms.enroll(ring)
        engine.alarms.set(ticket, at: engine.time.now() + duration)
        return ticket
    }

    func resign(_ alarm: AlarmClock.Ticket) { engine.alarms.resign(alarm) }

    /// Runs work that blocks on a disk or a database.
    func blocking<Value: Sendable>(
        _ body: @Sendable @escaping () throws(DownloadError) -> Value
    ) async throws(DownloadError) -> Value {
        try await engine.disk.run(body)
    }

    /// Reports something to the user.
    func report(_ note: String) { engine.logger.warning("\(note.sanitized)") }

    /// Waits before a request; if that is cancelled, the wait ends.
    func pause(for duration: Duration, before purpose: Purpose = .control) async {
        let pause = Pause(purpose: purpose)
        let number = state.withLock { state -> Int? in
            guard !state.isCancelled(purpose) else { return nil }
            state.next += 1
            state.pauses[state.next] = pause
            return state.next
        }
        guard let number else { return }
        let alarm = setAlarm(after: duration) { pause.end.complete() }
        await pause.end.waitIgnoringCancellation()
        resign(alarm)
        state.withLock { _ = $0.pauses.removeValue(forKey: number) }
    }

    /// Sends a request again while that may help.
    ///
    /// `isWanted` is asked before each repetition. Throws `.cancelled` when requests with its purpose
    /// are cancelled.
    func repeating<Value: Sendable>(
        atMost limit: Int = .max,
        while isWanted: () -> Bool = { true },
        for purpose: Purpose = .control,
        _ request: TransferRequest,
        _ read: (ServiceReply) throws(ObjectFailure) -> Value
    ) async throws(ObjectFailure) -> Value {
        var policy = RetryPolicy(limit: min(limit, retries), seed: engine.seeds.next())
        while true {
            let reply = try await reply(to: request, for: purpose)
            do throws(ObjectFailure) {
                return try read(reply)
            } catch {
                guard error.isTemporary, isWanted(),
                    case .retry(let wait) = policy.failed(mayRetryAtOnce: error.isBreak)
                else { throw error }
                let asked = reply.head.flatMap { RetryAfter.parse($0) } ?? .zero
                await pause(for: max(wait, asked), before: purpose)
                guard isWanted() else { throw error }
            }
        }
    }

    // MARK: - Objects and uploads

    /// Returns the object at an address; `nil` if there is none.
    func object(at address: Address) async throws(ObjectFailure) -> ObjectHead? {
        try await repeating(ObjectHead.request(for: address.target)) {
            (reply) throws(ObjectFailure) in try ObjectHead(reply)
        }
    }

    /// Begins an upload.
    func begin(
        at address: Address,
        _ facts: ObjectFacts,
        while isWanted: () -> Bool
    ) async throws(ObjectFailure) -> MultipartUpload {
        let request = MultipartUpload.beginning(of: address.target, facts)
        return try await repeating(while: isWanted, for: .beginning, request) {
            (reply) throws(ObjectFailure) in
            try MultipartUpload(begunBy: reply, of: address.target)
        }
    }

    /// Aborts an upload; it does not exist any more when this returns.
    func abort(
        _ abortion: UploadAbortion,
        atMost limit: Int = .max,
        for purpose: Purpose = .control
    ) async throws(DownloadError) {
        do throws(ObjectFailure) {
            try await repeating(atMost: limit, for: purpose, abortion.request) {
                (reply) throws(ObjectFailure) in try abortion.check(reply)
            }
        } catch {
            throw abortion.error(error)
        }
    }

    /// Returns the parts that the service has.
    func parts(of upload: MultipartUpload) async throws(ObjectFailure) -> [Int: ListedPart] {
        var found: [Int: ListedPart] = [:]
        var last: Int? = 0
        while let after = last {
            let page = try await repeating(upload.parts(after: after)) {
                (reply) throws(ObjectFailure) in try upload.listedParts(reply, after: after)
            }
            for part in page.parts { found[part.number] = part }
            last = page.next
        }
        return found
    }
}

extension ObjectFailure {
    /// Whether the same request may succeed if it is sent again.
    var isTemporary: Bool {
        switch self {
        case .cancelled: false
        case .failed(let failure): failure.kind.isTemporaryForService
        case .refused(let refusal): refusal.isTemporary
        case .unclear, .altered: true
        }
    }

    /// Whether the request certainly had no effect.
    var hadNoEffect: Bool {
        if case .refused(let refusal) = self { !refusal.isTemporary } else { false }
    }

    /// Whether the connection broke.
    var isBreak: Bool { if case .failed = self { true } else { false } }

    /// Whether the upload does not exist any more.
    var isWithoutUpload: Bool {
        if case .refused(let refusal) = self { refusal.isWithoutUpload } else { false }
    }

    /// Returns the error of a request.
    ///
    /// - Parameter deed: What was being done: `uploading part 3`.
    func error(_ deed: String, of address: ObjectService.Address) -> DownloadError {
        error(deed, of: address.url)
    }

    /// Returns the error of a request about a bucket or an object.
    func error(_ deed: String, of url: URL) -> DownloadError {
        let context = "\(deed) of \(url.redacted)"
        switch self {
        case .cancelled:
            return DownloadError(.interrupted, "the request was cancelled", context: context)
        case .failed(let failure):
            var error = DownloadError(failure, host: HostBudget.name(of: url))
            error.context = context
            return error
        case .refused(let refusal):
            let code = refusal.code.map { " (\($0.sanitized(atMost: 60)))" } ?? ""
            return DownloadError(
                refusal.isTemporary ? .serverBusy : refusal.errorCode,
                "the service refused with status \(refusal.status)\(code): \(refusal.reason)",
                context: context,
                retryClass: refusal.isTemporary ? .later : .never
            )
        case .unclear(let reason):
            return DownloadError(.badResponse, reason, context: context, retryClass: .later)
        case .altered:
            return DownloadError(
                .badResponse,
                "the service has received other bytes than were sent",
                context: context,
                retryClass: .later
            )
        }
    }
}

extension ObjectRefusal {
    fileprivate var errorCode: ErrorCode {
        switch status {
        case 401, 403: .unauthorized
        case 404: .notFound
        case 412: .fileExists
        default: .badResponse
        }
    }
}

extension TransferFailure.Kind {
    /// Whether an exchange with a service may succeed if it is repeated.
    fileprivate var isTemporaryForService: Bool {
        switch self {
        case .cannotConnect, .connectTimedOut, .connectionLost, .bodyIncomplete, .nameNotResolved,
            .proxyNotResolved, .proxyRefused, .malformedResponse, .bodyNotRepeatable:
            true
        default: false
        }
    }
}

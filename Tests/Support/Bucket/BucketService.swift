import Glibc
import PawlCore
import Synchronization

/// What a scripted bucket's threads share: its contents, its script and its record of requests.
final class BucketService: Sendable {
    private struct Rule: Sendable {
        var fault: BucketFault
        var isMeant: @Sendable (BucketRequest) -> Bool
    }

    private struct State: Sendable {
        var contents: BucketContents
        var rules: [Rule] = []
        /// The time by which the bucket's clock is ahead, in seconds.
        var clockOffset: Int64 = 0
    }

    let ledger = Observed<[BucketRequest]>([])
    private let state: Mutex<State>
    private let signatures: SignatureCheck

    init(buckets: Set<String>, _ signatures: SignatureCheck) {
        state = Mutex(State(contents: BucketContents(buckets: buckets)))
        self.signatures = signatures
    }

    var contents: BucketContents { state.withLock { $0.contents } }

    func change(_ change: (inout BucketContents) -> Void) {
        state.withLock { change(&$0.contents) }
    }

    func add(_ fault: BucketFault, _ isMeant: @escaping @Sendable (BucketRequest) -> Bool) {
        state.withLock { $0.rules.insert(Rule(fault: fault, isMeant: isMeant), at: 0) }
    }

    func removeFaults() { state.withLock { $0.rules = [] } }

    func setClock(offset: Int64) { state.withLock { $0.clockOffset = offset } }

    /// The bucket's time in seconds since 1970.
    var now: Int64 { state.withLock { $0.clockOffset } + Int64(time(nil)) }

    // MARK: - Requests

    /// Answers a request whose head was read, on the connection's thread.
    func answer(_ exchange: OriginExchange, _ connection: OriginConnection) throws {
        let received = exchange.request
        let head = RequestHead(
            method: received.method,
            target: received.target,
            fields: received.fields
        )
        let address = BucketAddress(head, buckets: contents.buckets)
        let request = record(self.request(head, address))
        defer { update(request) { $0.hasEnded = true } }
        let rules = state.withLock { $0.rules }
        let fault = rules.first { $0.isMeant(request) }?.fault
        var exchange = exchange
        exchange.request.body = try readBody(of: request, connection, fault)
        switch fault {
        case .holdBefore(let latch): try connection.wait(for: latch)
        case .delay(let time): try connection.wait(time)
        case .cutBefore(let ending): try connection.end(ending)
        default: break
        }
        var outcome = Outcome()
        if fault?.allowsEffect != false {
            do throws(BucketRefusal) {
                outcome.plan = try perform(exchange, address, request)
                update(request) { $0.hadEffect = true }
            } catch {
                outcome.refuse(error)
            }
        }
        switch fault {
        case .answer(let status, let code, _):
            outcome.refuse(BucketRefusal(status, code, "The test demanded this error."))
        case .errorDocument(let code, _):
            outcome.refuse(BucketRefusal(500, code, "The test demanded this error."), status: 200)
        case .cutAfter(let ending): try connection.end(ending)
        case .holdAfter(let latch): try connection.wait(for: latch)
        case .wrongDigests: outcome.falsifyDigests()
        case .change(let change): change(&outcome.plan)
        default: break
        }
        outcome.plan.setField("x-amz-request-id", "REQUEST\(request.number)")
        // An error in answer to HEAD has no document.
        if head.method == "HEAD", outcome.errorCode != nil { outcome.plan.declaredLength = 0 }
        update(request) { [outcome] in
            $0.status = outcome.plan.status
            $0.errorCode = outcome.errorCode
        }
        try connection.send(outcome.plan, method: head.method)
    }

    private func readBody(
        of request: BucketRequest,
        _ connection: OriginConnection,
        _ fault: BucketFault?
    ) throws -> [UInt8] {
        if case .holdBody(let latch) = fault { try connection.wait(for: latch) }
        if request["Expect"]?.lowercased() == "100-continue" {
            try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
        }
        switch fault {
        case .slowBody(let speed): return try readSlowly(connection, bytesPerSecond: speed)
        case .cutBody(let most, let ending):
            var count = 0
            while count < most {
                let bytes = try connection.readBody(atMost: most - count)
                // A shorter body is not carried out either.
                guard !bytes.isEmpty else { break }
                count += bytes.count
            }
            try connection.end(ending)
        default: return try connection.readWholeBody()
        }
    }

    private func readSlowly(
        _ connection: OriginConnection,
        bytesPerSecond: Int64
    ) throws -> [UInt8] {
        let clock = SystemTimekeeper()
        var pace = BodyPace(bytesPerSecond: bytesPerSecond, link: nil)
        var body: [UInt8] = []
        while true {
            let bytes = try connection.readBody(atMost: Int(clamping: pace.sliceBytes))
            guard !bytes.isEmpty else { return body }
            body += bytes
            let now = clock.now()
            if let moment = pace.moment(for: Int64(bytes.count), now: now) {
                try connection.wait(moment - now)
            }
        }
    }

    private func request(_ head: RequestHead, _ address: BucketAddress) -> BucketRequest {
        BucketRequest(
            number: 0,
            operation: address.operation(of: head),
            ordinal: 0,
            bucket: address.bucket,
            key: String(decoding: address.key, as: UTF8.self),
            partNumber: address["partNumber"].flatMap { Int($0) },
            uploadID: address["uploadId"],
            fields: head.fields
        )
    }

    private func record(_ request: BucketRequest) -> BucketRequest {
        ledger.update { requests in
            var request = request
            request.number = requests.count + 1
            request.ordinal = requests.count { $0.operation == request.operation } + 1
            requests.append(request)
            return request
        }
    }

    private func update(
        _ request: BucketRequest,
        _ change: @Sendable (inout BucketRequest) -> Void
    ) {
        ledger.update { change(&$0[request.number - 1]) }
    }

    private func perform(
        _ exchange: OriginExchange,
        _ address: BucketAddress,
        _ request: BucketRequest
    ) throws(BucketRefusal) -> ResponsePlan {
        let now = now
        try signatures.check(exchange.request, at: address, now: now)
        let payload = try BucketPayload(of: exchange.request, contents.traits)
        let size = payload.bytes.count
        update(request) { $0.payloadBytes = size }
        let work = BucketExchange(
            exchange: exchange,
            address: address,
            operation: request.operation,
            payload: payload,
            now: now
        )
        guard work.changes else { return try work.read(contents) }
        let part = try work.uploadedPart()
        return try state.withLock { (state) throws(BucketRefusal) in
            try work.write(&state.contents, part)
        }
    }
}

/// The answer to one request.
private struct Outcome: Sendable {
    var plan = ResponsePlan()
    var errorCode: String?

    mutating func refuse(_ refusal: BucketRefusal, status: Int? = nil) {
        plan = refusal.plan(status: status)
        errorCode = refusal.code
    }

    /// Replaces the entity tag and the checksums in fields and in a document.
    mutating func falsifyDigests() {
        let tag = "\"\(String(repeating: "0", count: 32))\""
        if plan.field("ETag") != nil { plan.setField("ETag", tag) }
        for kind in BucketChecksum.Kind.allCases where plan.field(kind.field) != nil {
            plan.setField(kind.field, BucketChecksum(kind, of: Array("other".utf8)).text)
        }
        guard case .bytes(let bytes)? = plan.body.first else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let start = text.firstRange(of: "<ETag>"), let end = text.firstRange(of: "</ETag>")
        else { return }
        let changed =
            text[..<start.lowerBound] + BucketDocument.element("ETag", tag)
            + text[end.upperBound...]
        plan.body = [.bytes(Array(changed.utf8))]
        plan.declaredLength = plan.bodyLength
    }
}

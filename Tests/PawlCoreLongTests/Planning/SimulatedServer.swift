import FoundationEssentials
import PawlCore

/// A server with the faults that its seed selects.
///
/// It sends real response heads.
struct SimulatedServer {
    var random: SplitMix64
    let serves: Serves
    let validators: Validators
    let redirects: Bool
    private(set) var connectionLimit: Int
    /// The time at which the connection limit changes, and the new one.
    var laterLimit: (at: Moment, count: Int)?
    /// The number of resets per thousand chunks.
    let resetsPerMille: Int
    /// The number of 503 and 429 responses per hundred requests.
    let refusalsPercent: Int
    let crawlPercent: Int
    /// Whether its entity tags differ from those of other servers with the same bytes.
    let hasOwnTags: Bool
    /// The position among the sources, which makes each server's tags and new versions distinct.
    let index: Int
    /// The number of the last request that the server answers; it refuses the following ones.
    let lastRequest: Int
    /// The number of connections that the server serves, even with further requests; it leaves the
    /// following connections unanswered.
    var answered = Int.max
    /// The number of served connections whose response has ended.
    var free = 0
    /// The number of requests that the server serves in each second; it refuses the following ones.
    var requestsPerSecond = Int.max
    /// Whether its connection limit is for the client's address, with those to all other servers.
    var limitsAddress = false
    private var served: [Moment] = []
    /// Whether each version has the length of the first.
    private var keepsLength = false
    private(set) var version = 0
    private(set) var total: Int64
    private(set) var changesLeft: Int
    private var requests = 0
    /// The speed of each connection; `nil` selects another speed for each.
    private var bytesPerSecond: Int64?
    /// The period in which connections break and new connections are refused.
    private(set) var outage: Range<Moment>?

    enum Serves: CaseIterable {
        case ranges, noRanges, ignoresRanges, wrongRanges, shortRanges
    }

    enum Validators: CaseIterable {
        case strong, dateOnly, none, tagPerRequest
    }

    /// Creates a server without faults.
    init(goodWithSeed seed: UInt64) {
        var random = SplitMix64(seed: seed)
        (serves, validators, redirects) = (.ranges, .strong, Bool.random(using: &random))
        (connectionLimit, resetsPerMille, refusalsPercent, crawlPercent) = (.max, 0, 0, 0)
        changesLeft = 0
        (hasOwnTags, index, lastRequest) = (false, 0, .max)
        total = Int64.random(in: (1 << 20)...(8 << 20), using: &random)
        self.random = random
    }

    /// Creates a server without faults that serves up to `limit` connections, each at 1 MB/s.
    ///
    /// It answers further connections with 503.
    init(total: Int64, limit: Int, outage: Range<Moment>? = nil, seed: UInt64) {
        random = SplitMix64(seed: seed)
        (serves, validators, redirects) = (.ranges, .strong, false)
        (connectionLimit, resetsPerMille, refusalsPercent, crawlPercent) = (limit, 0, 0, 0)
        (changesLeft, hasOwnTags, index, lastRequest) = (0, false, 0, .max)
        self.total = total
        self.outage = outage
        bytesPerSecond = 1_000_000
    }

    /// Creates a mirror that should have the file of another server, but sometimes does not.
    init(mirror index: Int, of other: SimulatedServer, seed: UInt64) {
        let faulty = SimulatedServer(seed: seed &+ UInt64(index) &* 7919)
        var random = faulty.random
        (serves, validators, redirects) = (faulty.serves, faulty.validators, faulty.redirects)
        connectionLimit = faulty.connectionLimit
        (resetsPerMille, refusalsPercent) = (faulty.resetsPerMille, faulty.refusalsPercent)
        (crawlPercent, changesLeft) = (faulty.crawlPercent, faulty.changesLeft)
        hasOwnTags = Bool.random(using: &random)
        lastRequest = [Int.max, .max, 0, 3].randomElement(using: &random) ?? .max
        self.index = index
        total = other.total
        if Int.random(in: 0..<4, using: &random) == 0 {
            version = index * 10
            if Bool.random(using: &random) { total += 1 }
        }
        self.random = random
    }

    /// Creates a mirror without faults that has the file of another server.
    init(goodMirror index: Int, of other: SimulatedServer, seed: UInt64) {
        var good = SimulatedServer(goodWithSeed: seed)
        (serves, validators, redirects) = (good.serves, .strong, good.redirects)
        (connectionLimit, resetsPerMille, refusalsPercent, crawlPercent) = (.max, 0, 0, 0)
        (changesLeft, lastRequest) = (0, .max)
        hasOwnTags = Bool.random(using: &good.random)
        self.index = index
        total = other.total
        random = good.random
    }

    /// Creates a server that sends no validators and replaces its file with others of the same
    /// length.
    init(silentWithSeed seed: UInt64) {
        let faulty = SimulatedServer(seed: seed)
        var random = faulty.random
        (serves, validators, redirects) = (faulty.serves, .none, faulty.redirects)
        connectionLimit = faulty.connectionLimit
        (resetsPerMille, refusalsPercent) = (faulty.resetsPerMille, faulty.refusalsPercent)
        crawlPercent = faulty.crawlPercent
        changesLeft = Int.random(in: 0...2, using: &random)
        (hasOwnTags, index, lastRequest, keepsLength) = (false, 0, .max, true)
        total = faulty.total
        self.random = random
    }

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        // Most servers serve ranges and send validators; the others cover the remaining cases.
        serves =
            Int.random(in: 0..<3, using: &random) > 0
            ? .ranges : Serves.allCases.randomElement(using: &random) ?? .ranges
        validators =
            Int.random(in: 0..<3, using: &random) > 0
            ? .strong : Validators.allCases.randomElement(using: &random) ?? .strong
        redirects = Bool.random(using: &random)
        connectionLimit = Int.random(in: 1...20, using: &random)
        resetsPerMille = [0, 0, 5, 50].randomElement(using: &random) ?? 0
        refusalsPercent = [0, 0, 5, 30].randomElement(using: &random) ?? 0
        crawlPercent = [0, 0, 25].randomElement(using: &random) ?? 0
        changesLeft = [0, 0, 0, 1, 1, 3].randomElement(using: &random) ?? 0
        (hasOwnTags, index, lastRequest) = (false, 0, .max)
        total = Int64.random(in: 0...(8 << 20), using: &random)
        self.random = random
    }

    mutating func mayChange() {
        guard changesLeft > 0, Int.random(in: 0..<60, using: &random) == 0 else { return }
        changesLeft -= 1
        // Two servers never change to the same version.
        version = max(version, index * 10) + 1
        // If the server sends no validator either, only a comparison of bytes reveals the change.
        if !keepsLength, Bool.random(using: &random) {
            total = Int64.random(in: 0...(8 << 20), using: &random)
        }
    }

    struct Answer {
        var head: ResponseHead
        var version: Int
        /// The range of the bytes in the body.
        var body: ByteRange
        var bytesPerSecond: Int64
    }

    /// Answers an order; returns `nil` if the server is dead.
    mutating func answer(_ planned: PlannedTransfer, open: Int, at now: Moment) -> Answer? {
        requests += 1
        served.removeAll { now - $0 >= .seconds(1) }
        if let laterLimit, now >= laterLimit.at { connectionLimit = laterLimit.count }
        guard requests <= lastRequest else { return nil }
        var head = ResponseHead(url: planned.url, status: 200)
        var answer = Answer(
            head: head,
            version: version,
            body: ByteRange(0, 0),
            bytesPerSecond: rate()
        )
        if redirects, !planned.url.path().hasPrefix("/real") {
            head.status = 302
            head.fields = [HTTPField(name: "Location", value: "/real/file")]
        } else if open > connectionLimit || served.count >= requestsPerSecond
            || Int.random(in: 0..<100, using: &random) < refusalsPercent
        {
            head.status = Bool.random(using: &random) ? 503 : 429
            if bytesPerSecond == nil, Bool.random(using: &random) {
                head.fields = [HTTPField(name: "Retry-After", value: "2")]
            }
        } else {
            served.append(now)
            addValidators(&head)
            answer.body = addRange(planned, &head)
        }
        answer.head = head
        return answer
    }

    private mutating func rate() -> Int64 {
        if let bytesPerSecond { return bytesPerSecond }
        return Int.random(in: 0..<100, using: &random) < crawlPercent
            ? 20_000 : Int64.random(in: 500_000...4_000_000, using: &random)
    }

    private func addValidators(_ head: inout ResponseHead) {
        func add(_ name: String, _ value: String) {
            head.fields.append(HTTPField(name: name, value: value))
        }
        let date = "Wed, 21 Oct 2015 07:28:\(version / 10)\(version % 10) GMT"
        switch validators {
        case .strong:
            add("ETag", hasOwnTags ? "\"\(index)-v\(version)\"" : "\"v\(version)\"")
            add("Last-Modified", date)
        case .dateOnly: add("Last-Modified", date)
        case .tagPerRequest:
            add("ETag", "\"request-\(index)-\(requests)\"")
            add("Last-Modified", date)
        case .none: break
        }
        add("Date", "Sat, 21 Nov 2026 07:00:00 GMT")
    }

    private func addRange(_ planned: PlannedTransfer, _ head: inout ResponseHead) -> ByteRange {
        func add(_ name: String, _ value: String) {
            head.fields.append(HTTPField(name: name, value: value))
        }
        guard var range = planned.range, serves != .ignoresRanges, serves != .noRanges else {
            add("Content-Length", "\(total)")
            if serves == .noRanges { add("Accept-Ranges", "none") }
            return ByteRange(0, total)
        }
        guard range.start < total else {
            head.status = 416
            add("Content-Range", "bytes */\(total)")
            return ByteRange(0, 0)
        }
        range = range.intersection(ByteRange(0, total))
        if serves == .wrongRanges { range = ByteRange(range.start / 2, range.end) }
        if serves == .shortRanges { range.end = min(range.end, range.start + 300_000) }
        head.status = 206
        add("Content-Range", "bytes \(range.start)-\(range.end - 1)/\(total)")
        return range
    }
}

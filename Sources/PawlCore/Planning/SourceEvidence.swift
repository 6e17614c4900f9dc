/// The evidence of a source's responses: whether its ranges work, whether it has the file that is
/// being downloaded, how many connections its server allows, and how fast it is.
struct SourceEvidence: Sendable {
    enum Ranges: Sendable {
        case unknown
        case usable
        /// The source serves one stream from offset 0 only.
        case unusable
    }

    /// Whether the source has the file whose representation is pinned.
    enum Proof: Sendable {
        case none
        /// The first response of the source, which was proven to be of the same file.
        case proven(Representation)
        /// The reason why nothing proves that the source has the same file.
        case doubted(String)
    }

    /// The evidence of one response, judged against the pinned representation.
    enum Finding {
        /// A whole representation.
        case whole(Representation, acceptsRanges: Bool)
        /// A whole representation in reply to a request for a range.
        case wholeInsteadOfRange
        /// A 206 whose bytes are kept.
        case range
        /// A 206 that cannot be used; `lastOpened` is the newest transfer at that moment.
        case brokenRange(in: TransferID, lastOpened: TransferID)
        /// A 416, with or without the total length.
        case rangeNotSatisfiable(total: Int64?)
        /// A 4xx or 5xx; `isReceiving`: whether other connections receive bytes from the source.
        case refusal(status: Int, ofWhole: Bool, isReceiving: Bool)
        /// A response of a new version of the file.
        case newVersion
        /// Validators or bytes that differ from response to response: no two responses can be
        /// joined.
        case inconsistent
    }

    private(set) var ranges = Ranges.unknown
    private(set) var proof = Proof.none
    /// Whether the source sent bytes that were kept, in this run or an earlier one.
    var hasServed = false
    /// The number of connections that the server allows at the same time.
    var limit = ConnectionLimit()
    var record = SourceRecord()
    /// Whether `ranges` is unusable for a reason that may be temporary, such as refusals.
    private var isSuspect = false
    private var hasServedRange = false
    /// The number of consecutive broken ranges.
    private var brokenRanges = 0
    /// The newest transfer when the last broken range was judged; older transfers show nothing new.
    private var brokenBefore: TransferID?
    /// The number of consecutive refusals of ranged requests, while no range has been served yet.
    private var rangeRefusals = 0
    /// The time since which the server is known to leave requests unanswered while it serves
    /// others; `nil` if it answers all.
    private var silentSince: Moment?
    /// The number of times that the file changed after it was proven.
    private var changes = 0
    /// The last response that indicated a change without proving it.
    private var unproven: UnprovenChange?
    /// The number of such responses in a row that agree on the length.
    private var agreeing = 0
    /// The newest transfer when that response was judged; older transfers show nothing new.
    private var unprovenBefore: TransferID?
    /// The number of consecutive responses to ranges that indicated a change without proving it.
    private var unprovenRanges = 0
    /// The number of responses that had to be confirmed since the source last sent new bytes.
    private var unconfirmed = 0

    /// A response that indicates another version of the file without proving it.
    struct UnprovenChange: Sendable {
        enum Form: Sendable { case part, whole, wholeInsteadOfRange }

        let form: Form
        let total: Int64?
        /// Whether a strong validator is the pinned one, although the length differs.
        let isContradiction: Bool
    }

    /// The statuses that show nothing about ranges: missing credentials, a missing file.
    private static let statusesOfAnyRequest: Set<Int> = [401, 403, 404, 407, 410, 451]
    /// The statuses with which a busy server responds to any request.
    private static let busyStatuses: Set<Int> = [408, 425, 429, 503]

    /// Whether the last range was broken, so that one connection at a time is opened.
    var hasBrokenRange: Bool { brokenRanges > 0 }

    /// Whether the server leaves requests unanswered while it serves others, so that one connection
    /// at a time is opened.
    var leavesUnanswered: Bool { silentSince != nil }

    /// Notes that a request was not answered while the server served others.
    mutating func leftUnanswered(at now: Moment) { silentSince = silentSince ?? now }

    /// Notes that a request that was sent at `moment` was answered.
    mutating func answered(requestAt moment: Moment) {
        if let silentSince, moment >= silentSince { self.silentSince = nil }
    }

    /// Returns whether a refusal with a status is final for the request, whenever it is sent.
    static func isFinal(_ status: Int) -> Bool {
        (400..<500).contains(status) && !busyStatuses.contains(status)
    }

    /// Notes a response; returns whether this response made the ranges unusable.
    @discardableResult
    mutating func learn(from finding: Finding) -> Bool {
        let before = ranges
        switch finding {
        case .whole(_, acceptsRanges: true): if ranges == .unknown { ranges = .usable }
        case .whole(let whole, acceptsRanges: false):
            if whole.total != nil || whole.contentEncoding != nil { ranges = .unusable }
        case .wholeInsteadOfRange, .inconsistent, .rangeNotSatisfiable(total: nil):
            ranges = .unusable
        case .range:
            if ranges == .unknown { ranges = .usable }
            hasServedRange = true
            (brokenRanges, rangeRefusals) = (0, 0)
            wasAsExpected()
        case .brokenRange(let id, let lastOpened):
            // Ranges requested together count once; two such failures in a row are enough.
            if let brokenBefore, id <= brokenBefore { break }
            brokenBefore = lastOpened
            brokenRanges += 1
            if brokenRanges >= 2 { ranges = .unusable }
        // According to the pinned response the range exists: a whole response will show more.
        case .rangeNotSatisfiable: suspectRanges()
        case .refusal(_, ofWhole: true, _):
            // An outage, which shows nothing about ranges.
            rangeRefusals = 0
            trustRanges()
        case .refusal(let status, ofWhole: false, let isReceiving):
            refusedRange(status, isReceiving: isReceiving)
        case .newVersion: trustRanges()
        }
        return before != .unusable && ranges == .unusable
    }

    /// Notes a refusal of a range; a few in a row prove nothing, because an outage causes them,
    /// too.
    private mutating func refusedRange(_ status: Int, isReceiving: Bool) {
        let isBusy = Self.busyStatuses.contains(status)
        // A server that serves as many connections as it allows gives no evidence about ranges.
        guard !Self.statusesOfAnyRequest.contains(status), !(isBusy && isReceiving),
            !hasServedRange, ranges != .unusable
        else { return }
        rangeRefusals += 1
        if rangeRefusals > (Self.isFinal(status) ? 0 : isBusy ? 2 : 1) { suspectRanges() }
    }

    private mutating func suspectRanges() {
        guard ranges != .unusable else { return }
        ranges = .unusable
        isSuspect = true
    }

    private mutating func trustRanges() {
        guard isSuspect else { return }
        isSuspect = false
        ranges = .unknown
    }
}

// MARK: - The file

extension SourceEvidence {
    var isDoubted: Bool { if case .doubted = proof { true } else { false } }

    /// The first response of the source, if it was proven to be of the same file.
    var known: Representation? { if case .proven(let known) = proof { known } else { nil } }

    mutating func prove(_ known: Representation) { proof = .proven(known) }

    mutating func doubt(_ reason: String) { proof = .doubted(reason) }

    /// Forgets the proof, because another file may be pinned now.
    mutating func forgetProof() { proof = .none }

    /// Notes that a response is not of the file that the source has proven.
    ///
    /// The next response must be of that file.
    mutating func fileChanged() {
        changes += 1
        if changes > 1 { proof = .doubted("its file keeps changing") }
    }

    /// Notes a response that indicates another version without proving it.
    ///
    /// Returns whether it has to be confirmed by another response of the same length. `lastOpened`
    /// is the newest transfer at that moment.
    ///
    /// A whole response to a range may be a part of the file with a wrong status, so it confirms
    /// nothing. A contradiction is believed only if a part and the whole file agree on the new
    /// length, or three whole responses in a row do.
    mutating func needsConfirmation(
        _ change: UnprovenChange,
        in id: TransferID,
        lastOpened: TransferID
    ) -> Bool {
        // Another response to requests sent together proves no more than the first.
        if let unprovenBefore, id <= unprovenBefore { return true }
        unprovenBefore = lastOpened
        unconfirmed += 1
        let isPart = change.form == .part
        if change.form == .wholeInsteadOfRange || isPart && change.isContradiction {
            unprovenRanges += 1
            if unprovenRanges >= 2 { suspectRanges() }
        }
        guard change.form != .wholeInsteadOfRange else { return true }
        let former = unproven
        unproven = change
        agreeing = former.map { $0.total == change.total } == true ? agreeing + 1 : 1
        guard agreeing > 1 else { return true }
        let isBelieved = !isPart && (former?.form == .part || agreeing > 2)
        let needsConfirmation = change.isContradiction && !isBelieved
        if !needsConfirmation { unconfirmed = 0 }
        return needsConfirmation
    }

    /// Whether the last response can still be confirmed, so that it does not count as a failure.
    ///
    /// If the responses agree, at most four precede the one that is believed: two whole responses to
    /// ranges, and two others. If they do not, further ones count as failures.
    var hasConfirmationsLeft: Bool { unconfirmed <= Self.mostUnconfirmed }

    private static let mostUnconfirmed = 4

    /// Notes a response that agrees with the pinned one, or proves another version.
    mutating func wasAsExpected() { (unproven, agreeing, unprovenRanges) = (nil, 0, 0) }

    /// Notes that the source has sent more bytes than ever before.
    mutating func progressed() { (hasServed, unconfirmed) = (true, 0) }
}

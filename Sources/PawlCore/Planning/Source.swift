internal import struct FoundationEssentials.URL

/// One URL that can serve the bytes, and what was learned of its server.
struct Source: Sendable {
    let original: URL
    var retry: RetryPolicy
    /// Counts the failures that counted; one outage that breaks eight connections is one.
    var generation = 0
    /// Segments in a row that were below the minimum speed.
    var slowStrikes = 0
    var retryAt: Moment?
    /// Why it is not asked any more; the download fails when all have one.
    var failure: DownloadError?
    /// Why nothing proves that it has the file that was begun.
    var doubt: String?
    /// What it said first, once that was proven to be of the same file; the source that was pinned
    /// has none.
    var known: Representation?
    /// How often what it said first did not hold.
    var changes = 0
    /// Whether it brought bytes, now or in an earlier run.
    var hasServed = false
    /// The length that its last answer named, if that was another one than is pinned and nothing proved
    /// a new version.
    var otherLength: OtherLength?
    var record = SourceRecord()
    /// How many connections its server serves at the same time.
    var limit = ConnectionLimit()
    /// What its connection brought that was last replaced as slow; nil when it has been asked since.
    var slowBytesPerSecond: Double?
    /// Where a chain of redirects that served the bytes ended.
    private(set) var resolved: URL?
    /// The next hop of a chain that is being followed.
    private(set) var hop: URL?
    private(set) var hops = 0
    /// The original was asked again since the last good head: what fails now is its own failure.
    private(set) var askedAgain = false
    /// A good head of this source was seen in this run.
    var isConfirmed = false
    /// How often the original was asked again.
    private(set) var wave = 0
    var ranges = Ranges.unknown
    /// Unusable ranges in a row.
    private(set) var brokenRanges = 0
    /// The newest transfer when the last of them was judged: those opened before tell nothing new.
    private var brokenBefore: TransferID?
    /// Refusals of ranged requests in a row, while no range has been served yet.
    private var rangeRefusals = 0
    private var hasServedRange = false
    /// Whether `ranges` is unusable because of refusals, which an outage explains as well.
    private var hasSuspectRanges = false

    struct OtherLength: Hashable, Sendable {
        var total: Int64?
    }

    enum Ranges: Sendable {
        case unknown
        case usable
        /// One stream from offset 0 is all that it gives.
        case unusable
    }

    init(original: URL, retry: RetryPolicy) {
        self.original = original
        self.retry = retry
    }

    var isUsable: Bool { failure == nil && doubt == nil }

    /// Another file may be pinned now: what it has is to be proven anew.
    mutating func forgetProof() {
        known = nil
        doubt = nil
        isConfirmed = false
    }

    /// What to ask next.
    var address: URL { hop ?? resolved ?? original }

    var isFollowing: Bool { hop != nil }
    var isRedirected: Bool { hop != nil || resolved != nil }

    mutating func follow(to next: URL) {
        hop = next
        hops += 1
        isConfirmed = false
    }

    /// Whom the host budget counts.
    var host: String { HostBudget.name(of: address) }

    mutating func servedWell() {
        if let hop { resolved = hop }
        hop = nil
        hops = 0
        isConfirmed = true
        askedAgain = false
    }

    /// A redirected URL does not serve any more: the original knows a new one (once per wave).
    mutating func askOriginalAgain() -> Bool {
        guard isRedirected, !askedAgain else { return false }
        resolved = nil
        hop = nil
        hops = 0
        askedAgain = true
        isConfirmed = false
        wave += 1
        return true
    }

    /// A 206 whose range cannot be used.
    ///
    /// The second one in a row is enough; those that were asked for together count once.
    mutating func rangeWasBroken(in id: TransferID, lastOpened: TransferID) {
        if let brokenBefore, id <= brokenBefore { return }
        brokenBefore = lastOpened
        brokenRanges += 1
        if brokenRanges >= 2 { ranges = .unusable }
    }

    /// A 206 whose bytes are kept.
    mutating func rangeWasServed() {
        if ranges == .unknown { ranges = .usable }
        hasServedRange = true
        brokenRanges = 0
        rangeRefusals = 0
    }

    /// A ranged request was refused; true if ranges are suspect from now on.
    ///
    /// `most`: how many refusals in a row are taken for an outage.
    mutating func rangeWasRefused(atMost most: Int) -> Bool {
        guard !hasServedRange, ranges != .unusable else { return false }
        rangeRefusals += 1
        guard rangeRefusals > most else { return false }
        ranges = .unusable
        hasSuspectRanges = true
        return true
    }

    /// The server does not have the range that the pinned answer promised: a whole answer tells more.
    mutating func rangeWasNotThere() {
        guard ranges != .unusable else { return }
        ranges = .unusable
        hasSuspectRanges = true
    }

    /// What was learned of ranges of the former version does not hold for the new one.
    mutating func fileChanged() {
        guard hasSuspectRanges else { return }
        hasSuspectRanges = false
        ranges = .unknown
    }

    /// A request for the whole was refused, too: an outage, which tells nothing of ranges.
    mutating func wholeWasRefused() {
        rangeRefusals = 0
        guard hasSuspectRanges else { return }
        hasSuspectRanges = false
        ranges = .unknown
    }
}

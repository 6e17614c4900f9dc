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
    private(set) var brokenRanges = 0
    var ranges = Ranges.unknown

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

    /// A 206 whose range was no use.
    ///
    /// The second one is enough.
    mutating func rangeWasBroken() {
        brokenRanges += 1
        if brokenRanges >= 2 { ranges = .unusable }
    }
}

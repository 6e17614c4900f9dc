package import struct FoundationEssentials.URL

/// Names one transfer within one download.
package struct TransferID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package var number: Int

    package init(_ number: Int) { self.number = number }

    package static func < (left: TransferID, right: TransferID) -> Bool {
        left.number < right.number
    }

    package var description: String { "#\(number)" }
}

/// The bytes that an earlier run left, and their representation.
package struct StartingPoint: Hashable, Sendable {
    package var representation: Representation
    package var have: RangeSet
    /// Whether the bytes are those of another tool: `representation` describes nothing, and a
    /// digest will prove them at the end.
    package var isForeign: Bool
    /// The URL that answered with `representation`, without its secrets; `nil` if it is not known.
    package var source: String?

    package init(
        representation: Representation,
        have: RangeSet,
        isForeign: Bool = false,
        source: String? = nil
    ) {
        self.representation = representation
        self.have = have
        self.isForeign = isForeign
        self.source = source
    }

    /// The first URL of `source`, redacted as URLs are now.
    var firstSource: String? {
        // An older version may have redacted less.
        source?.split(separator: "\n").first.map { AddressParts(String($0)).redacted }
    }
}

/// Where a running transfer stands.
package struct TransferSample: Hashable, Sendable {
    package var id: TransferID
    package var offset: Int64
    /// Received bytes that are not kept because they are there already.
    package var skippedBytes: Int64
    /// Whether Pawl itself holds the transfer back: a rate limit, a slow disk.
    package var isPaused: Bool

    package init(id: TransferID, offset: Int64, skippedBytes: Int64 = 0, isPaused: Bool = false) {
        self.id = id
        self.offset = offset
        self.skippedBytes = skippedBytes
        self.isPaused = isPaused
    }
}

/// What happened to a download.
package indirect enum DownloadEvent: Sendable {
    /// The download begins, with what an earlier run left.
    case started(StartingPoint?)
    /// A connection that `requestSlot` asked for may be opened.
    case slotGranted(host: String)
    case headJudged(TransferID, HeadVerdict, connectTime: Duration? = nil)
    /// The store is open, with what an earlier run left.
    case storeOpened(TransferID, StartingPoint?)
    /// The store is empty.
    case storeReset(TransferID?)
    /// A transfer ended; `offset` is the end of the bytes that were kept.
    case transferEnded(TransferID, offset: Int64, TransferOutcome)
    /// `work` is the CPU time so far of the busiest thread that moves bytes; while the download is
    /// suspended, no bytes are expected and nothing is measured.
    case ticked([TransferSample], work: Duration = .zero, isSuspended: Bool = false)
    /// How the network is reached now; only reported if the settings require it.
    case networkChanged(NetworkPath)
    /// A transfer received other bytes than those that are there: another version of the file.
    case seamDiffered(TransferID)
    /// A sync failed; only these bytes on disk can be trusted.
    case syncFailed(durable: RangeSet)
    /// The driver ends the download.
    case abandoned
}

/// What to do for a download.
package indirect enum DownloadAction: Sendable {
    case requestSlot(host: String)
    case releaseSlot(host: String)
    case withdrawSlotRequest(host: String)
    case open(TransferOrder)
    /// Moves the end of a transfer; `isProven`: the bytes behind the end are there already, and are
    /// compared before the last byte counts.
    case setEnd(TransferID, Int64, isProven: Bool = false)
    case close(TransferID)
    /// Resumes the held response; bytes before `skipUntil` are read and not kept; if `comparing`,
    /// they must equal those that are there.
    case resumeTransfer(TransferID, skipUntil: Int64, comparing: Bool = false)
    /// Names the file and opens or creates its store.
    case openStore(TransferID, Representation)
    /// Drops all bytes; the next ones are of this representation.
    case resetStore(TransferID?, Representation)
    /// Trusts only these bytes of those that ended transfers wrote.
    case restrictLedger(RangeSet)
    /// Stores what was learned of the representation: its length, an entity tag that is not
    /// trusted.
    case updateRepresentation(Representation)
    /// Opens no new connection to the host, for any download: it sent `Retry-After`.
    case backOffHost(String, Duration)
    case log(String)
    /// Tells the user that bytes are downloaded again.
    case notice(String)
    case complete(total: Int64)
    case fail(DownloadError)
}

/// A transfer to be opened.
package struct TransferOrder: Hashable, Sendable {
    package var id: TransferID
    package var url: URL
    /// `nil` requests the whole file.
    package var range: ByteRange?
    /// `nil` if a whole representation is requested that will be pinned.
    package var pinned: Representation?
    /// The representation of its source that was given up, if none is pinned since.
    package var former: Representation?
    package var start: Int64
    package var end: Int64
    /// The place of its source among those of the download.
    package var source = 0
    /// What its answer must prove.
    package var proof = SourceProof.unchanged
    /// Whether bytes besides its own must equal those that are there.
    package var comparesBytes = false
    /// Whether the bytes behind `end` are there already, and are compared before the last byte
    /// counts.
    package var isEndProven = false

    package init(
        id: TransferID,
        url: URL,
        range: ByteRange?,
        pinned: Representation?,
        start: Int64,
        end: Int64
    ) {
        self.id = id
        self.url = url
        self.range = range
        self.pinned = pinned
        self.start = start
        self.end = end
    }

    /// What its head must agree with.
    package var expectation: HeadExpectation {
        HeadExpectation(asked: range, pinned: pinned, former: former, proof: proof)
    }
}

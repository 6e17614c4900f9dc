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

/// Bytes that an earlier run left, and of what.
package struct StartingPoint: Hashable, Sendable {
    package var representation: Representation
    package var have: RangeSet
    /// The bytes are another tool's, which the user wants to go on with: `representation` says
    /// nothing of them, and a digest will prove them at the end.
    package var isForeign: Bool
    /// The URL whose answer `representation` is, its secrets hidden; nil where that is not known.
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

    /// The first URL of `source`, in the form in which URLs are shown now.
    var firstSource: String? {
        // An older version may have hidden less.
        source?.split(separator: "\n").first.map { AddressParts(String($0)).redacted }
    }
}

/// Where a running transfer stands.
package struct TransferSample: Hashable, Sendable {
    package var id: TransferID
    package var offset: Int64
    /// Bytes that came and are not kept, as they are there already.
    package var skippedBytes: Int64
    /// Whether we hold it back ourselves: a rate limit, a slow disk.
    package var isPaused: Bool

    package init(
        id: TransferID,
        offset: Int64,
        skippedBytes: Int64 = 0,
        isPaused: Bool = false
    ) {
        self.id = id
        self.offset = offset
        self.skippedBytes = skippedBytes
        self.isPaused = isPaused
    }
}

/// What happened to a download.
package indirect enum DownloadEvent: Sendable {
    /// The download begins, where an earlier run left it.
    case started(StartingPoint?)
    /// A connection that `requestSlot` asked for may be opened.
    case slotGranted(host: String)
    case headJudged(TransferID, HeadVerdict, connectTime: Duration? = nil)
    /// What `openStore` asked for is there; the store held so much of an earlier run.
    case storeOpened(TransferID, StartingPoint?)
    /// What `resetStore` asked for is done.
    case storeReset(TransferID?)
    /// `offset` is behind the last byte that was kept.
    case transferEnded(TransferID, offset: Int64, TransferOutcome)
    /// `work` is what the busiest of the threads that move bytes has worked, added up over all ticks.
    /// While the caller has the download suspended nothing is to come, and nothing is measured.
    case ticked([TransferSample], work: Duration = .zero, isSuspended: Bool = false)
    /// How the network is reached now; never told where the settings do not ask for it.
    case networkChanged(NetworkPath)
    /// What a transfer brought is not what is there: another version, which nothing else tells.
    case seamDiffered(TransferID)
    /// A sync failed: of the bytes on disk only these can be trusted.
    case syncFailed(durable: RangeSet)
    /// The driver ends the download: nothing more is to be opened.
    case abandoned
}

/// What to do for a download.
package indirect enum DownloadAction: Sendable {
    case requestSlot(host: String)
    case releaseSlot(host: String)
    case withdrawSlotRequest(host: String)
    case open(TransferOrder)
    /// Where a transfer ends now. `isProven`: what it brings behind that end is there already, and is
    /// compared before its last byte counts.
    case setEnd(TransferID, Int64, isProven: Bool = false)
    case close(TransferID)
    /// Let the held response go on; bytes before `skipUntil` are read and not kept.
    ///
    /// `comparing`: they must be what is there.
    case resumeTransfer(TransferID, skipUntil: Int64, comparing: Bool = false)
    /// Name the file and open or create its store.
    case openStore(TransferID, Representation)
    /// Drop all bytes; what comes now is this representation.
    case resetStore(TransferID?, Representation)
    /// Of what ended transfers wrote only this is believed.
    case restrictLedger(RangeSet)
    /// Note what was learned of the representation: its total, an entity tag not to be trusted.
    case updateRepresentation(Representation)
    /// The host asked for patience: no new connection to it, for any download.
    case backOffHost(String, Duration)
    case log(String)
    /// Tell the user without being asked: what was fetched is fetched again.
    case notice(String)
    case complete(total: Int64)
    case fail(DownloadError)
}

/// A transfer to be opened.
package struct TransferOrder: Hashable, Sendable {
    package var id: TransferID
    package var url: URL
    /// Nil asks for the whole.
    package var range: ByteRange?
    /// Nil where a whole representation is asked for to be pinned anew.
    package var pinned: Representation?
    /// What its source said before, if that was given up and nothing is pinned since.
    package var former: Representation?
    package var start: Int64
    package var end: Int64
    /// The place of its source among the download's.
    package var source = 0
    /// What its answer must prove.
    package var proof = SourceProof.unchanged
    /// Whether what it brings besides its own bytes must be what is there.
    package var comparesBytes = false
    /// Whether what lies behind `end` is there already, and is compared before the last byte counts.
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

    /// What its head is judged by.
    package var expectation: HeadExpectation {
        HeadExpectation(asked: range, pinned: pinned, former: former, proof: proof)
    }
}

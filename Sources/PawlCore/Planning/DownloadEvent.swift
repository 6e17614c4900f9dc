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

/// The bytes that an earlier run received, and their representation.
package struct StartingPoint: Hashable, Sendable {
    package var representation: Representation
    package var have: RangeSet
    /// Whether another tool received the bytes: `representation` is then empty, and a digest proves
    /// the bytes at the end.
    package var isForeign: Bool
    /// The URL that responded with `representation`, without its secrets; `nil` if it is not known.
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

    /// The first URL of `source`, redacted by the rules of this version.
    var firstSource: String? {
        // An older version may have redacted less.
        source?.split(separator: "\n").first.map { AddressParts(String($0)).redacted }
    }
}

/// The progress of a running transfer.
package struct TransferSample: Hashable, Sendable {
    package var id: TransferID
    package var offset: Int64
    /// The number of received bytes that are not kept because they are present already.
    package var skippedBytes: Int64
    /// Whether Pawl itself pauses the transfer, because of a rate limit or a slow disk.
    package var isPaused: Bool

    package init(id: TransferID, offset: Int64, skippedBytes: Int64 = 0, isPaused: Bool = false) {
        self.id = id
        self.offset = offset
        self.skippedBytes = skippedBytes
        self.isPaused = isPaused
    }
}

/// An event of a download, which the planner handles.
package indirect enum DownloadEvent: Sendable {
    /// The download begins, with the bytes of an earlier run if there are any.
    ///
    /// `former`: the representation of an earlier run that left no bytes. `grid`: the parts in
    /// which the store takes bytes, if it is open and takes them in parts.
    case started(StartingPoint?, former: Representation? = nil, grid: SegmentGrid? = nil)
    /// A connection that `requestSlot` asked for may be opened.
    case slotGranted(host: String)
    /// The head of a response was judged; `known` is what earlier downloads have learned of the
    /// host, if this is the first response. `isSurplus` means the same as in `transferEnded`.
    case headJudged(
        TransferID,
        HeadVerdict,
        connectTime: Duration? = nil,
        known: HostRecord? = nil,
        isSurplus: Bool = false
    )
    /// The server of the file has named other sources of it, whose digest is known.
    case mirrorsNamed([URL])
    /// The response whose store is being opened is not needed, because its connection is.
    case responseDropped(TransferID)
    /// The store is open, with the bytes of an earlier run if there are any.
    ///
    /// `grid` means the same as in `started`.
    case storeOpened(TransferID, StartingPoint?, grid: SegmentGrid? = nil)
    /// The store is empty.
    ///
    /// `grid` means the same as in `started`.
    case storeReset(TransferID?, grid: SegmentGrid? = nil)
    /// A transfer ended; `offset` is the end of the bytes that are kept.
    ///
    /// `isSurplus`: whether the host refused it because it serves other downloads.
    case transferEnded(TransferID, offset: Int64, TransferOutcome, isSurplus: Bool = false)
    /// `work` is the CPU time so far of the busiest thread that moves bytes; while the download is
    /// suspended, no bytes are expected and nothing is measured.
    case ticked([TransferSample], work: Duration = .zero, isSuspended: Bool = false)
    /// The reader of the file has read the bytes before this offset; only reported if the planner
    /// has a window.
    case readerReached(Int64)
    /// The path to the network changed; only reported if the settings require it.
    case networkChanged(NetworkPath)
    /// The bytes of a transfer differ from those received before: they are of another version of
    /// the file.
    case seamDiffered(TransferID)
    /// A sync failed; only these bytes on disk can be trusted.
    case syncFailed(durable: RangeSet)
    /// The digest of the file was found beside it, perhaps with other sources.
    case digestFound(ContentDigest, [URL])
    /// The complete file has a wrong digest; the pieces are those that are known to be wrong, if
    /// there are any. `expected`: the digest that the file must have, if it is known.
    case digestDiffered(wrongPieces: [ByteRange], expected: ContentDigest? = nil)
    /// The driver ends the download.
    case abandoned
}

/// An action for a download, which the planner returns and the driver carries out.
package indirect enum DownloadAction: Sendable {
    case requestSlot(host: String)
    case releaseSlot(host: String)
    case withdrawSlotRequest(host: String)
    case open(PlannedTransfer)
    /// Moves the end of a transfer.
    ///
    /// `isProven` means the same as `PlannedTransfer.isEndProven`.
    case setEnd(TransferID, Int64, isProven: Bool = false)
    case close(TransferID)
    /// Resumes the held response; bytes before `skipUntil` are read and not kept; if `comparing`,
    /// they must equal those received before.
    case resumeTransfer(TransferID, skipUntil: Int64, comparing: Bool = false)
    /// Names the file and opens or creates its store.
    case openStore(TransferID, Representation)
    /// Drops all bytes; the next ones are of this representation.
    case resetStore(TransferID?, Representation)
    /// Trusts only these bytes of ended transfers.
    case restrictLedger(RangeSet)
    /// Stores new facts about the representation: its length, its digest, or that its entity tag is
    /// not trusted.
    case updateRepresentation(Representation)
    /// Opens no new connection to the host for any download, because it sent `Retry-After`.
    case backOffHost(String, Duration)
    case log(String)
    /// Tells the user that bytes are downloaded again.
    case notice(String)
    /// Records why the download is about to start over.
    case startingOver(DownloadRestart.Reason)
    case complete(total: Int64)
    /// Fails, because the complete file has a wrong digest; its bytes are kept under another name.
    case failDigest
    case fail(DownloadError)
}

/// A transfer to be opened.
package struct PlannedTransfer: Hashable, Sendable {
    package var id: TransferID
    package var url: URL
    package var method = "GET"
    package var sendsBody = true
    /// `nil` requests the whole file.
    package var range: ByteRange?
    /// `nil` if a whole representation is requested that will be pinned.
    package var pinned: Representation?
    /// The representation that the response replaces, if the download starts over.
    package var former: FormerRepresentation?
    package var start: Int64
    package var end: Int64
    /// The index of its source among those of the download.
    package var source = 0
    /// The proof that its response must give.
    package var proof = SourceProof.unchanged
    /// Whether bytes besides its own must equal those received before.
    package var comparesBytes = false
    /// Whether the bytes after `end` are present already and are compared before the last byte
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

    /// The values that its head must match.
    package var expectation: HeadExpectation {
        var expectation = HeadExpectation(
            asked: range,
            pinned: pinned,
            former: former,
            proof: proof
        )
        expectation.acceptsAnySuccess = method != "GET"
        return expectation
    }

    /// Sets the source and the request that is sent to it.
    mutating func take(_ request: ExchangePlanner.Request, of source: Int) {
        (url, method, sendsBody) = (request.url, request.method, request.sendsBody)
        self.source = source
    }
}

/// What was asked and what is known, to judge a head by.
package struct HeadExpectation: Sendable {
    /// The range asked for; nil where the whole was asked for.
    package var asked: ByteRange?
    /// What the first good response said; nil before there was one.
    package var pinned: Representation?
    /// What the same source said before, if nothing is pinned because that was given up.
    package var former: Representation?
    package var proof: SourceProof

    package init(
        asked: ByteRange? = nil,
        pinned: Representation? = nil,
        former: Representation? = nil,
        proof: SourceProof = .unchanged
    ) {
        self.asked = asked
        self.pinned = pinned
        self.former = former
        self.proof = proof
    }
}

/// What a head means for the download: the rows of the table of answers.
package indirect enum HeadVerdict: Hashable, Sendable {
    /// A whole representation from offset 0 where none was pinned.
    case pin(Representation, acceptsRanges: Bool)
    /// A 206 that fits what was asked and pinned: its bytes belong at this range.
    case write(ByteRange, Representation)
    /// A whole representation from offset 0 where one is pinned.
    case whole(Representation, acceptsRanges: Bool)
    /// A 206 of another representation. `onlyEntityTag`: total and Last-Modified are the pinned ones.
    case changed(Representation, onlyEntityTag: Bool)
    /// A 206 of another source, which is not proven to be of the same file.
    case unproven(String)
    /// 416, with the total that it named.
    case rangeNotSatisfiable(total: Int64?)
    /// 301, 302, 303, 307, 308 with the location as received.
    case redirect(location: String)
    /// A 206 whose range cannot be used; nothing of it may be written.
    case brokenRange(String)
    /// Framing that contradicts itself, or a status that makes no sense here.
    case malformed(String)
    /// A web page where the pinned answer was something else.
    case captivePortal
    /// A whole answer that is most likely an error page: it lacks this validator, which the pinned
    /// answer had.
    case unprovenWhole(missing: String)
    /// An answer that lacks the `ETag` of the pinned one, though its length and `Last-Modified` are the
    /// same.
    case lostEntityTag(Representation, range: ByteRange?)
    /// Any other status: 4xx, 5xx.
    case status(Int, reason: String, retryAfter: Duration?)

    package var isPin: Bool {
        if case .pin = self { true } else { false }
    }
}

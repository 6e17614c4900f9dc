/// The request and the known facts by which a head is judged.
package struct HeadExpectation: Sendable {
    /// The requested range; `nil` if the whole file was requested.
    package var asked: ByteRange?
    /// The representation of the first good response; `nil` before there was one.
    package var pinned: Representation?
    /// The representation that the response replaces, if the download starts over.
    package var former: FormerRepresentation?
    package var proof: SourceProof
    /// Whether each status from 200 to 205 is that of a whole response, because the request did not
    /// ask for a file.
    package var acceptsAnySuccess = false

    package init(
        asked: ByteRange? = nil,
        pinned: Representation? = nil,
        former: FormerRepresentation? = nil,
        proof: SourceProof = .unchanged
    ) {
        self.asked = asked
        self.pinned = pinned
        self.former = former
        self.proof = proof
    }
}

/// The meaning of a response's head for the download.
package indirect enum HeadVerdict: Hashable, Sendable {
    /// A whole representation from offset 0, with none pinned.
    case pin(Representation, acceptsRanges: Bool)
    /// A 206 that fits the request and the pinned representation.
    ///
    /// Its bytes belong to this range.
    case write(ByteRange, Representation)
    /// A whole representation from offset 0, with one pinned.
    case whole(Representation, acceptsRanges: Bool)
    /// A 206 of another representation.
    ///
    /// `onlyEntityTag`: total and Last-Modified equal the pinned ones.
    case changed(Representation, onlyEntityTag: Bool)
    /// A 206 from another source that does not prove that it is of the same file.
    case unproven(String)
    /// A 416 with the total that it names.
    case rangeNotSatisfiable(total: Int64?)
    /// A 301, 302, 303, 307 or 308 with the location as received.
    case redirect(ResponseHead, location: String)
    /// A 206 whose range cannot be used.
    ///
    /// None of its bytes may be written.
    case brokenRange(String)
    /// Contradictory framing, or a status that is not valid here.
    case malformed(String)
    /// A whole response that is probably an error page, or an encoded one.
    case doubtful(Doubt)
    /// A response that differs from the pinned one only in its `ETag`, which is missing or weak.
    case lostEntityTag(Representation, range: ByteRange?)
    /// Any other status: 4xx or 5xx.
    case status(Int, reason: String, retryAfter: Duration?)

    package var isPin: Bool {
        if case .pin = self { true } else { false }
    }

    /// The length of the whole file, if the bytes of the response can be used and it is known.
    package var usableTotal: Int64? {
        switch self {
        case .pin(let representation, _), .whole(let representation, _),
            .write(_, let representation):
            representation.total
        default: nil
        }
    }
}

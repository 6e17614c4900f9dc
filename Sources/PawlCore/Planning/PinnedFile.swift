/// The representation that the bytes are of, and which answers may be joined with these bytes.
struct PinnedFile: Sendable {
    /// What the first good answer said; `nil` before there was one.
    private(set) var representation: Representation?
    /// The place of the source that sent that answer; `nil` if it is not among the sources.
    private(set) var anchor: Int?
    /// Whether all bytes are another tool's, and no answer has fitted them yet.
    private(set) var isAdopting = false
    /// What was pinned last, after it was given up, and its anchor.
    private var former: (representation: Representation, anchor: Int?)?
    /// The digest that the user gave.
    private let digest: ContentDigest?
    private let allowsWeakResume: Bool
    private let adoptsPartialFile: Bool

    init(_ settings: DownloadSettings) {
        if case .digest(let digest) = settings.checksum {
            self.digest = digest
        } else {
            digest = nil
        }
        allowsWeakResume = settings.allowsWeakResume
        adoptsPartialFile = settings.adoptsPartialFile
    }

    var total: Int64? { representation?.total }

    /// Whether the bytes can be fetched in parts: the length is known, and the offsets are those of
    /// the file.
    var isDivisible: Bool { total != nil && representation?.contentEncoding == nil }

    /// Whether bytes of two answers may touch only where they were compared (``Seam``); adopted
    /// bytes are proven by the digest at the end.
    var needsSeams: Bool {
        isDivisible && representation?.validatorStrength != .strong && !adoptsPartialFile
    }

    // MARK: - Changes

    /// Takes the bytes of another tool, or those of an earlier run.
    mutating func resume(isForeign: Bool) { isAdopting = isForeign }

    mutating func pin(_ representation: Representation, by anchor: Int?) {
        (self.representation, self.anchor) = (representation, anchor)
    }

    /// Pins the first answer that fits adopted bytes; the digest goes into the checkpoint: no later
    /// run may do without it.
    mutating func adopt(_ representation: Representation, by anchor: Int?) {
        isAdopting = false
        pin(representation, by: anchor)
        self.representation?.total = nil
        if let digest { self.representation?.digest = digest }
    }

    /// Gives the representation up: the file is another one.
    mutating func giveUp() {
        if let representation { former = (representation, anchor) }
        representation = nil
    }

    /// Forgets which source was pinned.
    mutating func forgetAnchor() { anchor = nil }

    mutating func setTotal(_ total: Int64) { representation?.total = total }

    /// Takes the validators for no proof any more.
    mutating func distrustValidators() {
        representation?.entityTag = nil
        representation?.lastModifiedIsOld = false
    }

    // MARK: - Proof

    /// What the next answer of a source is judged by; `known`: its first answer, if that was
    /// proven.
    func expect(_ order: inout TransferOrder, of place: Int, known: Representation?) {
        let isForeign = isUnproven(place, known: known)
        order.pinned = isForeign ? representation : known ?? representation
        order.proof = isForeign ? .sameFile(digest: digest) : .unchanged
        if representation == nil, let former, former.anchor == place {
            order.former = former.representation
        }
    }

    /// Whether nothing proves yet that a source has the file.
    func isUnproven(_ place: Int, known: Representation?) -> Bool {
        isOther(place) && representation != nil && known == nil
    }

    /// Whether a source must prove its file by other means than the anchor.
    func isOther(_ place: Int) -> Bool { place != anchor && !isAdopting }

    /// Why a whole answer of another source is not proven to be of the file; `nil` if it is.
    func difference(to seen: Representation, of place: Int, known: Representation?) -> String? {
        guard isOther(place), let representation, known?.isProvenSame(seen) != true else {
            return nil
        }
        return representation.difference(toAnotherSource: seen, digest: digest)
    }

    /// Whether an answer differs from what is pinned only in its length, so that nothing proves a
    /// new version.
    func differsOnlyInLength(from seen: Representation, of place: Int) -> Bool {
        place == anchor && !isAdopting && representation?.differsOnlyInLength(from: seen) == true
    }

    // MARK: - Joining

    /// Whether bytes of an earlier run may be joined with new ones: validators prove that they fit,
    /// or the bytes do where they meet (``Seam``).
    func canResume(_ known: Representation) -> Bool {
        guard known.contentEncoding == nil else { return false }
        if known.validatorStrength == .strong { return true }
        return (known.total != nil || isAdopting) && allowsWeakResume
    }

    /// Whether what an earlier run left may be joined with new bytes.
    ///
    /// `isOfSource`: whether it is of one of the URLs. Bytes of another URL need validators or a
    /// digest: two files of one length may well be equal where they are compared.
    func canResume(_ point: StartingPoint, isOfSource: Bool) -> Bool {
        guard canResume(point.representation) else { return false }
        return point.isForeign || point.representation.validatorStrength == .strong
            || digest != nil || point.firstSource == nil || isOfSource
    }

    /// Whether a whole answer may be joined with bytes of `known`: validators prove that it is of
    /// the same file, or its length fits and the bytes are compared with it.
    func mayJoin(_ seen: Representation, to known: Representation, have: RangeSet) -> Bool {
        if known.isProvenSame(seen) { return true }
        guard canResume(known) || needsSeams, known.validatorStrength != .strong,
            let total = seen.total
        else { return false }
        return known.compare(seen) == .same && seen.contentEncoding == nil
            && (have.ranges.last?.end ?? 0) <= total
    }

    /// Whether a first answer is of what an earlier run left, by the proof that its source needs.
    func mayJoin(
        _ seen: Representation,
        to point: StartingPoint,
        isOfSource: Bool,
        isSameSource: Bool
    ) -> Bool {
        guard canResume(point, isOfSource: isOfSource) else { return false }
        if mayJoin(seen, to: point.representation, have: point.have) { return true }
        guard !isSameSource, canResume(point.representation) else { return false }
        return point.representation.difference(toAnotherSource: seen, digest: digest) == nil
    }

    /// Why a first answer is an error page in place of what an earlier run left; `nil` if it is
    /// none.
    func doubt(
        about seen: Representation,
        insteadOf point: StartingPoint,
        isOfSource: Bool
    ) -> WholeDoubt? {
        let known = point.representation
        if known.hasLostOnlyEntityTag(in: seen) { return .missing("ETag") }
        if let doubt = known.doubt(about: seen) { return doubt }
        guard canResume(point, isOfSource: isOfSource), known.differsOnlyInLength(from: seen) else {
            return nil
        }
        return .otherLength(seen.total)
    }
}

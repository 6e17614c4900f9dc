/// The representation to which the bytes belong; it decides which responses may be joined with
/// them.
struct PinnedFile: Sendable {
    /// The representation in the first good response; `nil` before there was one.
    private(set) var representation: Representation?
    /// The index of the source that sent that response; `nil` if it is not among the sources.
    private(set) var pinnedSource: Int?
    /// Whether all bytes are another tool's, and no response has matched them yet.
    private(set) var isAdopting = false
    /// Whether the next good response of any source replaces the bytes, because no source proves
    /// that it has the same file; until then they are kept.
    private(set) var isUpForReplacement = false
    /// Whether it was announced that the bytes are about to be discarded.
    private var hasAnnouncedRestart = false
    /// The previous pinned representation and the source of its bytes.
    private var former: (representation: Representation, source: Int?)?
    /// The digest that the file must have if the user gave none; it stays when the download starts
    /// over.
    private var demand: DigestDemand?
    /// The digest that the user gave.
    private let digest: ContentDigest?
    private let takesServerDigests: Bool
    private let allowsWeakResume: Bool
    private let adoptsPartialFile: Bool
    /// Whether the request asks for a file, parts of which can be requested.
    private let asksForFile: Bool
    /// Whether bytes of two responses can be compared where they meet; otherwise only a strong
    /// validator proves that they match.
    var mayCompare = true

    init(_ settings: DownloadSettings) {
        if case .digest(let digest) = settings.checksum {
            self.digest = digest
        } else {
            digest = nil
        }
        takesServerDigests = settings.checksum.takesServers
        allowsWeakResume = settings.allowsWeakResume
        adoptsPartialFile = settings.adoptsPartialFile
        asksForFile = settings.asksForFile
    }

    var total: Int64? { representation?.total }

    /// Whether the bytes can be fetched in parts: the length is known, the offsets are those of the
    /// file, and the present bytes are still wanted.
    var isDivisible: Bool {
        asksForFile && total != nil && representation?.contentEncoding == nil
            && !isUpForReplacement && (mayCompare || isStrong)
    }

    private var isStrong: Bool { representation?.validatorStrength == .strong }

    /// The end of a request for the whole file.
    var requestedEnd: Int64 { isUpForReplacement ? .max : total ?? .max }

    /// Whether the rest of the file may be joined with the present bytes.
    var isContinuable: Bool { !isUpForReplacement && representation.map(canResume) == true }

    /// Whether bytes of two responses may touch only where they were compared (``Seam``); the
    /// digest proves adopted bytes at the end.
    var needsSeams: Bool {
        isDivisible && !isStrong && !adoptsPartialFile
    }

    // MARK: - Changes

    /// Begins with the bytes of another tool or of an earlier run.
    mutating func resume(isForeign: Bool) { isAdopting = isForeign }

    mutating func pin(_ representation: Representation, by source: Int?) {
        (self.representation, pinnedSource) = (representation, source)
        (isUpForReplacement, hasAnnouncedRestart) = (false, false)
        noteDigest(representation.digest, from: source)
    }

    /// Notes that the bytes are about to be discarded; returns whether that was not known.
    mutating func announceRestart() -> Bool {
        defer { hasAnnouncedRestart = true }
        return !hasAnnouncedRestart
    }

    /// Pins the first response that matches adopted bytes; the digest is recorded in the
    /// checkpoint, because every later run needs it.
    mutating func adopt(_ representation: Representation, by source: Int?) {
        isAdopting = false
        pin(representation, by: source)
        self.representation?.total = nil
        if let digest { self.representation?.digest = digest }
    }

    /// Begins after an earlier run that left no bytes, so that no error page passes for its file.
    mutating func begin(after representation: Representation) { former = (representation, 0) }

    /// Gives up the representation, because the file is another one.
    mutating func giveUp() {
        if let representation { former = (representation, pinnedSource) }
        representation = nil
        isUpForReplacement = false
    }

    /// Lets the next good response replace the bytes.
    mutating func replace() { isUpForReplacement = true }

    /// Forgets which source was pinned.
    mutating func forgetPinnedSource() { pinnedSource = nil }

    mutating func setTotal(_ total: Int64) { representation?.total = total }

    /// Stops accepting the validators as proof; `tag` is the weak one that replaces the entity tag.
    mutating func distrustValidators(keeping tag: EntityTag? = nil) {
        representation?.entityTag = tag
        representation?.lastModifiedIsOld = false
    }

    // MARK: - The digest

    /// Takes a digest that was named for the file, unless one is known.
    mutating func noteDigest(_ digest: ContentDigest?, from source: Int?) {
        guard takesServerDigests, demand == nil, let digest else { return }
        demand = DigestDemand(digest, of: representation ?? Representation(), from: source)
    }

    /// Takes a digest that was found beside the file of the requested URL; returns the pinned
    /// representation if it gets that digest.
    mutating func foundDigest(_ digest: ContentDigest) -> Representation? {
        noteDigest(digest, from: 0)
        guard demand?.digest == digest, representation?.digest == nil else { return nil }
        representation?.digest = digest
        return representation
    }

    /// Notes the representation that a source has now; returns it with the digest that its bytes
    /// must have.
    @discardableResult
    mutating func demandDigest(of seen: Representation, from source: Int) -> Representation {
        guard takesServerDigests else { return seen }
        if let known = demand, !known.isReplaced(by: seen, from: source) {
            var demanded = seen
            demanded.digest = known.digest
            return demanded
        }
        demand = seen.digest.map { DigestDemand($0, of: seen, from: source) }
        return seen
    }

    /// Returns why a representation of a source cannot be the file whose digest is known.
    func refusal(of seen: Representation, from source: Int, host: String) -> DownloadError? {
        demand?.refusal(of: seen, from: source, host: host)
    }

    // MARK: - Proof

    /// Sets what the next response of a source must match.
    func expect(_ planned: inout PlannedTransfer, of source: Int, in sources: SourcePlanner) {
        let known = sources[source].evidence.known
        guard let representation, !isUpForReplacement else {
            let former = representation.map { ($0, pinnedSource) } ?? former
            planned.former = former.map {
                FormerRepresentation($0.representation, isOfSameSource: $0.source == source)
            }
            return
        }
        let isForeign = isUnproven(source, known: known)
        planned.pinned = isForeign ? representation : known ?? representation
        planned.proof =
            isForeign
            ? .sameFile(
                digest: digest(for: source, sources),
                isOnSameServer: isOnSameServer(source, sources)
            )
            : .unchanged
    }

    /// Returns whether nothing proves yet that a source has the file.
    func isUnproven(_ source: Int, known: Representation?) -> Bool {
        isOther(source) && representation != nil && known == nil
    }

    /// Returns whether a source must prove its file by other means than the pinned source.
    func isOther(_ source: Int) -> Bool { source != pinnedSource && !isAdopting }

    /// Returns why a whole response of another source is not proven to be of the file; `nil` if it
    /// is.
    func difference(
        to seen: Representation,
        of source: Int,
        in sources: SourcePlanner
    ) -> String? {
        let known = sources[source].evidence.known
        guard isOther(source), let representation, known?.isProvenSame(seen) != true else {
            return nil
        }
        // Its tag was proven to belong to the file, so another tag is that of another version.
        let digest = digest(for: source, sources)
        if digest == nil, known?.isProvenOtherTag(seen) == true { return "its file has changed" }
        return representation.difference(
            toAnotherSource: seen,
            digest: digest,
            isOnSameServer: isOnSameServer(source, sources)
        )
    }

    /// Returns the digest that proves the file at the end, if a source need not prove it before.
    private func digest(for source: Int, _ sources: SourcePlanner) -> ContentDigest? {
        digest ?? (sources[source].isNamedByServer ? representation?.digest : nil)
    }

    /// Whether a source is on the server of the pinned source.
    private func isOnSameServer(_ source: Int, _ sources: SourcePlanner) -> Bool {
        pinnedSource.map { sources[$0].host == sources[source].host } ?? false
    }

    /// Returns why a response that indicates another version has to be confirmed; `nil` if it need
    /// not.
    func unprovenChange(in seen: Representation, of source: Int) -> Doubt? {
        guard source == pinnedSource, !isAdopting else { return nil }
        return representation?.unprovenChange(in: seen)
    }

    // MARK: - Joining

    /// Returns whether bytes of an earlier run may be joined with new ones: either validators prove
    /// that they match, or a comparison does where they meet (``Seam``).
    func canResume(_ known: Representation) -> Bool {
        guard asksForFile, known.contentEncoding == nil else { return false }
        if known.validatorStrength == .strong { return true }
        return (known.total != nil || isAdopting) && allowsWeakResume && mayCompare
    }

    /// Returns whether the bytes of an earlier run may be joined with new ones.
    ///
    /// `isOfSource`: whether they are from one of the URLs. Bytes of another URL need validators
    /// or a digest: two files of the same length may happen to be equal where they are compared.
    func canResume(_ point: StartingPoint, isOfSource: Bool) -> Bool {
        guard canResume(point.representation) else { return false }
        return point.isForeign || point.representation.validatorStrength == .strong
            || digest != nil || point.firstSource == nil || isOfSource
    }

    /// Returns whether a whole response may be joined with bytes of `known`: either validators
    /// prove that it is of the same file, or its length matches and the bytes are compared with it.
    func mayJoin(_ seen: Representation, to known: Representation, have: RangeSet) -> Bool {
        if known.isProvenSame(seen) { return true }
        guard canResume(known) || needsSeams, known.validatorStrength != .strong,
            let total = seen.total
        else { return false }
        return known.compare(seen) == .same && seen.contentEncoding == nil
            && (have.ranges.last?.end ?? 0) <= total
    }

    /// Returns whether a first response is of the file of an earlier run, by the proof that its
    /// source needs.
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

    /// Returns why a first response is an error page instead of the file of an earlier run; `nil`
    /// if it is not an error page.
    func doubt(
        about seen: Representation,
        insteadOf point: StartingPoint,
        isOfSource: Bool,
        isSameSource: Bool
    ) -> Doubt? {
        let known = point.representation
        guard isSameSource else { return known.errorPageDoubt(about: seen) }
        if known.hasLostOnlyEntityTag(in: seen) { return .missing("ETag") }
        if let doubt = known.doubt(about: seen) { return doubt }
        guard canResume(point, isOfSource: isOfSource) else { return nil }
        return known.unprovenChange(in: seen)
    }
}

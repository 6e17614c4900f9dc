/// Judges the responses of the servers against the pinned representation: which bytes are kept, and
/// when a download starts over with another version of the file.
struct ResponsePlanner: Sendable {
    private let allowsWeakResume: Bool
    /// The size that the file must have; `nil` if any is right.
    private let expectedSize: Int64?
    /// The pieces of the file, if only they show whether it is right.
    private let pieces: PieceDigests?
    /// The number of changes of the representation.
    private var changes = 0
    /// The number of times that bytes differed although nothing indicated a change.
    private var differences = 0

    /// The next step of the download, after a response that needs more than a change of transfers.
    enum Step {
        /// Holds the response until its store is open.
        case openStore(TransferID, Representation)
        /// Resumes the held response, which is compared with all bytes received so far.
        case resumeAlone(TransferID)
        /// Drops all bytes, because the file is another one.
        case startOver
        /// Drops all bytes, and takes the held response as the first one of a new representation.
        case startOverWith(TransferID, Representation)
        case fail(DownloadError)
    }

    init(_ settings: DownloadSettings) {
        allowsWeakResume = settings.allowsWeakResume
        expectedSize = settings.expectedSize
        pieces = settings.checksum.isGiven ? nil : settings.pieces
    }

    /// Begins with the bytes of an earlier run, if they may be joined with new ones.
    func begin(at point: StartingPoint, _ transfers: inout TransferPlanner) {
        transfers.file.resume(isForeign: point.isForeign)
        let isOfSource = transfers.sources.sent(point)
        guard transfers.file.canResume(point, isOfSource: isOfSource) else {
            return transfers.notice(
                "the earlier download cannot be resumed, because nothing proves that the server's "
                    + "file is unchanged: starting over"
            )
        }
        let pinnedSource = transfers.sources.index(of: point)
        transfers.file.pin(point.representation, by: pinnedSource)
        if let pinnedSource {
            transfers.sources.learn(about: pinnedSource) { $0.hasServed = !point.have.isEmpty }
        }
        transfers.begin(with: point, total: point.representation.total)
    }

    /// Notes the head of a response; `isSurplus`: whether the host refuses it because it serves
    /// others.
    mutating func judged(
        _ id: TransferID,
        _ verdict: HeadVerdict,
        isSurplus: Bool,
        _ transfers: inout TransferPlanner
    ) -> Step? {
        guard var segment = transfers.parts.segments[id] else { return nil }
        segment.isSurplus = isSurplus
        // The first bytes of the file are kept even if their connection has been given up.
        let isFirst = transfers.file.representation == nil && verdict.isPin
        guard !segment.isClosing || isFirst else { return nil }
        if let total = verdict.usableTotal, let error = sizeError(total, segment.host) {
            transfers.giveUp(segment.source, error)
            transfers.close(id)
            return nil
        }
        switch verdict {
        case .pin(let seen, let acceptsRanges):
            let (source, host) = (segment.source, segment.host)
            if let error = transfers.file.refusal(of: seen, from: source, host: host) {
                transfers.giveUp(source, error)
                transfers.close(id)
                return nil
            }
            let representation = transfers.file.demandDigest(of: seen, from: source)
            transfers.sources.succeeded(segment)
            learnFirst(segment, representation, acceptsRanges: acceptsRanges, &transfers)
            guard transfers.file.isUpForReplacement else { return .openStore(id, representation) }
            transfers.startingOver(
                .noSourceLeft,
                "no remaining source is proven to have the same file"
            )
            transfers.forgetProgress()
            return .startOverWith(id, representation)
        case .write(let range, let representation):
            accept(segment, range, representation, &transfers)
        case .whole(let representation, _): return gotWhole(segment, representation, &transfers)
        case .unproven(let reason): transfers.doubt(segment.source, reason)
        case .changed(let representation, let onlyEntityTag):
            transfers.sources.succeeded(segment)
            return changed(segment, representation, onlyEntityTag: onlyEntityTag, &transfers)
        case .rangeNotSatisfiable(let total): return notSatisfiable(segment, total, &transfers)
        case .redirect(let head, let location):
            transfers.redirected(segment, by: head, to: location)
        case .brokenRange(let reason):
            transfers.log(reason)
            if transfers.gotBrokenRange(segment) {
                transfers.log("the server's ranges are broken: using one connection from now on")
            }
        case .malformed(let reason):
            let advice: Advice = "try again later, or try another URL for the file"
            transfers.giveUp(segment.source, DownloadError(.badResponse, reason, advice: advice))
        case .doubtful(let doubt): transfers.gotDoubtful(segment, doubt)
        case .lostEntityTag(let representation, let range):
            lostEntityTag(segment, representation, range, &transfers)
        case .status(let status, let reason, let retryAfter):
            transfers.refused(segment, status, reason, retryAfter)
        }
        return nil
    }

    private func sizeError(_ total: Int64, _ host: String) -> DownloadError? {
        let expected: String
        if let expectedSize, total != expectedSize {
            expected = "\(expectedSize)"
        } else if let pieces, !pieces.covers(total) {
            expected = "\(pieces.count) pieces of \(pieces.length)"
        } else {
            return nil
        }
        return DownloadError(
            .notTheFile,
            "the file of \(host) has \(total) bytes instead of \(expected)",
            advice: "check the size that was given, or try another URL for the file",
            retryClass: .elsewhere
        )
    }

    /// Returns whether a complete file has another size than it must have; then its source is
    /// given up.
    func refusesSize(_ total: Int64, _ transfers: inout TransferPlanner) -> Bool {
        let source = transfers.file.pinnedSource ?? 0
        guard let error = sizeError(total, transfers.sources[source].host) else { return false }
        transfers.giveUp(source, error)
        return true
    }

    private func learnFirst(
        _ segment: Segment,
        _ representation: Representation,
        acceptsRanges: Bool,
        _ transfers: inout TransferPlanner
    ) {
        let finding = SourceEvidence.Finding.whole(representation, acceptsRanges: acceptsRanges)
        transfers.sources.learn(finding, from: segment.source)
        guard let coding = representation.contentEncoding else { return }
        transfers.log(
            "the server encoded the file (\(coding)) although that was not requested: the file "
                + "is kept as received, and the download cannot be resumed"
        )
    }

    private func accept(
        _ segment: Segment,
        _ range: ByteRange,
        _ representation: Representation,
        _ transfers: inout TransferPlanner
    ) {
        let source = segment.source
        transfers.sources.succeeded(segment)
        transfers.sources.learn(.range, from: source)
        let known = transfers.sources[source].evidence.known
        if transfers.file.isUnproven(source, known: known) {
            transfers.sources.learn(about: source) { $0.prove(representation) }
        }
        transfers.accepted(segment, range)
        let namer = transfers.file.pinnedSource ?? source
        transfers.file.noteDigest(representation.digest, from: namer)
        if transfers.file.isAdopting { transfers.adopt(representation, by: source) }
        transfers.setTotal(representation.total)
    }

    /// Judges a 200 while a representation is pinned; the response is held.
    ///
    /// It is joined with the present bytes, or closed, or, if the whole file was requested, becomes
    /// the first response of a new version.
    private mutating func gotWhole(
        _ segment: Segment,
        _ representation: Representation,
        _ transfers: inout TransferPlanner
    ) -> Step? {
        let source = segment.source
        guard proves(representation, of: source, &transfers) else {
            transfers.close(segment.id)
            return nil
        }
        let form = segment.isWhole ? .whole : SourceEvidence.UnprovenChange.Form.wholeInsteadOfRange
        if refusesUnproven(segment, representation, form, &transfers) {
            transfers.close(segment.id)
            return nil
        }
        transfers.sources.succeeded(segment)
        let mayJoin =
            transfers.file.isOther(source)
            || transfers.file.representation.map {
                transfers.file.mayJoin(representation, to: $0, have: transfers.parts.have)
            } == true
        if !segment.isWhole {
            transfers.sources.learn(.wholeInsteadOfRange, from: source)
            transfers.log(
                "the server answers ranges with the whole file: using one connection from now on"
            )
            // Only its length shows that this is not a part of the file with a wrong status. The
            // response to a request without a range decides.
            guard mayJoin, let total = representation.total, total == transfers.file.total else {
                transfers.close(segment.id)
                return nil
            }
        }
        let parts = transfers.parts
        guard !parts.segments.values.contains(where: { $0.id != segment.id && $0.isHeadAccepted })
        else {
            transfers.close(segment.id)
            return nil
        }
        guard mayJoin, let known = transfers.file.representation else {
            return startOver(with: segment, representation, &transfers)
        }
        if transfers.file.isAdopting { transfers.adopt(representation, by: source) }
        transfers.setTotal(known.total ?? representation.total)
        guard transfers.parts.isComplete else { return .resumeAlone(segment.id) }
        transfers.close(segment.id)
        return nil
    }

    /// Returns whether a whole response comes from a source that has proven its file, or proves it.
    private func proves(
        _ seen: Representation,
        of source: Int,
        _ transfers: inout TransferPlanner
    ) -> Bool {
        let known = transfers.sources[source].evidence.known
        if let reason = transfers.file.difference(to: seen, of: source, in: transfers.sources) {
            transfers.doubt(source, reason)
            return false
        }
        if transfers.file.isOther(source), known?.isProvenSame(seen) != true {
            transfers.sources.learn(about: source) { $0.prove(seen) }
        }
        return true
    }

    private func notSatisfiable(
        _ segment: Segment,
        _ total: Int64?,
        _ transfers: inout TransferPlanner
    ) -> Step? {
        let (source, host, parts) = (segment.source, segment.host, transfers.parts)
        if segment.isWhole {
            let error = DownloadError(
                .badResponse,
                "\(host) answered 416: it does not have the requested bytes",
                advice: "try another URL for the file"
            )
            transfers.giveUp(source, error)
        } else if parts.isReceiving(from: source) {
            // The server serves ranges to other connections: this one exceeded its limit.
            transfers.noteTooMany(segment)
            let text = "\(host) answered 416 to a request for a part of the file"
            transfers.failed(segment, DownloadError(.badResponse, text), .later)
        } else if transfers.file.isOther(source) {
            transfers.doubt(source, "it does not have the requested range")
        } else if let total {
            let isAllThere = parts.have == RangeSet(ByteRange(0, total))
            if isAllThere, transfers.file.total ?? total == total {
                transfers.setTotal(total)
            } else if transfers.file.isAdopting {
                return Self.refuseAdoption(parts.have.count, total)
            } else {
                // A 416 has no validator: a whole response will show whether the file is another
                // one.
                transfers.sources.learn(.rangeNotSatisfiable(total: total), from: source)
            }
        } else {
            // One request without a range will show which file it is.
            transfers.sources.learn(.rangeNotSatisfiable(total: nil), from: source)
        }
        return nil
    }

    // MARK: - Other versions

    private mutating func changed(
        _ segment: Segment,
        _ representation: Representation,
        onlyEntityTag: Bool,
        _ transfers: inout TransferPlanner
    ) -> Step? {
        let source = segment.source
        if transfers.file.isAdopting {
            return Self.refuseAdoption(transfers.parts.have.count, representation.total)
        }
        guard source == transfers.file.pinnedSource else {
            // A mirror may prove its file once more.
            if let reason = transfers.sources.fileChanged(on: source) {
                transfers.doubt(source, reason)
            }
            return nil
        }
        let isOfEachAnswer = onlyEntityTag && transfers.parts.isOneStreamsWork
        if !isOfEachAnswer, refusesUnproven(segment, representation, .part, &transfers) {
            return nil
        }
        changes += 1
        if onlyEntityTag, transfers.parts.isOneStreamsWork || changes > 1 {
            // The tag differs from response to response: no two responses may be joined.
            transfers.sources.learn(.inconsistent, from: source)
            transfers.log(
                "the server's ETag differs from response to response: using one connection only"
            )
            if transfers.parts.isOneStreamsWork {
                // The date stayed the same while the tag changed: it is not trusted, either.
                transfers.distrustValidators()
                return nil
            }
        } else if changes > 1, let error = leaveChanging(source, &transfers) {
            return .fail(error)
        }
        transfers.file.demandDigest(of: representation, from: source)
        if !onlyEntityTag || changes <= 1 {
            transfers.startingOver(.fileChanged, "the file changed on the server")
        }
        return .startOver
    }

    /// Starts over with another version, which neither validators nor the length revealed.
    mutating func seamDiffered(_ source: Int, _ transfers: inout TransferPlanner) -> Step {
        differences += 1
        if source != transfers.file.pinnedSource {
            transfers.doubt(source, "it has a different file")
        }
        if differences == 2 {
            // Its bytes may differ from response to response: no two responses may be joined.
            transfers.sources.learn(.inconsistent, from: source)
        } else if differences > 2, let error = leaveChanging(source, &transfers) {
            return .fail(error)
        }
        transfers.startingOver(
            .bytesDiffer,
            "the file changed on the server (its bytes differ from those received before)"
        )
        return .startOver
    }

    /// Fails, because the adopted bytes, which Pawl must not delete, are not of the server's file.
    private static func refuseAdoption(_ count: Int64, _ total: Int64?) -> Step {
        let size = total.map { "\($0)" } ?? "an unknown number of"
        return .fail(
            DownloadError(
                .checksumMismatch,
                "the partial file to adopt has \(count) bytes and does not match the server's "
                    + "file, which has \(size) bytes",
                advice: "\(set: .adoptsPartialFile, to: "false"), or rename the partial file"
            )
        )
    }

    /// Stops using a source whose file keeps changing; returns an error if no other one can take
    /// over.
    private mutating func leaveChanging(
        _ source: Int,
        _ transfers: inout TransferPlanner
    ) -> DownloadError? {
        let error = DownloadError(
            .keepsChanging,
            "the file on the server changed again during the download",
            advice: "try again when the file is no longer being written"
        )
        // A source that was doubted may have the present version.
        guard transfers.sources.hasUnfailed(besides: source) else { return error }
        transfers.giveUp(source, error)
        changes = 0
        return nil
    }

    /// Takes the held response as the first one of a new representation.
    private mutating func startOver(
        with segment: Segment,
        _ representation: Representation,
        _ transfers: inout TransferPlanner
    ) -> Step {
        let (source, count) = (segment.source, transfers.parts.have.count)
        if transfers.file.isAdopting { return Self.refuseAdoption(count, representation.total) }
        let match = transfers.file.representation?.compare(representation)
        if count > 0, match == .changed(onlyEntityTag: false) {
            transfers.sources.learn(.newVersion, from: source)
            changes += 1
            transfers.forgetProgress()
            if changes > 1 {
                return leaveChanging(source, &transfers).map { .fail($0) } ?? .startOver
            }
            transfers.startingOver(.fileChanged, "the file changed on the server")
        } else if count > 0 {
            // Only the retry limit ends this repetition. It is therefore reset only when more bytes
            // have been received than ever before.
            transfers.startingOver(
                .unproven,
                "nothing proves that the server's file is unchanged"
            )
        }
        let acceptsRanges = transfers.sources[source].evidence.ranges != .unusable
        learnFirst(segment, representation, acceptsRanges: acceptsRanges, &transfers)
        let demanded = transfers.file.demandDigest(of: representation, from: source)
        return .startOverWith(segment.id, demanded)
    }

    // MARK: - The store

    /// Notes that the store of a held first response is open, with the bytes of an earlier run
    /// if there are any.
    func storeOpened(
        _ id: TransferID,
        _ representation: Representation,
        _ point: StartingPoint?,
        _ transfers: inout TransferPlanner
    ) -> Step? {
        let source = transfers.parts.segments[id]?.source
        transfers.pin(representation, by: source)
        transfers.begin(total: representation.total)
        guard let point, !point.have.isEmpty else {
            transfers.resume(id, skipUntil: 0)
            return nil
        }
        transfers.file.resume(isForeign: point.isForeign)
        let isOfSource = transfers.sources.sent(point)
        let isSameSource = source == transfers.sources.index(of: point)
        if !point.isForeign,
            let doubt = transfers.file.doubt(
                about: representation,
                insteadOf: point,
                isOfSource: isOfSource,
                isSameSource: isSameSource
            )
        {
            refuseBeginning(with: id, representation, point, doubt, &transfers)
            return nil
        }
        let mayJoin = transfers.file.mayJoin(
            representation,
            to: point,
            isOfSource: isOfSource,
            isSameSource: isSameSource
        )
        guard mayJoin else {
            if transfers.file.isAdopting {
                return Self.refuseAdoption(point.have.count, representation.total)
            }
            transfers.startingOver(
                .fileChanged,
                "the server's file is not the file of the earlier run"
            )
            return .startOverWith(id, representation)
        }
        if transfers.file.isAdopting {
            transfers.adopt(representation, by: transfers.file.pinnedSource)
            transfers.setTotal(representation.total)
        }
        transfers.begin(with: point, total: representation.total)
        transfers.setTotal(point.representation.total)
        guard transfers.parts.isComplete || !transfers.isSingleStream else {
            return .resumeAlone(id)
        }
        transfers.close(id)
        return nil
    }

    // MARK: - Error pages

    /// Returns whether a response is refused, because it indicates another version without proving
    /// it, and bytes would be lost.
    private func refusesUnproven(
        _ segment: Segment,
        _ seen: Representation,
        _ form: SourceEvidence.UnprovenChange.Form,
        _ transfers: inout TransferPlanner
    ) -> Bool {
        guard !transfers.parts.arrived.isEmpty,
            let doubt = transfers.file.unprovenChange(in: seen, of: segment.source)
        else {
            transfers.sources.learn(about: segment.source) { $0.wasAsExpected() }
            return false
        }
        guard transfers.needsConfirmation(seen, form, in: segment) else { return false }
        transfers.gotDoubtful(segment, doubt, mayBeConfirmed: true)
        return true
    }

    /// Notes that the server has stopped sending its tag, or sends it as a weak one.
    ///
    /// If no connection receives bytes, responses are joined as without validators: only where
    /// their bytes were compared (``Seam``).
    private func lostEntityTag(
        _ segment: Segment,
        _ seen: Representation,
        _ range: ByteRange?,
        _ transfers: inout TransferPlanner
    ) {
        let source = segment.source
        if source == transfers.file.pinnedSource, !transfers.file.isAdopting, allowsWeakResume,
            transfers.file.mayCompare, !transfers.parts.isReceiving(from: source)
        {
            transfers.log(
                "the server no longer sends the file's strong ETag: comparing bytes instead"
            )
            transfers.compareBytes(keeping: seen.entityTag)
        } else if let range {
            transfers.gotBrokenRange(segment)
            transfers.log(
                "the server sent bytes \(range) without the strong ETag that it sent before"
            )
        } else {
            transfers.gotDoubtful(segment, .missing("ETag"))
        }
    }

    /// Keeps the bytes of an earlier run, although their source has responded with an error page.
    private func refuseBeginning(
        with id: TransferID,
        _ seen: Representation,
        _ point: StartingPoint,
        _ doubt: Doubt,
        _ transfers: inout TransferPlanner
    ) {
        guard let segment = transfers.parts.segments[id] else { return }
        transfers.pin(point.representation, by: transfers.sources.index(of: point))
        transfers.begin(with: point, total: point.representation.total)
        let mayBeConfirmed = doubt == point.representation.unprovenChange(in: seen)
        if mayBeConfirmed { _ = transfers.needsConfirmation(seen, .whole, in: segment) }
        transfers.close(id)
        if case .missing = doubt, point.representation.hasLostOnlyEntityTag(in: seen) {
            return lostEntityTag(segment, seen, nil, &transfers)
        }
        transfers.gotDoubtful(segment, doubt, mayBeConfirmed: mayBeConfirmed)
    }
}

extension TransferPlanner {
    /// Announces that the bytes received so far are about to be discarded, unless that was done.
    mutating func announceRestart(_ reason: DownloadRestart.Reason = .fileChanged) {
        if file.announceRestart() { add(.startingOver(reason)) }
    }

    /// Announces that the download will start over, with a notice to the user.
    mutating func startingOver(_ reason: DownloadRestart.Reason, _ text: String) {
        announceRestart(reason)
        notice("\(text): starting over")
    }
}

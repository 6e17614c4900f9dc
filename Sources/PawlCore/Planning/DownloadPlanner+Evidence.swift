/// Evidence from refusals: whether a source's ranges work, and whether a response is an error page.
extension DownloadPlanner {
    /// 4xx and 5xx.
    mutating func gotStatus(
        _ segment: Segment,
        _ status: Int,
        _ reason: String,
        _ retryAfter: Duration?,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        if noteRefusal(of: segment, status, &actions) { return }
        refused(segment, status, reason, retryAfter, now, &actions)
    }

    /// Statuses that say nothing of ranges: credentials, a file that is gone.
    private static let rangeless: Set<Int> = [401, 403, 404, 407, 410, 451]
    /// Statuses that a busy server gives to any request.
    private static let busy: Set<Int> = [408, 425, 429, 503]

    /// Takes a refusal as evidence of ranges; true if the next request, for the whole, is the retry.
    private mutating func noteRefusal(
        of segment: Segment,
        _ status: Int,
        _ actions: inout [DownloadAction]
    ) -> Bool {
        let place = segment.source
        guard !segment.isWhole else {
            sources[place].wholeWasRefused()
            return false
        }
        guard !Self.rangeless.contains(status), !isAdopting, pinned?.total != nil else {
            return false
        }
        let isBusy = Self.busy.contains(status)
        // A server that has as many connections as it serves is no evidence.
        if isBusy, isReceiving(from: place) { return false }
        let isForGood = (400..<500).contains(status) && !isBusy
        let most = isForGood ? 0 : isBusy ? 2 : 1
        guard sources[place].rangeWasRefused(atMost: most) else { return false }
        actions.append(
            .log(
                "\(segment.host) answers ranges with \(status): asking for the whole file, and "
                    + "skipping what is there"
            )
        )
        return isForGood
    }

    /// Whether a connection to a source receives a body.
    func isReceiving(from place: Int) -> Bool {
        parts.segments.values.contains {
            $0.source == place && $0.isHeadAccepted && !$0.isClosing
        }
    }
}

// MARK: - Error pages

extension DownloadPlanner {
    /// A whole answer with status 200 that is not a version of the file: refused like a 503.
    mutating func gotErrorPage(
        _ segment: Segment,
        _ doubt: WholeDoubt,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        let error =
            switch doubt {
            case .webPage: Self.webPage
            case .missing(let what): Self.notTheFile(segment.host, missing: what)
            case .otherLength(let total):
                Self.otherLength(segment.host, total, expected: pinned?.total)
            }
        failed(segment, error, mayRetryAtOnce: false, now, &actions)
        guard case .otherLength = doubt, let moment = sources[segment.source].retryAt else {
            return
        }
        // A second answer of the same moment would prove no more than the first.
        sources[segment.source].retryAt = max(moment, now + .seconds(1))
    }

    private static let webPage = DownloadError(
        .captivePortal,
        "the server sent a web page instead of the file",
        advice: "log in to the network if it asks for that, then run the same command again"
    )

    private static func notTheFile(_ host: String, missing: String) -> DownloadError {
        DownloadError(
            .notTheFile,
            "\(host) sent an answer without the \(missing) of the file, most likely an error page",
            advice: "try again later; if the file was replaced, remove the partial file first"
        )
    }

    private static func otherLength(
        _ host: String,
        _ total: Int64?,
        expected: Int64?
    ) -> DownloadError {
        let seen = total.map { "\($0) bytes" } ?? "an answer without a length"
        return DownloadError(
            .notTheFile,
            "\(host) sent \(seen) where \(expected ?? 0) are expected, and nothing that proves a new "
                + "version of the file",
            advice: "try again later; if the file was replaced, remove the partial file first"
        )
    }

    /// Whether an answer of another length is to be refused: without a validator only a second one of
    /// the same length is believed, if bytes are there that would be lost.
    mutating func isOtherLengthUnproven(_ seen: Representation, of place: Int) -> Bool {
        guard let pinned, place == anchor, !isAdopting, !parts.arrived.isEmpty,
            pinned.differsOnlyInLength(from: seen)
        else {
            sources[place].otherLength = nil
            return false
        }
        let length = Source.OtherLength(total: seen.total)
        guard sources[place].otherLength != length else {
            sources[place].otherLength = nil
            return false
        }
        sources[place].otherLength = length
        return true
    }

    /// Takes in that the server has stopped sending its tag.
    ///
    /// If nothing is on its way, what is there is joined like that of a file without validators: only
    /// where its bytes were compared (``Seam``).
    mutating func lostEntityTag(
        _ segment: Segment,
        _ seen: Representation,
        _ range: ByteRange?,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        let place = segment.source
        guard place == anchor, !isAdopting, settings.allowsWeakResume,
            !isReceiving(from: place)
        else {
            guard let range else { return gotErrorPage(segment, .missing("ETag"), now, &actions) }
            sources[place].rangeWasBroken(in: segment.id, lastOpened: lastID)
            return actions.append(
                .log("the server sent bytes \(range) without the ETag that it sent before")
            )
        }
        actions.append(
            .log("the server no longer sends the file's ETag: what is there is compared instead")
        )
        for id in parts.segments.keys.sorted() { close(id, &actions) }
        pinned?.entityTag = nil
        pinned?.lastModifiedIsOld = false
        if let pinned { actions.append(.updateRepresentation(pinned)) }
        parts.takeSamples(&random)
        actions.append(.restrictLedger(parts.kept))
    }

    /// Whether a first answer is an error page in place of what an earlier run began.
    func doubt(
        about seen: Representation,
        by id: TransferID,
        of point: StartingPoint
    ) -> WholeDoubt? {
        guard !point.isForeign, parts.segments[id]?.source == place(of: point) else { return nil }
        let known = point.representation
        if known.hasLostOnlyEntityTag(in: seen) { return .missing("ETag") }
        if let doubt = known.doubt(about: seen) { return doubt }
        guard canResume(point), known.differsOnlyInLength(from: seen) else { return nil }
        return .otherLength(seen.total)
    }

    /// Keeps what an earlier run left, whose source has answered with an error page.
    mutating func refuseBeginning(
        with id: TransferID,
        _ seen: Representation,
        _ point: StartingPoint,
        _ doubt: WholeDoubt,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        guard let segment = parts.segments[id] else { return }
        pin(point.representation, by: segment.source)
        beginParts(with: point, total: point.representation.total)
        if case .otherLength(let total) = doubt {
            sources[segment.source].otherLength = Source.OtherLength(total: total)
        }
        close(id, &actions)
        if case .missing = doubt, point.representation.hasLostOnlyEntityTag(in: seen) {
            return lostEntityTag(segment, seen, nil, now, &actions)
        }
        gotErrorPage(segment, doubt, now, &actions)
    }
}

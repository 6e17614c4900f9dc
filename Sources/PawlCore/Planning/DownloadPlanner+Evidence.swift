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

    private func isReceiving(from place: Int) -> Bool {
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
            }
        failed(segment, error, mayRetryAtOnce: false, now, &actions)
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

    /// Whether a first answer is an error page in place of what an earlier run began.
    func doubt(
        about seen: Representation,
        by id: TransferID,
        of point: StartingPoint
    ) -> WholeDoubt? {
        guard !point.isForeign, parts.segments[id]?.source == place(of: point) else { return nil }
        return point.representation.doubt(about: seen)
    }

    /// Keeps what an earlier run left, whose source has answered with an error page.
    mutating func refuseBeginning(
        with id: TransferID,
        _ point: StartingPoint,
        _ doubt: WholeDoubt,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        guard let segment = parts.segments[id] else { return }
        pin(point.representation, by: segment.source)
        beginParts(with: point, total: point.representation.total)
        close(id, &actions)
        gotErrorPage(segment, doubt, now, &actions)
    }
}

/// What a broken or refused transfer means for the download.
extension DownloadPlanner {
    mutating func ended(
        _ id: TransferID,
        _ offset: Int64,
        _ outcome: TransferOutcome,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        guard let segment = parts.finish(id, offset: offset) else { return }
        // Given back and asked for again: others may have waited longer, without any.
        actions.append(.releaseSlot(host: segment.host))
        if case .openingStore(id, _) = phase { phase = .running }
        if !parts.segments.values.contains(where: { $0.source == segment.source }) {
            sources[segment.source].record.rest()
        }
        if parts.provesSeams, case .running = phase { actions.append(.restrictLedger(parts.kept)) }
        let isProgress = noteProgress(of: segment.offset > segment.start ? [segment.source] : [])
        closeLosers(of: segment, &actions)
        switch outcome {
        case .cancelled where !segment.isClosing:
            // Not by us: the transport was shut down.
            return fail(
                DownloadError(
                    .interrupted,
                    "the downloader was shut down",
                    advice: DownloadError.goOnAdvice
                ),
                &actions
            )
        case .stopped, .cancelled: break
        case .completed: completed(segment, isProgress: isProgress, now, &actions)
        case .failed(let failure):
            guard !segment.isClosing else { break }
            broke(segment, failure, now, &actions)
        }
        giveBack(segment, &actions)
        forgetUnproven(&actions)
    }

    /// Without a validator only a connection that lives on vouches for the bytes before it: when the
    /// last one broke, nothing proves that what comes next is of the same file.
    private mutating func forgetUnproven(_ actions: inout [DownloadAction]) {
        let isVouchedFor = parts.segments.values.contains { $0.isHeadAccepted && !$0.isClosing }
        guard case .running = phase, !isVouchedFor, let pinned, !parts.provesSeams,
            !canResume(pinned),
            !parts.have.isEmpty, !parts.isComplete
        else { return }
        actions.append(
            .notice(
                "the connection broke, and nothing would prove that the file is still the same: "
                    + "starting over"
            )
        )
        self.pinned = nil
        drain(.startOver(held: nil, nil), keeping: nil, &actions)
    }

    /// More bytes than ever before reset the failures of those who brought them: what a restart
    /// brings again is no progress, so that a server that always breaks at the same place is given
    /// up.
    @discardableResult
    mutating func noteProgress(of movers: Set<Int>) -> Bool {
        let count = parts.arrived.count
        guard count > highWater else { return false }
        highWater = count
        for place in movers {
            sources[place].retry.progressed()
            sources[place].hasServed = true
        }
        return true
    }

    private mutating func completed(
        _ segment: Segment,
        isProgress: Bool,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        if parts.total == nil, segment.isHeadAccepted {
            // A body without a stated length: where it ended is its length.
            parts.total = segment.offset
            pinned?.total = segment.offset
            if let pinned { actions.append(.updateRepresentation(pinned)) }
        } else if segment.isHeadAccepted, !segment.isComplete, !isProgress {
            let failure = TransferFailure(.bodyIncomplete, "fewer bytes than its head said")
            broke(segment, failure, now, &actions)
        }
    }

    /// A race is over when one has all: the other is not needed.
    private mutating func closeLosers(of segment: Segment, _ actions: inout [DownloadAction]) {
        for other in parts.segments.values.sorted(by: { $0.id < $1.id })
        where parts.have.contains(ByteRange(other.offset, other.end)) && other.end != .max {
            guard !other.isComplete else { continue }
            close(other.id, &actions)
        }
    }

    /// A closed segment's rest goes back to its neighbour, whose response brings it anyway, where
    /// that costs less than another connection.
    private mutating func giveBack(_ segment: Segment, _ actions: inout [DownloadAction]) {
        guard segment.offset < segment.end,
            let donor = parts.segments.values.first(where: {
                $0.end == segment.start && $0.responseEnd >= segment.end && !$0.isClosing
                    && !$0.isComplete
            })
        else { return }
        let twice = Double(segment.offset - segment.start)
        guard twice <= (donor.speed ?? 0) * 2 * parts.latency.seconds else { return }
        // Bytes that are there are not to be written by another answer, which may end among them.
        guard !parts.provesSeams || twice == 0 else { return }
        let isOpen = parts.provesSeams && segment.end != parts.total
        parts.update(donor.id) { ($0.end, $0.isEndOpen) = (segment.end, isOpen) }
        if let action = endAction(donor.id) { actions.append(action) }
    }

    private mutating func broke(
        _ segment: Segment,
        _ failure: TransferFailure,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        if isNetworks(failure, of: segment, now, &actions) { return }
        let error = DownloadError(failure, host: segment.host)
        let source = sources[segment.source]
        let isKnownToServe = source.isConfirmed || source.hasServed
        switch failure.kind {
        case .certificateRefused, .unsupportedURL, .addressRefused:
            giveUp(segment.source, error, &actions)
        case .tlsFailed, .local, .malformedResponse:
            // A reset handshake of one more connection is no reason to end those that work.
            guard isKnownToServe else { return giveUp(segment.source, error, &actions) }
            noteTooMany(segment, now)
            failed(segment, error, mayRetryAtOnce: false, now, &actions)
        case .nameNotResolved where !isKnownToServe: giveUp(segment.source, error, &actions)
        case .cannotConnect where !isKnownToServe:
            // Nothing ever answered there: a wrong address rather than an outage.
            failed(segment, error, mayRetryAtOnce: true, atMost: 3, now, &actions)
        default:
            noteTooMany(segment, now)
            failed(segment, error, mayRetryAtOnce: true, now, &actions)
        }
    }

    /// A connection that was cut before it received a byte, also one to be compared, while others
    /// run, was one too many.
    mutating func noteTooMany(_ segment: Segment, _ now: Moment) {
        guard segment.offset == segment.start, segment.skippedBytes == 0 else {
            return sources[segment.source].limit.servedConnectionBroke(at: now)
        }
        refusedMore(segment.source, now)
    }

    private mutating func refusedMore(_ place: Int, _ now: Moment) {
        sources[place].limit.refused(serving: connections(to: place).serving, at: now)
    }

    /// The connections that receive a body, and those that wait for an answer.
    private func connections(to place: Int) -> (serving: Int, awaiting: Int) {
        let open = parts.segments.values.filter { $0.source == place && !$0.isClosing }
        let serving = open.count(where: \.isHeadAccepted)
        return (serving, open.count - serving)
    }

    /// Judges a burst of refusals when it has settled.
    mutating func watchLimits(_ now: Moment) {
        for place in sources.indices {
            let (serving, awaiting) = connections(to: place)
            guard sources[place].limit.observe(serving: serving, awaiting: awaiting, at: now) else {
                continue
            }
            governor.wasLimited(to: connectionsAllowed(at: now), at: now)
        }
    }

    /// The number of connections that all usable sources together allow.
    func connectionsAllowed(at now: Moment) -> Int {
        sources.lazy.filter(\.isUsable).map { $0.limit.allowed(at: now) }
            .reduce(0) { $0.addingReportingOverflow($1).overflow ? .max : $0 + $1 }
    }

    mutating func failed(
        _ segment: Segment,
        _ error: DownloadError,
        mayRetryAtOnce: Bool,
        atMost limit: Int? = nil,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        let place = segment.source
        // Eight connections that one outage breaks are one failure.
        guard segment.generation == sources[place].generation else { return }
        sources[place].generation += 1
        let patience = error.retryAfter ?? .zero
        if isReceiving(from: place), segment.offset == segment.start {
            return wasSurplus(segment, patience, now, &actions)
        }
        guard patience <= settings.maximumRetryAfter else {
            return giveUp(place, error, &actions)
        }
        // Where another source can take over, a broken one may rest first.
        let isAtOnce = mayRetryAtOnce && !hasOther(than: place)
        switch sources[place].retry.failed(mayRetryAtOnce: isAtOnce, atMost: limit) {
        case .giveUp: giveUp(place, error, &actions)
        case .retry(let delay):
            let wait = max(delay, patience)
            sources[place].retryAt = now + wait
            if patience > .zero { actions.append(.backOffHost(segment.host, patience)) }
            actions.append(
                .log("\(error.message); trying again \(wait == .zero ? "now" : "in \(wait)")")
            )
        }
    }

    /// One connection too many is no failure of the source, and no reason to let those that are served
    /// end without a successor.
    private mutating func wasSurplus(
        _ segment: Segment,
        _ patience: Duration,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        let place = segment.source
        guard patience > .zero, !sources[place].limit.wait(until: now + patience) else {
            sources[place].retryAt = now + RetryPolicy.firstDelay
            return
        }
        sources[place].retryAt = now + max(patience, RetryPolicy.firstDelay)
        actions.append(.backOffHost(segment.host, patience))
    }

    mutating func refused(
        _ segment: Segment,
        _ status: Int,
        _ reason: String,
        _ retryAfter: Duration?,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        let source = sources[segment.source]
        if [401, 403, 404, 410].contains(status), source.isRedirected || segment.wave < source.wave
        {
            guard segment.wave == source.wave else { return }
            if sources[segment.source].askOriginalAgain() {
                actions.append(
                    .log("the redirected address answers \(status): asking the original again")
                )
                return
            }
        }
        var error = DownloadError(status: status, reason: reason, host: segment.host)
        error.retryAfter = retryAfter
        guard error.retryClass == .later else {
            return giveUp(segment.source, error, &actions)
        }
        if status == 429 || status == 503 { refusedMore(segment.source, now) }
        failed(segment, error, mayRetryAtOnce: false, now, &actions)
    }
}

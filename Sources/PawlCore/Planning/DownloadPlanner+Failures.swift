internal import struct FoundationEssentials.URL

/// The handling of broken and refused transfers.
extension DownloadPlanner {
    mutating func ended(_ id: TransferID, _ offset: Int64, _ outcome: TransferOutcome) {
        guard let segment = parts.finish(id, offset: offset) else { return }
        // The slot is returned and requested again: others may have waited longer without one.
        actions.append(.releaseSlot(host: segment.host))
        if case .openingStore(id, _) = phase { phase = .running }
        if !parts.segments.values.contains(where: { $0.source == segment.source }) {
            sources[segment.source].evidence.record.rest()
        }
        if parts.provesSeams, case .running = phase { actions.append(.restrictLedger(parts.kept)) }
        let isProgress = noteProgress(of: segment.offset > segment.start ? [segment.source] : [])
        closeLosers(of: segment)
        switch outcome {
        case .cancelled where !segment.isClosing:
            // The planner did not close it: the transport was shut down.
            return fail(
                DownloadError(
                    .interrupted,
                    "the downloader was shut down",
                    advice: DownloadError.resumeAdvice
                )
            )
        case .stopped, .cancelled: break
        case .completed: completed(segment, isProgress: isProgress)
        case .failed(let failure):
            guard !segment.isClosing else { break }
            broke(segment, failure)
        }
        if let id = parts.giveBack(segment) { endMoved(id) }
        forgetUnproven()
    }

    /// Drops bytes that nothing can prove: without a validator, only an open connection shows that
    /// the next bytes are of the same file.
    private mutating func forgetUnproven() {
        let isVouchedFor = parts.segments.values.contains { $0.isHeadAccepted && !$0.isClosing }
        guard case .running = phase, !isVouchedFor, let pinned = file.representation,
            !parts.provesSeams, !file.canResume(pinned),
            !parts.have.isEmpty, !parts.isComplete
        else { return }
        notice(
            "the connection broke, and nothing proves that the server's file is unchanged: "
                + "starting over"
        )
        file.giveUp()
        drain(.startOver(held: nil, nil), keeping: nil)
    }

    /// Resets the failures of sources that sent more bytes than ever before.
    ///
    /// Bytes that are received again are no progress, so a server that always breaks at the same
    /// offset is given up.
    @discardableResult
    mutating func noteProgress(of movers: Set<Int>) -> Bool {
        let count = parts.arrived.count
        guard count > highWater else { return false }
        highWater = count
        for place in movers {
            sources[place].exchange.progressed()
            sources[place].evidence.hasServed = true
        }
        return true
    }

    private mutating func completed(_ segment: Segment, isProgress: Bool) {
        if parts.total == nil, segment.isHeadAccepted {
            // The end of a body without a stated length is the length of the file.
            setTotal(segment.offset)
        } else if segment.isHeadAccepted, !segment.isComplete, !isProgress {
            let failure = TransferFailure(.bodyIncomplete, "fewer bytes than announced")
            broke(segment, failure)
        }
    }

    /// Closes the transfers that lost a race.
    private mutating func closeLosers(of segment: Segment) {
        for other in parts.segments.values.sorted(by: { $0.id < $1.id })
        where parts.have.contains(ByteRange(other.offset, other.end)) && other.end != .max {
            guard !other.isComplete else { continue }
            close(other.id)
        }
    }

    private mutating func broke(_ segment: Segment, _ failure: TransferFailure) {
        if isNetworks(failure, of: segment) { return }
        let error = DownloadError(failure, host: segment.host)
        let repetition = ExchangePlanner.repetition(
            after: failure.kind,
            hasAnswered: sources[segment.source].hasAnswered
        )
        guard let repetition else { return giveUp(segment.source, error) }
        // A server that never answered does not limit the number of connections.
        if repetition != .threeTimes { noteTooMany(segment) }
        failed(segment, error, repetition)
    }

    /// Takes a connection that was cut before it received a byte, even one to be compared, as a
    /// sign of the server's limit.
    mutating func noteTooMany(_ segment: Segment) {
        guard segment.offset == segment.start, segment.skippedBytes == 0 else {
            return sources[segment.source].evidence.limit.servedConnectionBroke(at: now)
        }
        refusedMore(segment.source)
    }

    private mutating func refusedMore(_ place: Int) {
        sources[place].evidence.limit.refused(
            serving: parts.connections(to: place).serving,
            at: now
        )
    }

    /// Judges a burst of refusals after it has ended.
    mutating func watchLimits() {
        for place in sources.places {
            let (serving, awaiting) = parts.connections(to: place)
            guard
                sources[place].evidence.limit.observe(serving: serving, awaiting: awaiting, at: now)
            else { continue }
            governor.wasLimited(to: sources.connectionsAllowed(at: now), at: now)
        }
    }

    /// Takes in a failure that may be repeated.
    mutating func failed(
        _ segment: Segment,
        _ error: DownloadError,
        _ repetition: ExchangePlanner.Repetition
    ) {
        let isSurplus = segment.offset == segment.start && parts.isReceiving(from: segment.source)
        let step = sources.failed(segment, error, repetition, isSurplus: isSurplus, at: now)
        if case .fail(let error) = step { return giveUp(segment.source, error) }
        if case .sendLater(_, _, let pause) = step {
            actions.append(.backOffHost(segment.host, pause))
        }
        guard !isSurplus, let delay = step?.delay else { return }
        log("\(error.message); trying again \(delay == .zero ? "now" : "in \(delay)")")
    }

    /// Takes in a 4xx or 5xx.
    mutating func refused(
        _ segment: Segment,
        _ status: Int,
        _ reason: String,
        _ retryAfter: Duration?
    ) {
        if refusedRange(segment, status) { return }
        if sources[segment.source].exchange.renews(after: status, of: segment.attempt) {
            return log("the redirected URL answered \(status): requesting the original URL again")
        }
        let error = DownloadError(
            status: status,
            reason: reason,
            retryAfter: retryAfter,
            host: segment.host
        )
        guard error.retryClass == .later else { return giveUp(segment.source, error) }
        if status == 429 || status == 503 { refusedMore(segment.source) }
        failed(segment, error, .later)
    }

    /// Takes a refusal as evidence about ranges; returns whether a request for the whole file
    /// replaces a retry.
    private mutating func refusedRange(_ segment: Segment, _ status: Int) -> Bool {
        guard segment.isWhole || (!file.isAdopting && file.total != nil) else { return false }
        let refusal = SourceEvidence.Answer.refusal(
            status: status,
            ofWhole: segment.isWhole,
            isReceiving: parts.isReceiving(from: segment.source)
        )
        guard learn(refusal, from: segment) else { return false }
        log(
            "\(segment.host) answers ranges with \(status): requesting the whole file, and "
                + "skipping the bytes received so far"
        )
        return SourceEvidence.isFinal(status)
    }

    // MARK: - Sources

    /// Stops using a source.
    mutating func giveUp(_ place: Int, _ error: DownloadError) {
        guard sources.giveUp(place, error) else { return }
        log("\(error.message): continuing with the other sources")
    }

    /// Stops using a source, because nothing proves that it has the same file.
    mutating func doubt(_ place: Int, _ reason: String) {
        sources[place].evidence.doubt(reason)
        log("\(sources[place].host) is not used: \(reason)")
        for segment in parts.segments.values.sorted(by: { $0.id < $1.id })
        where segment.source == place && !segment.isHeadAccepted {
            close(segment.id)
        }
    }

    /// Takes in that the file of a mirror changed after it was proven; the mirror may prove it once
    /// more.
    mutating func mirrorChanged(_ place: Int) {
        sources[place].evidence.fileChanged()
        guard case .doubted(let reason) = sources[place].evidence.proof else {
            return sources[place].forgetProof()
        }
        doubt(place, reason)
    }

    /// Ends the download, because no source is left, or starts over with the sources that were only
    /// doubted: they may have another version of the file.
    mutating func runOut() {
        guard sources.hasUnfailed(), !file.isAdopting else { return fail(sources.lastError) }
        if !parts.have.isEmpty {
            notice("no remaining source is proven to have the same file: starting over")
        }
        sources.forgetProofs()
        startOver()
        proceed()
    }

    // MARK: - The network

    /// Whether the download waits for a network that it may use, or checks whether one has
    /// returned.
    package var isWaitingForConnectivity: Bool {
        guard gate.isWatching, case .running = phase else { return false }
        guard parts.segments.isEmpty else {
            return gate.isTrying && !parts.segments.values.contains(where: \.isHeadAccepted)
        }
        return gate.isTrying
            || (gate.isClosed(to: sources.hosts) && gate.obstacle(to: sources.hosts) != .unknown)
    }

    /// Whether the network forbids a new connection.
    var isHeldByNetwork: Bool { gate.isWatching && gate.isClosed(to: sources.hosts) }

    mutating func networkChanged(_ path: NetworkPath) {
        let hosts = sources.hosts
        changeGate { $0.take(path, hosts: hosts, at: $1) }
        watchNetwork()
    }

    /// Resumes the download when it is time, and ends connections that have lost their network.
    mutating func watchNetwork() {
        guard gate.isWatching, case .running = phase else { return }
        let hosts = sources.hosts
        let open = parts.segments.values.filter { !$0.isClosing }.sorted { $0.id < $1.id }
        let lost = changeGate { gate, now in
            gate.passTime(at: now)
            return open.filter {
                let (host, last) = ($0.url.host() ?? "", $0.lastProgressAt)
                return gate.ends(host, lastProgressAt: last, hosts: hosts, at: now)
            }
        }
        for segment in lost { close(segment.id) }
    }

    /// Returns whether a transfer broke because of the network, which is not a failure of its
    /// source.
    private mutating func isNetworks(_ failure: TransferFailure, of segment: Segment) -> Bool {
        guard gate.isWatching else { return false }
        let (hosts, last) = (sources.hosts, segment.lastProgressAt)
        return changeGate {
            $0.excuses(failure.kind, lastProgressAt: last, hosts: hosts, at: $1)
        }
    }

    /// Changes the gate, and logs what the download waits for from then on.
    @discardableResult
    private mutating func changeGate<Result>(
        _ change: (inout ConnectivityGate, Moment) -> Result
    ) -> Result {
        let before = gate.reason
        defer { if gate.reason != before, let text = gate.logText { log(text) } }
        return change(&gate, now)
    }
}

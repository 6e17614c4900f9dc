internal import struct FoundationEssentials.URL

/// Decides how many connections a download uses, when it opens them, and which ones it closes
/// before they have all their bytes.
///
/// Its functions take the transfers, which belong to ``DownloadPlanner``.
struct ConnectionPlanner: Sendable {
    private let settings: DownloadSettings
    private var governor: ConnectionGovernor
    private var slots = SlotLedger()
    private var gate: ConnectivityGate
    /// Whether the download was suspended at the last tick.
    private var isSuspended = false
    /// Whether Pawl itself has ever slowed the transfers, so that their speed shows nothing of the
    /// host.
    private var hasPaused = false
    /// Whether it began with what an earlier download has learned.
    private var hasRemembered = false

    init(_ settings: DownloadSettings, seed: UInt64) {
        self.settings = settings
        governor = ConnectionGovernor(settings.connections)
        gate = ConnectivityGate(settings, seed: seed)
    }

    /// Returns the moment of the next tick; `nil` if only an event can change anything.
    func wakeAt(_ transfers: TransferPlanner, _ now: Moment) -> Moment? {
        guard transfers.parts.segments.isEmpty else {
            let (soon, late) = (now + .milliseconds(25), now + .milliseconds(200))
            guard !isSuspended else { return late }
            return governor.isMeasuring ? soon : max(soon, min(late, transfers.continuesAt))
        }
        if isHeldByNetwork(transfers) { return gate.opensAt }
        // No event reports that a host is open again after `Retry-After`.
        let check = slots.isWaiting ? now + .seconds(1) : nil
        return [check, transfers.sources.retryAt].compactMap(\.self).min()
    }

    mutating func slotGranted(_ host: String) { slots.granted(host) }

    mutating func releaseSlots(_ transfers: inout TransferPlanner) {
        transfers.act { slots.releaseAll(&$0) }
    }

    // MARK: - Opening

    /// Opens connections while they are wanted and allowed; returns `false` if no source and no
    /// transfer is left.
    mutating func open(_ transfers: inout TransferPlanner) -> Bool {
        guard transfers.sources.isAnyUsable else {
            // A whole response that has not ended may contain all of the file.
            _ = transfers.widenStream()
            releaseSlots(&transfers)
            return !transfers.parts.segments.isEmpty
        }
        let isWidened = transfers.isSingleStream && transfers.widenStream()
        guard !isWidened, !isHeldByNetwork(transfers) else {
            releaseSlots(&transfers)
            return true
        }
        transfers.sources.passTime(transfers.now)
        let hosts = Set(transfers.sources.ready.map(\.host))
        transfers.act { slots.withdraw(except: hosts, &$0) }
        let target = transfers.isSingleStream ? 1 : governor.target
        while transfers.parts.segments.count < target {
            guard let choice = choice(transfers).best() else {
                // The other sources wait for a slot, or may not be used now.
                transfers.act { slots.releaseSpare(&$0) }
                return true
            }
            guard transfers.sources[choice.source].exchange.maySend else {
                let host = transfers.sources[choice.source].host
                transfers.giveUp(choice.source, DownloadError(sentOnceTo: host))
                return open(&transfers)
            }
            let missing = target - transfers.parts.segments.count
            let trial = governor.trialPieceDuration(latency: transfers.parts.latency)
            // A trial is judged by its first piece.
            if trial != nil, governor.hasOpenedTrial, missing < target { break }
            var opening = SegmentPlanner.Opening(source: choice.source, count: missing)
            // A new connection to a single source is expected to be as fast as the present ones.
            opening.estimated = transfers.sources.indices.count > 1 ? choice.known : nil
            opening.trial = trial
            guard let assignment = transfers.assignment(for: opening) else { break }
            let host = transfers.sources[choice.source].host
            guard slots.take(host) else {
                transfers.act { slots.request(host, &$0) }
                return true
            }
            transfers.open(assignment, from: choice.source)
            if trial != nil, missing < target { governor.openedTrial() }
        }
        releaseSlots(&transfers)
        return true
    }

    /// Returns the choice among the sources, from the facts known at this moment.
    private func choice(_ transfers: TransferPlanner) -> SourceChoice {
        SourceChoice(
            among: transfers.sources,
            for: transfers.parts,
            slots,
            target: governor.target,
            isSingleStream: transfers.isSingleStream,
            at: transfers.now
        ) { [governor, latency = transfers.parts.latency] in
            governor.mostAwaiting(serving: $0, latency: latency)
        }
    }

    /// Judges a burst of refusals after it has ended.
    mutating func watchLimits(_ transfers: inout TransferPlanner) {
        for source in transfers.sources.indices {
            let (now, (serving, awaiting)) = (
                transfers.now, transfers.parts.connections(to: source)
            )
            let isLimit = transfers.sources.learn(about: source) {
                $0.limit.observe(serving: serving, awaiting: awaiting, at: now)
            }
            guard isLimit else { continue }
            governor.wasLimited(to: transfers.sources.connectionsAllowed(at: now), at: now)
        }
    }

    // MARK: - Closing

    /// Handles a tick; `work` is the CPU time so far of the busiest thread that moves bytes.
    mutating func tick(_ transfers: inout TransferPlanner, _ work: Duration) {
        watchNetwork(&transfers)
        closeStalled(&transfers)
        transfers.extendEnds()
        governor.tick(reading(transfers, work), at: transfers.now)
        closeSurplus(&transfers)
        closeSlow(&transfers)
    }

    /// Notes whether the download is suspended; a trial of more connections is measured again
    /// afterwards.
    mutating func setSuspended(_ isSuspended: Bool, at now: Moment) {
        self.isSuspended = isSuspended
        if isSuspended { governor.interrupted(at: now) }
    }

    // MARK: - The memory of hosts

    /// Begins with what earlier downloads have learned of the host of a transfer.
    mutating func remember(
        _ record: HostRecord,
        of id: TransferID,
        _ transfers: inout TransferPlanner
    ) {
        guard let source = transfers.parts.segments[id]?.source else { return }
        let now = transfers.now
        hasRemembered = true
        if let limit = record.limit {
            transfers.sources.learn(about: source) { $0.limit.remember(limit, at: now) }
        }
        guard let best = record.best, transfers.sources.indices.count == 1 else { return }
        governor.expect(best)
    }

    /// Notes whether Pawl itself pauses transfers, because of a rate limit or a slow disk.
    mutating func notePauses(_ samples: [TransferSample]) {
        hasPaused = hasPaused || isSuspended || samples.contains(where: \.isPaused)
    }

    func lesson(_ transfers: TransferPlanner) -> HostRecord? {
        guard transfers.sources.indices.count == 1 else { return nil }
        let evidence = transfers.sources[0].evidence
        var record = HostRecord()
        if !hasPaused, !transfers.isSingleStream { record.best = governor.learned }
        if evidence.limit.ceiling < .max { record.limit = evidence.limit.ceiling }
        record.roundTrip = evidence.record.quickestConnection
        // A limit that is gone is news as well.
        return record.isUseful || hasRemembered ? record : nil
    }

    private func reading(
        _ transfers: TransferPlanner,
        _ work: Duration
    ) -> ConnectionGovernor.Reading {
        let parts = transfers.parts
        let arrived = parts.arrived.count
        let flowing = parts.segments.values.filter { $0.firstByteAt != nil && !$0.isClosing }
        var reading = ConnectionGovernor.Reading(
            bytes: arrived,
            flowing: flowing.count,
            remaining: transfers.isSingleStream ? nil : parts.total.map { $0 - arrived },
            latency: parts.latency,
            work: work
        )
        reading.open = parts.segments.values.count { !$0.isClosing }
        if let last = flowing.map(\.lastProgressAt).max() { reading.silence = transfers.now - last }
        reading.sources = max(1, Set(flowing.map(\.source)).count)
        reading.allowed = transfers.sources.connectionsAllowed(at: transfers.now)
        reading.testsLimit = transfers.sources.indices.contains { source in
            transfers.sources[source].evidence.limit.testsMemory(at: transfers.now)
        }
        if let newest = flowing.max(by: { $0.id < $1.id }), let time = newest.connectTime {
            let record = transfers.sources[newest.source].evidence.record
            reading.isQueueFull = record.hasQueued(time, to: newest.host)
        }
        return reading
    }

    private func closeStalled(_ transfers: inout TransferPlanner) {
        let now = transfers.now
        for segment in transfers.parts.segments.values where !segment.isClosing {
            if now - segment.lastProgressAt >= settings.stallTimeout {
                let error = DownloadError(
                    stalledFor: settings.stallTimeout,
                    host: segment.host,
                    advice: DownloadError.resumeAdvice
                )
                transfers.noteUnanswered(segment)
                transfers.close(segment.id)
                transfers.failed(segment, error, .immediate)
            } else if let timeout = transfers.sources.leave(segment, at: now) {
                transfers.log(
                    "\(segment.host) did not answer for \(timeout): trying another source"
                )
                transfers.close(segment.id)
            } else if settings.minimumBytesPerSecond > 0 {
                checkSpeed(segment, &transfers)
            }
        }
    }

    private func checkSpeed(_ segment: Segment, _ transfers: inout TransferPlanner) {
        let elapsed = transfers.now - segment.window.since
        guard segment.firstByteAt != nil, elapsed >= settings.stallTimeout else { return }
        let speed = Double(segment.offset - segment.window.offset) / elapsed.seconds
        transfers.beginWindow(of: segment.id)
        let isTooSlow = speed < Double(settings.minimumBytesPerSecond)
        let slowCount = transfers.sources.countSlow(isTooSlow, segment.source)
        guard isTooSlow else { return }
        transfers.close(segment.id)
        guard slowCount > settings.retries else { return }
        let error = DownloadError(
            .tooSlow,
            "\(segment.host) sent \(Int64(speed)) bytes per second, less than the minimum of "
                + "\(settings.minimumBytesPerSecond)",
            advice: "\(DownloadError.resumeAdvice), or lower \(.minimumSpeed)"
        )
        transfers.giveUp(segment.source, error)
    }

    /// Closes the newest connections after an unsuccessful trial, first those without a response.
    ///
    /// One that soon has its bytes receives them: its connection is then free, no byte is fetched
    /// twice, and no gap is left among the bytes.
    private func closeSurplus(_ transfers: inout TransferPlanner) {
        let open = transfers.parts.segments.values.filter { !$0.isClosing }
        guard open.count > governor.target else { return }
        var newest = open.sorted {
            ($0.isHeadAccepted ? 0 : 1, $0.id.number) > ($1.isHeadAccepted ? 0 : 1, $1.id.number)
        }
        for _ in governor.target..<open.count {
            let used = Dictionary(grouping: newest, by: \.source).mapValues(\.count)
            // The source with the most connections loses them, so that each source keeps one.
            let most = newest.indices.filter { !newest[$0].isWhole }.max {
                let (left, right) = (used[newest[$0].source] ?? 0, used[newest[$1].source] ?? 0)
                return left == right ? $0 > $1 : left < right
            }
            guard let most else { return }
            let surplus = newest.remove(at: most)
            if !governor.surplusMayFinish || !surplus.endsSoon {
                transfers.close(surplus.id)
            }
        }
    }

    private func closeSlow(_ transfers: inout TransferPlanner) {
        let estimates = choice(transfers).estimates()
        // A source that becomes slow slows all of its connections.
        while transfers.closeSlow(estimates), transfers.sources.indices.count > 1 {}
    }

    // MARK: - The network

    /// Returns whether the transfers wait for a network that they may use, or check whether one has
    /// returned.
    func isWaitingForNetwork(_ transfers: TransferPlanner) -> Bool {
        guard gate.isWatching else { return false }
        let (segments, hosts) = (transfers.parts.segments, transfers.sources.hosts)
        if gate.isTrying { return !segments.values.contains(where: \.isHeadAccepted) }
        return segments.isEmpty && gate.isClosed(to: hosts) && gate.obstacle(to: hosts) != .unknown
    }

    /// Returns whether the network forbids a new connection.
    private func isHeldByNetwork(_ transfers: TransferPlanner) -> Bool {
        gate.isWatching && gate.isClosed(to: transfers.sources.hosts)
    }

    /// Notes that a server sent a response.
    mutating func wasAnswered() { gate.wasAnswered() }

    mutating func networkChanged(_ path: NetworkPath, _ transfers: inout TransferPlanner) {
        changeGate(&transfers) { $0.take(path, hosts: $1.sources.hosts, at: $1.now) }
    }

    /// Resumes the download when it is time, and ends connections that have lost their network.
    mutating func watchNetwork(_ transfers: inout TransferPlanner) {
        guard gate.isWatching else { return }
        let lost = changeGate(&transfers) { gate, transfers in
            gate.passTime(at: transfers.now)
            let hosts = transfers.sources.hosts
            return transfers.parts.segments.values.filter { segment in
                !segment.isClosing
                    && gate.ends(
                        segment.url.host() ?? "",
                        lastProgressAt: segment.lastProgressAt,
                        hosts: hosts,
                        at: transfers.now
                    )
            }
        }
        for segment in lost { transfers.close(segment.id) }
    }

    /// Returns whether a transfer broke because of the network, which is not a failure of its
    /// source.
    mutating func excuses(
        _ failure: TransferFailure,
        of segment: Segment,
        _ transfers: inout TransferPlanner
    ) -> Bool {
        guard gate.isWatching else { return false }
        return changeGate(&transfers) {
            $0.excuses(
                failure.kind,
                lastProgressAt: segment.lastProgressAt,
                hosts: $1.sources.hosts,
                at: $1.now
            )
        }
    }

    /// Changes the gate, and logs what the download waits for from then on.
    @discardableResult
    private mutating func changeGate<Result>(
        _ transfers: inout TransferPlanner,
        _ change: (inout ConnectivityGate, TransferPlanner) -> Result
    ) -> Result {
        let before = gate.reason
        defer { if gate.reason != before, let text = gate.logText { transfers.log(text) } }
        return change(&gate, transfers)
    }
}

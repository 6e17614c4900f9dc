/// The handling of ticks.
extension DownloadPlanner {
    mutating func ticked(_ samples: [TransferSample], _ work: Duration) {
        noteProgress(of: observe(samples))
        for place in Set(parts.segments.values.map(\.source)) {
            sources[place].evidence.record.pass(now)
        }
        guard case .running = phase else { return }
        watchNetwork()
        closeStalled()
        extendEnds()
        governor.tick(reading(work), at: now)
        closeSurplus()
        closeSlow()
    }

    /// Ignores the time in which the caller has suspended the download: it makes no connection slow
    /// or silent, and a trial of more connections is measured again.
    mutating func stoodStill(_ samples: [TransferSample]) {
        noteProgress(of: observe(samples, isSuspended: true))
        for place in sources.places { sources[place].evidence.record.skip(to: now) }
        governor.interrupted(at: now)
    }

    /// Takes in the progress of the transfers; returns the sources that sent bytes.
    private mutating func observe(
        _ samples: [TransferSample],
        isSuspended: Bool = false
    ) -> Set<Int> {
        var moved: Set<Int> = []
        for sample in samples {
            guard let before = parts.segments[sample.id] else { continue }
            parts.update(sample.id) {
                guard $0.observe(sample, at: now, isSuspended: isSuspended) else { return }
                moved.insert($0.source)
                sources[$0.source].evidence.record.came($0.offset - before.offset)
            }
            noteFirstByte(sample.id)
        }
        return moved
    }

    private mutating func closeSlow() {
        let promises = sourceChoice().promises()
        while true {
            let slow = parts.slowConnection(at: now) { segment in
                promises.lazy.filter { $0.source != segment.source }.map(\.bytesPerSecond).max()
            }
            guard let slow else { return }
            log("connection \(slow) is much slower than the others: replacing it")
            close(slow)
            if let segment = parts.segments[slow] {
                sources[segment.source].slowBytesPerSecond = segment.bytesPerSecond
            }
            // A source that becomes slow slows all of its connections.
            guard sources.places.count > 1 else { return }
        }
    }

    private mutating func noteFirstByte(_ id: TransferID) {
        guard let segment = parts.segments[id], segment.firstByteAt == now,
            !segment.hasStoodStill
        else { return }
        // A tick may be 200 ms late. With several sources that would leave the faster one idle at
        // the end.
        let first = sources.places.count > 1 ? segment.headAt ?? now : now
        parts.noteFirstByte(after: first - segment.openedAt)
    }

    private func reading(_ work: Duration) -> ConnectionGovernor.Reading {
        let arrived = parts.arrived.count
        let flowing = parts.segments.values.filter { $0.firstByteAt != nil && !$0.isClosing }
        var reading = ConnectionGovernor.Reading(
            bytes: arrived,
            flowing: flowing.count,
            remaining: isSingleStream ? nil : parts.total.map { $0 - arrived },
            latency: parts.latency,
            work: work
        )
        reading.sources = max(1, Set(flowing.map(\.source)).count)
        reading.allowed = sources.connectionsAllowed(at: now)
        if let newest = flowing.max(by: { $0.id < $1.id }), let time = newest.connectTime {
            reading.isQueueFull = sources[newest.source].evidence.record.hasQueued(
                time,
                to: newest.host
            )
        }
        return reading
    }

    mutating func noteConnection(of id: TransferID, _ time: Duration?) {
        guard let segment = parts.segments[id], let time else { return }
        parts.update(id) { $0.connectTime = time }
        sources[segment.source].evidence.record.connected(to: segment.host, in: time)
    }

    /// Closes the newest connections after an unsuccessful trial, first those without an answer.
    private mutating func closeSurplus() {
        let open = parts.segments.values.filter { !$0.isClosing }
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
            close(newest.remove(at: most).id)
        }
    }

    private mutating func closeStalled() {
        for segment in parts.segments.values.sorted(by: { $0.id < $1.id })
        where !segment.isClosing {
            if now - segment.lastProgressAt >= settings.stallTimeout {
                let error = DownloadError(
                    stalledFor: settings.stallTimeout,
                    host: segment.host,
                    advice: DownloadError.resumeAdvice
                )
                close(segment.id)
                failed(segment, error, .immediate)
            } else if let patience = sources.leave(segment, at: now) {
                log("\(segment.host) did not answer for \(patience): trying another source")
                close(segment.id)
            } else if settings.minimumBytesPerSecond > 0 {
                checkSpeed(segment)
            }
        }
    }

    private mutating func checkSpeed(_ segment: Segment) {
        guard segment.firstByteAt != nil else { return }
        let elapsed = now - segment.window.since
        guard elapsed >= settings.stallTimeout else { return }
        let speed = Double(segment.offset - segment.window.offset) / elapsed.seconds
        parts.update(segment.id) { $0.window = (now, $0.offset) }
        guard speed < Double(settings.minimumBytesPerSecond) else {
            sources[segment.source].slowStrikes = 0
            return
        }
        sources[segment.source].slowStrikes += 1
        close(segment.id)
        guard sources[segment.source].slowStrikes > settings.retries else { return }
        let error = DownloadError(
            .tooSlow,
            "\(segment.host) sent \(Int64(speed)) bytes per second, less than the minimum of "
                + "\(settings.minimumBytesPerSecond)",
            advice: "\(DownloadError.resumeAdvice), or lower --min-speed"
        )
        giveUp(segment.source, error)
    }
}

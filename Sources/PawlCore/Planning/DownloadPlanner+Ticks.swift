/// What the passing of time means for the download.
extension DownloadPlanner {
    mutating func ticked(
        _ samples: [TransferSample],
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        for sample in samples {
            parts.update(sample.id) { _ = $0.observe(sample, at: now) }
            noteFirstByte(sample.id, now)
        }
        noteProgress()
        guard case .running = phase else { return }
        watchNetwork(now, &actions)
        closeStalled(now, &actions)
        governor.tick(reading, at: now)
        closeSurplus(&actions)
        if let slow = parts.slowConnection(at: now) {
            actions.append(.log("connection \(slow) is much slower than the others: replaced"))
            close(slow, &actions)
        }
    }

    private mutating func noteFirstByte(_ id: TransferID, _ now: Moment) {
        guard let segment = parts.segments[id], segment.firstByteAt == now else { return }
        parts.noteFirstByte(after: now - segment.openedAt)
    }

    private var reading: ConnectionGovernor.Reading {
        let arrived = parts.arrived.count
        return ConnectionGovernor.Reading(
            bytes: arrived,
            flowing: parts.segments.values.count { $0.firstByteAt != nil && !$0.isClosing },
            remaining: isSingleStream ? nil : parts.total.map { $0 - arrived },
            latency: parts.latency
        )
    }

    /// After a trial that did not pay, the newest connections go.
    private mutating func closeSurplus(_ actions: inout [DownloadAction]) {
        let open = parts.segments.values.filter { !$0.isClosing }
        guard open.count > governor.target else { return }
        let newest = open.sorted { $0.id > $1.id }.filter { !$0.isWhole }
        for segment in newest.prefix(open.count - governor.target) { close(segment.id, &actions) }
    }

    private mutating func closeStalled(_ now: Moment, _ actions: inout [DownloadAction]) {
        for segment in parts.segments.values.sorted(by: { $0.id < $1.id })
        where !segment.isClosing {
            if now - segment.lastProgressAt >= settings.stallTimeout {
                let error = DownloadError(
                    .timedOut,
                    "no byte from \(segment.host) for \(settings.stallTimeout)",
                    advice: "run the same command again to go on"
                )
                close(segment.id, &actions)
                failed(segment, error, mayRetryAtOnce: true, now, &actions)
            } else if settings.minimumBytesPerSecond > 0 {
                checkSpeed(segment, now, &actions)
            }
        }
    }

    private mutating func checkSpeed(
        _ segment: Segment,
        _ now: Moment,
        _ actions: inout [DownloadAction]
    ) {
        guard segment.firstByteAt != nil else { return }
        let elapsed = now - segment.window.since
        guard elapsed >= settings.stallTimeout else { return }
        let speed = Double(segment.offset - segment.window.offset) / elapsed.seconds
        parts.update(segment.id) { $0.window = (now, $0.offset) }
        guard speed < Double(settings.minimumBytesPerSecond) else {
            slowStrikes = 0
            return
        }
        slowStrikes += 1
        close(segment.id, &actions)
        guard slowStrikes > settings.retries else { return }
        sourceFailure = DownloadError(
            .tooSlow,
            "\(segment.host) brought \(Int64(speed)) bytes a second where at least "
                + "\(settings.minimumBytesPerSecond) were asked for",
            advice: "run the same command again to go on, or lower --min-speed"
        )
    }
}

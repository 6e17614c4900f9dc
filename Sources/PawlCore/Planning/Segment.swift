package import struct FoundationEssentials.URL

/// A byte range that one transfer receives, as the planner knows it.
package struct Segment: Sendable {
    package let id: TransferID
    /// The index of its source among those of the download.
    package let source: Int
    package let host: String
    package let url: URL
    package var start: Int64
    /// The end of the bytes that this segment receives.
    package var end: Int64
    /// The end of its response; `end` can be moved up to here.
    package var responseEnd: Int64
    /// Whether bytes of another response follow at `end` that are not proven to match yet; then the
    /// last byte before `end` is left out.
    package var isEndOpen = false
    /// The offset of the last sample.
    package var offset: Int64
    /// Whether its response is the whole representation from offset 0.
    package let isWhole: Bool
    /// The state of the exchange with its source when this was opened.
    let attempt: ExchangePlanner.Attempt
    /// The segment that fetches the same bytes in a race.
    package var rival: TransferID?

    package let openedAt: Moment
    package var headAt: Moment?
    /// The time that connecting took; `nil` before it is known, and for a reused connection.
    package var connectTime: Duration?
    /// Whether a connection to its source was open and free when this was opened.
    var expectsFreeConnection = false
    package var firstByteAt: Moment?
    package var lastProgressAt: Moment
    /// The time without a received byte as of the last tick; zero before the first byte.
    private var silence = Duration.zero
    /// Whether the download was suspended before the first byte, so that its latency is unknown.
    package private(set) var hasStoodStill = false
    /// The start of the window in which the minimum speed is measured.
    package var window: (since: Moment, offset: Int64)
    private(set) var skippedBytes: Int64 = 0
    package var isHeadAccepted = false
    package var isClosing = false
    /// Whether the host refused its connection, the only one, because it serves other downloads.
    var isSurplus = false
    private var rate: RateEstimator
    /// The smoothed speed as of the last sample.
    package private(set) var bytesPerSecond: Double = 0

    package var remaining: Int64 { max(0, end - offset) }
    package var isComplete: Bool { offset >= writableEnd }
    /// Whether it receives the rest of its bytes although its connection is surplus: they arrive
    /// soon, and closing it would leave a gap, and cost what is on its way.
    var endsSoon: Bool {
        guard isHeadAccepted, responseEnd - end <= Seam.tailBytes, let speed else { return false }
        return Double(remaining) <= speed
    }

    /// The end of the bytes that may be written now.
    package var writableEnd: Int64 { isEndOpen ? end - 1 : end }
    /// The end of the bytes that count if bytes of two responses may touch only where they were
    /// compared.
    package var countedEnd: Int64 {
        // A transfer that had already passed its end when that was set has compared nothing there.
        Seam.countedEnd(at: offset, before: end, isProven: !isEndOpen && offset <= end)
    }

    /// The speed in bytes per second; `nil` before it is known.
    package var speed: Double? {
        guard firstByteAt != nil else { return nil }
        return bytesPerSecond > 0 ? bytesPerSecond : nil
    }

    /// Returns the number of bytes that it receives within a time at its present speed.
    func passed(within time: Duration) -> Int64 { Int64((speed ?? 0) * time.seconds) }

    /// Whether it stopped before its speed was known, because all its bytes were received between
    /// two ticks.
    package var isSilent: Bool { speed == nil && silence >= .seconds(1) }

    /// Returns whether bytes that are kept were received after `moment`.
    func hasReceived(since moment: Moment) -> Bool {
        firstByteAt != nil && lastProgressAt > moment
    }

    /// Returns whether its response ended before all its bytes were received.
    func endedEarly(_ outcome: TransferOutcome, isLengthKnown: Bool) -> Bool {
        guard isHeadAccepted, !isClosing, !isComplete else { return false }
        return switch outcome {
        case .stopped, .cancelled: false
        // The end of a body without a stated length is the end of the file. Some servers send
        // short parts, and say so.
        case .completed: isLengthKnown && (offset < responseEnd || offset - start < 1024)
        case .failed: true
        }
    }

    package init(
        planned: PlannedTransfer,
        host: String,
        attempt: ExchangePlanner.Attempt = ExchangePlanner.Attempt(),
        openedAt: Moment,
        attention: Duration = .seconds(2)
    ) {
        rate = RateEstimator(timeConstant: attention)
        id = planned.id
        self.host = host
        source = planned.source
        url = planned.url
        self.attempt = attempt
        self.openedAt = openedAt
        start = planned.start
        offset = planned.start
        end = planned.end
        responseEnd = max(planned.end, planned.range?.end ?? planned.end)
        isWhole = planned.range == nil
        lastProgressAt = openedAt
        window = (openedAt, planned.start)
    }

    /// Notes the progress of the transfer; returns whether bytes were received.
    ///
    /// The time of a suspension does not count.
    package mutating func observe(
        _ sample: TransferSample,
        at now: Moment,
        isSuspended: Bool = false
    ) -> Bool {
        let moved = sample.offset > offset
        if moved {
            offset = sample.offset
            lastProgressAt = now
            if firstByteAt == nil {
                firstByteAt = now
                window = (now, offset)
            }
        }
        if sample.skippedBytes > skippedBytes {
            skippedBytes = sample.skippedBytes
            lastProgressAt = now
        }
        if sample.isPaused || isSuspended {
            lastProgressAt = now
            window = (now, offset)
        }
        silence = firstByteAt == nil ? .zero : now - lastProgressAt
        guard !isSuspended else {
            hasStoodStill = hasStoodStill || firstByteAt == nil
            rate.skip(totalBytes: offset - start, to: now)
            return moved
        }
        rate.record(totalBytes: offset - start, at: now)
        bytesPerSecond = rate.bytesPerSecond(at: now)
        return moved
    }
}

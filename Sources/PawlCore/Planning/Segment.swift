package import struct FoundationEssentials.URL

/// A byte range that one transfer is fetching, as the planner sees it.
package struct Segment: Sendable {
    package let id: TransferID
    /// The place of its source among the download's.
    package let source: Int
    package let host: String
    package let url: URL
    package var start: Int64
    /// Behind the last byte that this segment is to fetch.
    package var end: Int64
    /// Behind the last byte that its response brings: the end can be given back up to here.
    package var responseEnd: Int64
    /// Whether bytes of another answer begin at `end`, or will, and nothing proves yet that they fit.
    ///
    /// Then its last byte is left out.
    package var isEndOpen = false
    /// As last sampled.
    package var offset: Int64
    /// Whether its response is the whole representation from offset 0.
    package let isWhole: Bool
    /// How often the source had failed when this was opened: one outage counts once.
    package let generation: Int
    /// How often the original URL had been asked again when this was opened.
    package let wave: Int
    /// The segment that fetches the same bytes in a race.
    package var rival: TransferID?

    package let openedAt: Moment
    package var headAt: Moment?
    /// What its connection took to be made; nil before that is known, and for one that was there.
    var connectTime: Duration?
    package var firstByteAt: Moment?
    package var lastProgressAt: Moment
    /// How long nothing has come, as of the last tick; none before its first byte.
    private var silence = Duration.zero
    /// Whether the caller had the download suspended before its first byte: how long that took says
    /// nothing.
    package private(set) var hasStoodStill = false
    /// The start of the window in which the minimum speed is measured.
    package var window: (since: Moment, offset: Int64)
    private(set) var skippedBytes: Int64 = 0
    package var isHeadAccepted = false
    package var isClosing = false
    private var rate: RateEstimator
    /// Smoothed, in bytes a second, as of the last sample.
    package private(set) var bytesPerSecond: Double = 0

    package var remaining: Int64 { max(0, end - offset) }
    package var isComplete: Bool { offset >= writableEnd }
    /// Behind the last byte that may be written now.
    package var writableEnd: Int64 { isEndOpen ? end - 1 : end }
    /// Behind the last byte that counts where bytes of two answers may touch only if that was proven.
    ///
    /// A transfer that had passed its end before that was set has compared nothing there.
    package var countedEnd: Int64 { offset > end ? end - 1 : min(offset, writableEnd) }

    /// Bytes a second; nil before it can be told.
    package var speed: Double? {
        guard firstByteAt != nil else { return nil }
        return bytesPerSecond > 0 ? bytesPerSecond : nil
    }

    /// Whether it stopped before its speed was seen: all its bytes came between two ticks.
    package var isSilent: Bool { speed == nil && silence >= .seconds(1) }

    package init(
        order: TransferOrder,
        host: String,
        generation: Int,
        wave: Int,
        openedAt: Moment,
        attention: Duration = .seconds(2)
    ) {
        rate = RateEstimator(timeConstant: attention)
        id = order.id
        self.host = host
        source = order.source
        url = order.url
        self.generation = generation
        self.wave = wave
        self.openedAt = openedAt
        start = order.start
        offset = order.start
        end = order.end
        responseEnd = max(order.end, order.range?.end ?? order.end)
        isWhole = order.range == nil
        lastProgressAt = openedAt
        window = (openedAt, order.start)
    }

    /// Takes in where the transfer stands; true where bytes came.
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

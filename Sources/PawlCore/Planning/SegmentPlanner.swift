/// Decides which transfer receives which bytes: assigns ranges, splits them by remaining time, and
/// races for the last one.
package struct SegmentPlanner: Sendable {
    /// The bytes of ended transfers and earlier runs.
    package private(set) var have = RangeSet()
    package private(set) var segments = SegmentTable()
    /// The length of the file; `nil` if it is not known.
    package var total: Int64?
    /// How far ahead of its reader the file may be fetched; `nil` if nobody reads it meanwhile.
    package var window: ReaderWindow?
    /// Whether bytes of two responses may touch only where that was proven (``Seam``).
    package var provesSeams = false
    /// The parts in which the bytes are written; `nil` if a segment may begin and end anywhere.
    package var grid: SegmentGrid?
    /// The maximum number of bytes before its own at which a request begins.
    private(set) var longestLead = Seam.leadBytes
    /// The bytes of an earlier run that are downloaded again, so that those around them are
    /// compared.
    private var samples: [Int64] = []
    /// How long sources take to respond, and which of their connections are free.
    private var times = ResponseTimes()
    /// The times at which slow connections were replaced within `replacementPeriod`.
    private var replacements: [Moment] = []
    /// The smoothed speed of connections that received all their bytes, to compare the last ones
    /// with.
    private var usualSpeed: Double?

    /// The smallest half of a split; a range smaller than twice this is not split.
    package static let smallestSplit: Int64 = 64 * 1024
    /// The time after which a transfer may have received more than its last sample shows.
    static let sampleAge: Duration = .milliseconds(250)
    /// The remaining time from which a segment is split, as a multiple of the time until the first
    /// byte of the new half.
    static let worthSplitting = 1.5
    /// The part of its even share of the remaining bytes that a connection gets at once.
    ///
    /// The rest is divided later, by speeds that are known then (guided self-scheduling). A
    /// connection that has received what it requested is open, and fast, for its next part; a donor
    /// must close its own, because its response contains more.
    static let partAtOnce = 0.5
    /// The length of the shortest part, unless it is the last, as a multiple of the time until its
    /// first byte.
    static let shortestPart = 4.0
    /// The time for which a connection is measured before it can count as slow.
    static let slowAfter: Duration = .seconds(2)
    /// The fraction of the mean speed of the others below which a connection is slow.
    static let slowFraction = 0.25
    /// The maximum number of replacements within `replacementPeriod`.
    static let mostReplacements = 16
    static let replacementPeriod: Duration = .seconds(600)

    package init() {}

    /// The bytes for a new connection.
    package struct Assignment: Hashable, Sendable {
        package var range: ByteRange
        /// The segment that gives up `range`, and ends where it starts.
        package var donor: TransferID?
        /// The segment that receives the same bytes already.
        package var rival: TransferID?
        /// The number of bytes before `range` that are present and are compared.
        package var leadBytes: Int64 = 0
        /// Whether the bytes after `range` cannot be compared yet.
        package var isEndOpen = false
    }

    /// A connection that is about to be opened, or used again.
    package struct Opening: Sendable {
        /// The index of its source.
        package var source: Int
        /// The expected bytes per second; `nil` means the speed of the others.
        package var estimated: Double?
        /// The number of connections that are opened together, with this one.
        package var count: Int
        /// Whether its source leaves requests unanswered.
        package var isSilent = false
        /// How long the bytes take at the expected speed, of a connection that is opened as a
        /// trial; otherwise `nil`.
        package var trial: Duration?

        package init(source: Int = 0, count: Int = 1) {
            (self.source, self.count) = (source, count)
        }
    }

    /// The bytes that may be requested now.
    private var requestable: ByteRange { ByteRange(0, min(total ?? .max, windowEnd)) }

    /// The end of the window; a part that begins in the window may be fetched whole.
    private var windowEnd: Int64 {
        guard let window else { return .max }
        return grid?.boundary(atOrAfter: window.end) ?? window.end
    }

    /// The missing bytes that may be requested, and that no transfer receives.
    package var unassigned: RangeSet {
        var missing = have.gaps(in: requestable)
        for segment in segments.values {
            // Another transfer may write the rest of its last part only after it has ended.
            let end = grid?.boundary(atOrAfter: segment.end) ?? segment.end
            missing.remove(ByteRange(segment.start, end))
        }
        return missing
    }

    /// `have` and the samples, which are on disk while they are downloaded again.
    package var kept: RangeSet {
        samples.reduce(into: have) { $0.insert(ByteRange($1, $1 + 1)) }
    }

    /// All bytes received, including those of open transfers.
    package var arrived: RangeSet {
        var all = have
        for segment in segments.values {
            // Bytes after its end belong to its neighbour.
            let end = provesSeams ? max(segment.start, segment.countedEnd) : segment.offset
            all.insert(ByteRange(segment.start, end))
        }
        return all
    }

    package var isComplete: Bool { total.map { have.contains(ByteRange(0, $0)) } ?? false }

    /// Returns the number of connections to a source that receive a body, and of those that wait
    /// for a response.
    func connections(to source: Int) -> (serving: Int, awaiting: Int) {
        let open = segments.values.filter { $0.source == source && !$0.isClosing }
        let serving = open.count(where: \.isHeadAccepted)
        return (serving, open.count - serving)
    }

    /// Whether one whole response, which has not ended, contained all bytes.
    var isOneStreamsWork: Bool {
        guard let stream = segments.values.first(where: { $0.isWhole && $0.isHeadAccepted })
        else { return false }
        return have.isEmpty
            && segments.values.allSatisfy { $0.id == stream.id || $0.offset == $0.start }
    }

    /// Returns whether a connection to a source receives a body.
    func isReceiving(from source: Int) -> Bool { connections(to: source).serving > 0 }

    /// Returns whether a connection received nothing while another one to its source was served.
    ///
    /// After an accepted head, only bytes that the other one received in the meantime show that:
    /// otherwise connections whose responses have no body would excuse each other, and no failure
    /// would ever count.
    func isSurplus(_ segment: Segment) -> Bool {
        guard segment.offset == segment.start else { return false }
        return segment.isSurplus
            || segments.values.contains {
                $0.source == segment.source && $0.id != segment.id && !$0.isClosing
                    && $0.isHeadAccepted
                    && (!segment.isHeadAccepted || $0.hasReceived(since: segment.openedAt))
            }
    }

    package mutating func begin(have: RangeSet, total: Int64?) {
        self.have = grid?.wholeParts(of: have, total: total) ?? have
        self.total = total
        samples = []
    }

    /// Forgets all bytes, because they are of another representation.
    package mutating func reset() {
        have = RangeSet()
        samples = []
    }

    /// Keeps only the bytes that can be trusted.
    package mutating func restrict(to durable: RangeSet) {
        have = have.intersection(durable)
        // What is missing of a part would not be written in order.
        if let grid { have = grid.wholeParts(of: have, total: total) }
        samples.removeAll { !durable.contains(ByteRange($0, $0 + 1)) }
    }

    package mutating func add(_ segment: Segment) {
        var segment = segment
        times.requested(&segment)
        segments[segment.id] = segment
    }

    /// The smoothed time from opening a connection to its first byte.
    package var latency: Duration { times.latency }

    /// Returns whether a connection to a source is open and free.
    func hasFreeConnection(to source: Int) -> Bool { times.hasFreeConnection(to: source) }

    /// Notes the head of a response; `connectTime` is `nil` if its connection was reused.
    mutating func answered(_ id: TransferID, connectTime: Duration?, at now: Moment) {
        guard let segment = segments[id] else { return }
        times.answered(segment, connectTime: connectTime)
        update(id) {
            $0.headAt = now
            $0.connectTime = connectTime ?? $0.connectTime
        }
    }

    /// Notes that a response has ended, after which its connection is usually open.
    package mutating func responseEnded(from source: Int) { times.responseEnded(from: source) }

    package mutating func update(_ id: TransferID, _ change: (inout Segment) -> Void) {
        guard var segment = segments[id] else { return }
        change(&segment)
        segments[id] = segment
    }

    /// Removes an ended transfer and keeps its bytes.
    package mutating func finish(_ id: TransferID, offset: Int64) -> Segment? {
        guard var segment = segments.removeValue(forKey: id) else { return nil }
        segment.offset = max(segment.offset, offset)
        if provesSeams {
            // Bytes after its end belong to its neighbour.
            segment.offset = max(segment.start, segment.countedEnd)
        }
        have.insert(ByteRange(segment.start, segment.offset))
        if provesSeams { dropShortPieces() }
        if let rival = segment.rival { segments[rival]?.rival = nil }
        if segment.isComplete, let speed = segment.speed {
            usualSpeed = usualSpeed.map { ($0 + speed) / 2 } ?? speed
        }
        return segment
    }

    /// Notes a response shorter than its request: the comparison must not use up all of the next
    /// one.
    mutating func answeredShort(_ count: Int64) {
        longestLead = min(longestLead, max(Seam.leastLeadBytes, count / 4))
    }

    /// Drops pieces that are too short to prove that another response matches.
    private mutating func dropShortPieces() {
        let short = arrived.ranges.filter { $0.count < Seam.tailBytes && $0.end != total }
        for range in short { have.remove(range) }
    }

    /// Marks some bytes of an earlier run to be downloaded again, with those around them.
    package mutating func takeSamples(_ random: inout SplitMix64) {
        dropShortPieces()
        let count = have.count
        guard count >= Seam.leastSampledBytes else { return }
        let part = count / Int64(Seam.samples)
        for index in 0..<Int64(Seam.samples) {
            // Not close to the sample of the next part, so that no piece between them is short.
            let rank = index * part + Int64.random(in: 0..<part - Seam.tailBytes, using: &random)
            guard let offset = offset(ofByte: rank), isAmongOthers(offset) else { continue }
            samples.append(offset)
        }
        for offset in samples { have.remove(ByteRange(offset, offset + 1)) }
    }

    /// Stops comparing samples, because the only open transfer compares a whole response with all
    /// bytes.
    package mutating func endSampling() {
        have = kept
        samples = []
    }

    private func offset(ofByte rank: Int64) -> Int64? {
        var left = rank
        for range in have.ranges {
            if left < range.count { return range.start + left }
            left -= range.count
        }
        return nil
    }

    private func isAmongOthers(_ offset: Int64) -> Bool {
        let around = ByteRange(offset - Seam.tailBytes, offset + 1 + Seam.tailBytes)
        return around.start >= 0 && have.contains(around)
    }

    /// Measures the latency with the first byte of a transfer, if it has just arrived.
    mutating func noteFirstByte(of id: TransferID, at now: Moment, hasOtherSources: Bool) {
        guard let segment = segments[id], segment.firstByteAt == now, !segment.hasStoodStill else {
            return
        }
        let headAt = segment.headAt ?? now
        // A tick may be 200 ms late. With several sources that would leave the faster one idle at
        // the end.
        let first = hasOtherSources ? headAt : now
        times.received(
            segment,
            after: first - segment.openedAt,
            untilHead: headAt - segment.openedAt
        )
    }
}

// MARK: - Assigning bytes

extension SegmentPlanner {
    /// Returns the bytes for a connection: unassigned ones; otherwise a part of the segment with the
    /// most time left; otherwise the rest of the slowest segment, as a race.
    package func assign(for opening: Opening = Opening(), at now: Moment = .zero) -> Assignment? {
        if let grid { return assign(for: opening, at: now, within: grid) }
        guard provesSeams else {
            if let gap = unassigned.ranges.first { return Assignment(range: shortened(gap)) }
            return takeOver(for: opening, at: now) ?? split(for: opening)
                ?? race(opening.estimated, at: now)
        }
        // There is no race: two responses that write the same bytes could be of two versions.
        let gap = nextProvableGap.map { Assignment(range: shortened($0)) }
        return (gap ?? takeOver(for: opening, at: now) ?? split(for: opening)).map(proving)
    }

    /// The beginning of a gap that one request may fetch.
    func shortened(_ gap: ByteRange) -> ByteRange {
        guard let window else { return gap }
        let end = gap.start + window.longestPart
        return ByteRange(gap.start, min(gap.end, grid?.boundary(atOrAfter: end) ?? end))
    }

    /// Returns the number of bytes that a segment may still receive now.
    private func remaining(of segment: Segment) -> Int64 {
        guard window != nil else { return segment.remaining }
        return max(0, min(segment.end, windowEnd) - segment.offset)
    }

    func split(for opening: Opening) -> Assignment? {
        let delay = times.delay(of: opening.source).seconds
        let open = segments.values.filter { $0.end != .max && $0.rival == nil && !$0.isClosing }
        let candidates = open.filter(isDivisible)
        guard let donor = longest(candidates), let timeLeft = timeLeft(donor),
            timeLeft > Self.worthSplitting * delay
        else { return nil }
        let speed = donor.speed ?? typicalSpeed
        let left = remaining(of: donor)
        let other = opening.estimated ?? meanSpeed(without: donor.id) ?? speed
        // The donor continues while the new connection opens. Both may then end together.
        let head = min(left, Int64(speed * delay))
        let half = Double(left - head) * other / (speed + other)
        let part = part(of: open, for: opening, other, after: delay)
        let longest = opening.trial.map { other * $0.seconds } ?? half
        let share = left - Int64(min(half, part ?? half, longest))
        let end = donor.offset + left
        guard let cut = cut(of: donor, keeping: share, of: left) else { return nil }
        return Assignment(range: ByteRange(cut, end), donor: donor.id)
    }

    private func isDivisible(_ segment: Segment) -> Bool {
        let left = remaining(of: segment)
        return grid == nil
            ? left >= 2 * Self.smallestSplit : cut(of: segment, keeping: 0, of: left) != nil
    }

    /// Returns where a segment is split that keeps about `share` of the `left` bytes that it may
    /// still receive; `nil` if it cannot be split.
    private func cut(of donor: Segment, keeping share: Int64, of left: Int64) -> Int64? {
        let end = donor.offset + left
        if let grid {
            let passed = donor.passed(within: Self.sampleAge)
            return grid.cut(in: ByteRange(donor.offset + passed, end), keeping: share - passed)
        }
        let kept = min(max(share, Self.smallestSplit), left - Self.smallestSplit)
        let cut = (donor.offset + kept + 4095) & ~4095
        return cut > donor.offset && cut < end ? cut : nil
    }

    /// Returns the number of bytes of the open segments that a connection with a speed gets at once;
    /// `nil` if they end before it has its first byte.
    private func part(
        of open: [Segment],
        for opening: Opening,
        _ speed: Double,
        after delay: Double
    ) -> Double? {
        // Of a source that leaves requests unanswered, only those that are answered count.
        let served = open.filter { !opening.isSilent || $0.isHeadAccepted }
        let added = Double(opening.isSilent ? 1 : opening.count) * speed
        let speeds = served.reduce(added) { $0 + ($1.speed ?? typicalSpeed) }
        let left = open.reduce(0) { $0 + Double(remaining(of: $1)) }
        // All connections then end together.
        let end = (left + added * delay) / speeds
        guard end > delay else { return nil }
        let even = speed * (end - delay)
        // No other connection may ever be there for the rest.
        if opening.isSilent || times.isClosing(opening.source) { return even }
        return max(even * Self.partAtOnce, min(even, speed * delay * Self.shortestPart))
    }

    private func race(_ estimated: Double?, at now: Moment) -> Assignment? {
        guard let total, total > 0 else { return nil }
        let candidates = segments.values.filter {
            $0.rival == nil && !$0.isClosing && $0.isHeadAccepted && !$0.isComplete
                && $0.end <= window?.end ?? .max
        }
        guard let slowest = longest(candidates), let timeLeft = timeLeft(slowest),
            let other = estimated ?? meanSpeed(without: slowest.id), other > 0
        else { return nil }
        let restartTime = latency.seconds + Double(slowest.remaining) / other
        // The last segment may never end if its speed is not known.
        let isStuck = segments.count == 1 && slowest.isSilent
        // A connection that has received nothing for a while will probably wait as long again.
        let wait = timeLeft + max(0, (now - slowest.lastProgressAt).seconds)
        guard isStuck || wait > 0.25 + 2 * restartTime else { return nil }
        return Assignment(range: ByteRange(slowest.offset, slowest.end), rival: slowest.id)
    }

    private func longest(_ candidates: [Segment]) -> Segment? {
        candidates.max {
            // Ties go to the smaller offset, so that results are reproducible.
            let (left, right) = (timeLeft($0) ?? 0, timeLeft($1) ?? 0)
            return left == right ? $0.start > $1.start : left < right
        }
    }

    private func timeLeft(_ segment: Segment) -> Double? {
        let speed = segment.speed ?? typicalSpeed
        return speed > 0 ? Double(remaining(of: segment)) / speed : nil
    }

    /// The assumed speed of a connection before it is known.
    private var typicalSpeed: Double { meanSpeed(without: nil) ?? 1 }

    private func meanSpeed(without excluded: TransferID?) -> Double? {
        let speeds = segments.values.filter { $0.id != excluded }.compactMap(\.speed)
        return speeds.isEmpty ? usualSpeed : speeds.reduce(0, +) / Double(speeds.count)
    }
}

// MARK: - Watching

extension SegmentPlanner {
    /// Returns a connection that is much slower than the others and whose replacement saves time;
    /// `estimated`: the expected speed of another source in its place, if there is one.
    package mutating func slowConnection(
        at now: Moment,
        estimated: (Segment) -> Double? = { _ in nil }
    ) -> TransferID? {
        replacements.removeAll { now - $0 >= Self.replacementPeriod }
        guard replacements.count < Self.mostReplacements else { return nil }
        for segment in segments.values {
            // A connection that compares bytes and keeps none is not slow.
            let isComparing = segment.skippedBytes > 0 && segment.offset == segment.start
            guard !segment.isClosing, segment.rival == nil, !isComparing,
                now - max(segment.openedAt, segment.firstByteAt ?? segment.openedAt)
                    >= Self.slowAfter,
                let mean = replacementSpeed(of: segment, estimated(segment))
            else { continue }
            let speed = max(segment.bytesPerSecond, 1)
            guard speed < mean * Self.slowFraction else { continue }
            let restartTime = latency.seconds + Double(segment.remaining) / mean
            guard Double(segment.remaining) / speed > 0.5 + 2 * restartTime else { continue }
            replacements.append(now)
            return segment.id
        }
        return nil
    }

    /// Returns the expected speed of the replacement of a connection; for another source, only the
    /// expected speed of one more connection counts: a slow connection beside it still adds to the
    /// total.
    private func replacementSpeed(of segment: Segment, _ estimated: Double?) -> Double? {
        guard let estimated else { return meanSpeed(without: segment.id) }
        let peers = segments.values.filter { $0.id != segment.id && $0.source == segment.source }
            .compactMap(\.speed)
        guard !peers.isEmpty else { return estimated }
        return max(estimated, peers.reduce(0, +) / Double(peers.count))
    }
}

// MARK: - Taking over

extension SegmentPlanner {
    /// The remaining time below which a connection may continue into the bytes that follow.
    private static let nearEnd: Duration = .seconds(1)
    /// The time without a response, besides twice the latency, after which the neighbour continues.
    private static let noResponseAfter: Duration = .milliseconds(200)
    /// The remaining time below which the neighbour continues as soon as the response is late:
    /// closing a response before its end costs a connection as well.
    private static let veryNearEnd: Duration = .milliseconds(150)

    /// Returns whether a connection has waited for its response for `limit`.
    private func hasNoResponse(_ segment: Segment, _ limit: Duration, _ now: Moment) -> Bool {
        !segment.isHeadAccepted && !segment.isClosing && segment.rival == nil
            && segment.offset == segment.start && segment.start < segment.end
            && now - segment.lastProgressAt >= limit
    }

    /// Returns whether a connection has waited for its response for longer than usual.
    func isOverdue(_ segment: Segment, at now: Moment) -> Bool {
        hasNoResponse(segment, overdueAfter, now)
    }

    private var overdueAfter: Duration { max(Self.noResponseAfter, latency * 2) }

    /// The time without a response after which a connection that has received all its bytes takes
    /// over.
    private var takenOverAfter: Duration { max(Self.noResponseAfter * 2, latency * 3) }

    /// Returns the connections that soon have all their bytes, and whose responses contain the
    /// following ones.
    func endingSoon() -> [Segment] {
        segments.values.filter { mayContinue($0) && isNearEnd($0, Self.nearEnd) }
            .sorted { $0.id < $1.id }
    }

    private func mayContinue(_ segment: Segment) -> Bool {
        segment.isHeadAccepted && !segment.isClosing && !segment.isComplete
            && segment.rival == nil && segment.responseEnd > segment.end
    }

    /// Returns the first moment at which a connection that ends soon, or at an unknown time, may
    /// continue into the bytes of one without a response: it must not end before the next tick.
    ///
    /// `isSilent`: whether a source leaves requests unanswered.
    func continuesAt(isSilent: (Int) -> Bool) -> Moment? {
        let ends = segments.values.filter {
            mayContinue($0) && ($0.speed == nil || isNearEnd($0, Self.nearEnd))
        }.map(\.end)
        guard !ends.isEmpty else { return nil }
        return segments.values
            .filter { hasNoResponse($0, .zero, .distantFuture) && ends.contains($0.start) }
            .map { isSilent($0.source) ? .zero : $0.openedAt + overdueAfter }.min()
    }

    private func isNearEnd(_ segment: Segment, _ time: Duration) -> Bool {
        segment.speed.map { Double(segment.remaining) <= $0 * time.seconds } ?? false
    }

    /// Returns the bytes behind a segment that no connection receives: unassigned ones, or those of
    /// `unanswered`; `isSilent`: whether a source leaves requests unanswered.
    func unservedBytes(
        behind segment: Segment,
        at now: Moment,
        isSilent: (Int) -> Bool = { _ in false }
    ) -> (end: Int64, unanswered: Segment?)? {
        if let gap = unassigned.ranges.first(where: { $0.start == segment.end }) {
            return (gap.end, nil)
        }
        let next = segments.values.first { $0.start == segment.end && $0.end > $0.start }
        guard let next else { return nil }
        let late = isSilent(next.source) ? .zero : max(Self.veryNearEnd, latency)
        let isLate = isNearEnd(segment, Self.veryNearEnd) && hasNoResponse(next, late, now)
        return isLate || isOverdue(next, at: now) ? (next.end, next) : nil
    }

    /// Returns all bytes of a connection without a response, for a free one: the last ones of the
    /// file, because a whole response may reach the others.
    ///
    /// A lost packet delays a new connection by a second. Those of the same source that have
    /// received all their bytes are open already.
    func takeOver(for opening: Opening, at now: Moment) -> Assignment? {
        let isServed = segments.values.contains { $0.isHeadAccepted && !$0.isClosing }
        let donor = segments.values.filter { segment in
            if times.hasFreeConnection(to: segment.source) {
                // A source that leaves requests unanswered will probably not answer this one.
                let isLost = opening.isSilent && segment.source == opening.source
                return hasNoResponse(segment, isLost ? .zero : takenOverAfter, now)
            }
            return isServed && hasNoResponse(segment, max(Self.slowAfter, latency * 2), now)
        }.max { $0.start < $1.start }
        return donor.map { Assignment(range: ByteRange($0.start, $0.end), donor: $0.id) }
    }

    /// Gives the rest of an ended segment to the transfer before it, whose response contains these
    /// bytes anyway, if that takes less time than another connection; returns that transfer.
    mutating func returnRest(of segment: Segment) -> TransferID? {
        guard segment.offset < segment.end,
            let donor = segments.values.first(where: {
                $0.end == segment.start && $0.responseEnd >= segment.end && !$0.isClosing
                    && !$0.isComplete
            })
        else { return nil }
        let twice = Double(segment.offset - segment.start)
        guard twice <= (donor.speed ?? 0) * 2 * latency.seconds else { return nil }
        // No other response, which may end among these bytes, may write bytes that are present.
        guard mayOverlap || twice == 0 else { return nil }
        let isOpen = provesSeams && segment.end != total
        update(donor.id) { ($0.end, $0.isEndOpen) = (segment.end, isOpen) }
        return donor.id
    }
}

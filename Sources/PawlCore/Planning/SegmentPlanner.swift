/// Which bytes to fetch by which transfer: hands out ranges, splits them in time, races the last.
package struct SegmentPlanner: Sendable {
    /// What ended transfers brought, and earlier runs.
    package private(set) var have = RangeSet()
    package private(set) var segments: [TransferID: Segment] = [:]
    /// The length of the whole, nil while it is not known.
    package var total: Int64?
    /// Whether bytes of two answers may touch only where that was proven (``Seam``).
    package var provesSeams = false
    /// The most bytes that a request begins before its own.
    private(set) var longestLead = Seam.leadBytes
    /// Bytes of an earlier run that are fetched again, so that what lies around them is compared.
    private var samples: [Int64] = []
    /// What a new connection took to its first byte, smoothed.
    package private(set) var latency: Duration = .zero
    /// When slow connections were replaced, as long as that counts.
    private var replacements: [Moment] = []
    /// What connections brought that did their work to the end, smoothed: the measure of those
    /// that are left when the others are done.
    private var usualSpeed: Double?

    /// A range smaller than twice this is not split.
    package static let smallestSplit: Int64 = 64 * 1024
    /// How long a connection is watched before it is called slow.
    static let slowAfter: Duration = .seconds(2)
    /// Slower than this part of the others' mean is slow.
    static let slowFraction = 0.25
    /// The most that are replaced within `replacementPeriod`.
    static let mostReplacements = 16
    static let replacementPeriod: Duration = .seconds(600)

    package init() {}

    /// What a new connection is to fetch.
    package struct Claim: Hashable, Sendable {
        package var range: ByteRange
        /// The segment that gives `range` up; it ends where the range starts.
        package var donor: TransferID?
        /// The segment that fetches the same bytes already.
        package var rival: TransferID?
        /// How many bytes before `range` are there and are to be compared.
        package var leadBytes: Int64 = 0
        /// Whether what is to follow `range` cannot be compared yet.
        package var isEndOpen = false
    }

    private var whole: ByteRange { ByteRange(0, total ?? .max) }

    /// Bytes that no transfer fetches and that are not there.
    package var unassigned: RangeSet {
        var missing = have.gaps(in: whole)
        for segment in segments.values {
            missing.remove(ByteRange(segment.start, segment.end))
        }
        return missing
    }

    /// `have`, and the samples: they are on disk while they are fetched again.
    package var kept: RangeSet {
        samples.reduce(into: have) { $0.insert(ByteRange($1, $1 + 1)) }
    }

    /// What is there, the running transfers' bytes included.
    package var arrived: RangeSet {
        var all = have
        for segment in segments.values {
            // What it has brought behind its end is its neighbour's to bring.
            let end = provesSeams ? max(segment.start, segment.countedEnd) : segment.offset
            all.insert(ByteRange(segment.start, end))
        }
        return all
    }

    package var isComplete: Bool { total.map { have.contains(ByteRange(0, $0)) } ?? false }

    package mutating func begin(have: RangeSet, total: Int64?) {
        self.have = have
        self.total = total
        samples = []
    }

    /// Forgets all bytes: they are of another representation.
    package mutating func reset() {
        have = RangeSet()
        samples = []
    }

    /// Keeps only what can be trusted.
    package mutating func restrict(to durable: RangeSet) {
        have = have.intersection(durable)
        samples.removeAll { !durable.contains(ByteRange($0, $0 + 1)) }
    }

    package mutating func add(_ segment: Segment) { segments[segment.id] = segment }

    package mutating func update(_ id: TransferID, _ change: (inout Segment) -> Void) {
        guard var segment = segments[id] else { return }
        change(&segment)
        segments[id] = segment
    }

    /// Takes out an ended transfer and keeps its bytes.
    package mutating func finish(_ id: TransferID, offset: Int64) -> Segment? {
        guard var segment = segments.removeValue(forKey: id) else { return nil }
        segment.offset = max(segment.offset, offset)
        if provesSeams {
            // What it has brought behind its end is its neighbour's to bring.
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

    /// An answer was shorter than its request: comparing must not take all of the next one.
    mutating func answeredShort(_ count: Int64) {
        longestLead = min(longestLead, max(Seam.leastLeadBytes, count / 4))
    }

    /// A piece that is too short to prove that another answer fits is fetched again.
    private mutating func dropShortPieces() {
        let short = arrived.ranges.filter { $0.count < Seam.tailBytes && $0.end != total }
        for range in short { have.remove(range) }
    }

    /// Has some bytes of an earlier run fetched again, with what lies around them.
    package mutating func takeSamples(_ random: inout SplitMix64) {
        dropShortPieces()
        let count = have.count
        guard count >= Seam.leastSampledBytes else { return }
        let part = count / Int64(Seam.samples)
        for index in 0..<Int64(Seam.samples) {
            // Away from the next part's, so that no piece between two is short.
            let rank = index * part + Int64.random(in: 0..<part - Seam.tailBytes, using: &random)
            guard let offset = offset(ofByte: rank), isAmongOthers(offset) else { continue }
            samples.append(offset)
        }
        for offset in samples { have.remove(ByteRange(offset, offset + 1)) }
    }

    /// Gives up comparing samples: a whole answer is compared with all that is there.
    package mutating func endSampling() {
        for offset in samples
        where !segments.values.contains(where: { $0.start <= offset && offset < $0.end }) {
            have.insert(ByteRange(offset, offset + 1))
        }
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

    package mutating func noteFirstByte(after duration: Duration) {
        latency = latency == .zero ? duration : (latency * 3 + duration) / 4
    }
}

// MARK: - Handing out

extension SegmentPlanner {
    /// What a free connection should fetch: what nobody fetches, else half, in time, of what has
    /// the longest time left, else the slowest segment's rest in a race.
    ///
    /// `promised`: what the connection should bring, in bytes a second; nil is as much as others.
    package func claim(promised: Double? = nil, at now: Moment = .zero) -> Claim? {
        guard provesSeams else {
            if let gap = unassigned.ranges.first { return Claim(range: gap) }
            return takeOver(at: now) ?? split(promised) ?? race(promised)
        }
        // No race: two answers that write the same bytes could be of two versions.
        let gap = nextProvableGap.map { Claim(range: $0) }
        return (gap ?? takeOver(at: now) ?? split(promised)).map(proving)
    }

    private func split(_ promised: Double?) -> Claim? {
        let candidates = segments.values.filter {
            $0.remaining >= 2 * Self.smallestSplit && $0.end != .max && $0.rival == nil
                && !$0.isClosing
        }
        guard let donor = longest(candidates), let timeLeft = timeLeft(donor),
            timeLeft > 2 * latency.seconds
        else { return nil }
        let speed = donor.speed ?? typicalSpeed
        let other = promised ?? meanSpeed(without: donor.id) ?? speed
        // The donor goes on while the new connection is made; from then on both go at their own
        // speed and should end together.
        let head = min(donor.remaining, Int64(speed * latency.seconds))
        let rest = Double(donor.remaining - head)
        let share = head + Int64(rest * speed / (speed + other))
        let kept = min(
            max(share, Self.smallestSplit),
            donor.remaining - Self.smallestSplit
        )
        let cut = (donor.offset + kept + 4095) & ~4095
        guard cut > donor.offset, cut < donor.end else { return nil }
        return Claim(range: ByteRange(cut, donor.end), donor: donor.id)
    }

    private func race(_ promised: Double?) -> Claim? {
        guard let total, total > 0 else { return nil }
        let candidates = segments.values.filter {
            $0.rival == nil && !$0.isClosing && $0.isHeadAccepted && !$0.isComplete
        }
        guard let slowest = longest(candidates), let timeLeft = timeLeft(slowest),
            let other = promised ?? meanSpeed(without: slowest.id), other > 0
        else { return nil }
        let anew = latency.seconds + Double(slowest.remaining) / other
        // The last one, of which no speed is known, may never end.
        let isStuck = segments.count == 1 && slowest.isSilent
        guard isStuck || timeLeft > 0.25 + 2 * anew else { return nil }
        return Claim(range: ByteRange(slowest.offset, slowest.end), rival: slowest.id)
    }

    private func longest(_ candidates: [Segment]) -> Segment? {
        candidates.max {
            // Ties go to the smaller offset, so that runs can be repeated.
            let (left, right) = (timeLeft($0) ?? 0, timeLeft($1) ?? 0)
            return left == right ? $0.start > $1.start : left < right
        }
    }

    private func timeLeft(_ segment: Segment) -> Double? {
        let speed = segment.speed ?? typicalSpeed
        return speed > 0 ? Double(segment.remaining) / speed : nil
    }

    /// What a connection is thought to bring before it has shown it.
    private var typicalSpeed: Double { meanSpeed(without: nil) ?? 1 }

    private func meanSpeed(without excluded: TransferID?) -> Double? {
        let speeds = segments.values.filter { $0.id != excluded }.compactMap(\.speed)
        return speeds.isEmpty ? usualSpeed : speeds.reduce(0, +) / Double(speeds.count)
    }
}

// MARK: - Watching

extension SegmentPlanner {
    /// A connection that crawls while the others run, and whose replacement would be worth it.
    ///
    /// `promised`: what another source would bring in its place, where there is one.
    package mutating func slowConnection(
        at now: Moment,
        promised: (Segment) -> Double? = { _ in nil }
    ) -> TransferID? {
        replacements.removeAll { now - $0 >= Self.replacementPeriod }
        guard replacements.count < Self.mostReplacements else { return nil }
        for segment in segments.values.sorted(by: { $0.id < $1.id }) {
            // Bytes that are compared and not kept are no slowness.
            let isComparing = segment.skippedBytes > 0 && segment.offset == segment.start
            guard !segment.isClosing, segment.rival == nil, !isComparing,
                now - max(segment.openedAt, segment.firstByteAt ?? segment.openedAt)
                    >= Self.slowAfter,
                let mean = replacementSpeed(of: segment, promised(segment))
            else { continue }
            let speed = max(segment.bytesPerSecond, 1)
            guard speed < mean * Self.slowFraction else { continue }
            let anew = latency.seconds + Double(segment.remaining) / mean
            guard Double(segment.remaining) / speed > 0.5 + 2 * anew else { continue }
            replacements.append(now)
            return segment.id
        }
        return nil
    }

    /// What would come in place of a connection.
    ///
    /// Another source's own speed does not count: a slow one beside it adds to the whole. What it
    /// promises to one connection more does.
    private func replacementSpeed(of segment: Segment, _ promised: Double?) -> Double? {
        guard let promised else { return meanSpeed(without: segment.id) }
        let peers = segments.values.filter { $0.id != segment.id && $0.source == segment.source }
            .compactMap(\.speed)
        guard !peers.isEmpty else { return promised }
        return max(promised, peers.reduce(0, +) / Double(peers.count))
    }
}

/// Bytes that wait for an answer that does not come, though other connections receive.
extension SegmentPlanner {
    /// A connection with less than this to go may continue into what follows.
    private static let nearEnd: Duration = .seconds(1)
    /// After this time without an answer, and twice what others took, the neighbour continues.
    private static let unansweredAfter: Duration = .milliseconds(200)
    /// With less to go than this, the neighbour continues if the answer is late at all: a response
    /// that stops before its end costs a connection, too.
    private static let veryNearEnd: Duration = .milliseconds(150)

    /// Whether a connection has had no answer for `limit`.
    private func isUnanswered(_ segment: Segment, _ limit: Duration, _ now: Moment) -> Bool {
        !segment.isHeadAccepted && !segment.isClosing && segment.rival == nil
            && segment.offset == segment.start && segment.start < segment.end
            && now - segment.openedAt >= limit
    }

    /// Connections that soon have all their bytes, and whose responses bring what follows as well.
    func endingSoon() -> [Segment] {
        segments.values.filter {
            $0.isHeadAccepted && !$0.isClosing && !$0.isComplete && $0.rival == nil
                && $0.responseEnd > $0.end && isNearEnd($0, Self.nearEnd)
        }.sorted { $0.id < $1.id }
    }

    private func isNearEnd(_ segment: Segment, _ time: Duration) -> Bool {
        segment.speed.map { Double(segment.remaining) <= $0 * time.seconds } ?? false
    }

    /// What nobody brings behind a segment: bytes that nobody fetches, or those of `unanswered`.
    func unservedBytes(
        behind segment: Segment,
        at now: Moment
    ) -> (end: Int64, unanswered: Segment?)? {
        if let gap = unassigned.ranges.first(where: { $0.start == segment.end }) {
            return (gap.end, nil)
        }
        let next = segments.values.first { $0.start == segment.end && $0.end > $0.start }
        let limit =
            isNearEnd(segment, Self.veryNearEnd)
            ? max(Self.veryNearEnd, latency) : max(Self.unansweredAfter, latency * 2)
        guard let next, isUnanswered(next, limit, now) else { return nil }
        return (next.end, next)
    }

    /// All the bytes of a connection that has no answer, for one that is free.
    func takeOver(at now: Moment) -> Claim? {
        guard segments.values.contains(where: { $0.isHeadAccepted && !$0.isClosing }) else {
            return nil
        }
        let limit = max(Self.slowAfter, latency * 2)
        let donor = segments.values.filter { isUnanswered($0, limit, now) }
            .min { $0.start < $1.start }
        return donor.map { Claim(range: ByteRange($0.start, $0.end), donor: $0.id) }
    }
}

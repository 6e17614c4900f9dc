/// Bytes that wait for an answer that does not come, though other connections receive.
extension SegmentPlanner {
    /// A connection with less than this to go may continue into what follows.
    private static let nearEnd: Duration = .seconds(1)
    /// After this time without an answer, and twice what others took, the neighbour continues.
    private static let unansweredAfter: Duration = .milliseconds(200)

    /// Whether a connection has had no answer for at least `limit`, and for far longer than others.
    private func isUnanswered(_ segment: Segment, _ limit: Duration, _ now: Moment) -> Bool {
        !segment.isHeadAccepted && !segment.isClosing && segment.rival == nil
            && segment.offset == segment.start && segment.start < segment.end
            && now - segment.openedAt >= max(limit, latency * 2)
    }

    /// Connections that soon have all their bytes, and whose responses bring what follows as well.
    func endingSoon() -> [Segment] {
        segments.values.filter {
            guard let speed = $0.speed, $0.isHeadAccepted, !$0.isClosing, !$0.isComplete else {
                return false
            }
            return $0.responseEnd > $0.end && $0.rival == nil
                && Double($0.remaining) <= speed * Self.nearEnd.seconds
        }.sorted { $0.id < $1.id }
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
        guard let next, isUnanswered(next, Self.unansweredAfter, now) else { return nil }
        return (next.end, next)
    }

    /// All the bytes of a connection that has no answer, for one that is free.
    func takeOver(at now: Moment) -> Claim? {
        guard segments.values.contains(where: { $0.isHeadAccepted && !$0.isClosing }) else {
            return nil
        }
        let donor = segments.values.filter { isUnanswered($0, Self.slowAfter, now) }
            .min { $0.start < $1.start }
        return donor.map { Claim(range: ByteRange($0.start, $0.end), donor: $0.id) }
    }
}

internal import Synchronization

/// A token bucket for all transfers together, as one number that they advance without a lock: the
/// time at which all bytes so far would have come at exactly the limit (GCRA, ITU-T I.371).
package final class RateLimitClock: Sendable {
    /// How far bytes may run ahead of the limit before a transfer is paused.
    package static let burst: Duration = .milliseconds(100)

    /// Bytes a second; 0 is no limit.
    private let limit: Atomic<Int64>
    /// Nanoseconds of `Moment`.
    private let arrival = Atomic<Int64>(.min)

    /// Nil, zero and below are no limit.
    package init(limitBytesPerSecond: Int64? = nil) {
        limit = Atomic(max(0, limitBytesPerSecond ?? 0))
    }

    package var limitBytesPerSecond: Int64? {
        let limit = limit.load(ordering: .sequentiallyConsistent)
        return limit > 0 ? limit : nil
    }

    package var isLimited: Bool { limit.load(ordering: .relaxed) > 0 }

    /// Counts bytes that came, and returns for how long their transfer must take no more.
    package func charge(bytes: Int, now: Moment) -> Duration {
        guard isLimited, bytes > 0 else { return .zero }
        let arrival = advance { arrival in
            // Looked at with each try: who changes it then has the exchange fail.
            let limit = limit.load(ordering: .sequentiallyConsistent)
            let cost = limit > 0 ? Self.nanoseconds(Double(bytes) * 1e9 / Double(limit)) : 0
            return max(arrival, now.nanoseconds).addingSaturated(cost)
        }
        let ahead = Moment(nanoseconds: arrival) - now
        return max(.zero, ahead - Self.burst)
    }

    /// Changes the limit.
    ///
    /// What is owed is owed at the new rate from now on, so that a limit that is raised is felt by
    /// the next byte.
    package func setLimit(bytesPerSecond: Int64?, now: Moment) {
        let new = max(0, bytesPerSecond ?? 0)
        rescale(from: limit.exchange(new, ordering: .sequentiallyConsistent), to: new, now)
    }

    /// The same where the limit still is `old`.
    package func changeLimit(from old: Int64?, to new: Int64?, now: Moment) {
        let (old, new) = (max(0, old ?? 0), max(0, new ?? 0))
        let (exchanged, _) = limit.compareExchange(
            expected: old,
            desired: new,
            ordering: .sequentiallyConsistent
        )
        if exchanged { rescale(from: old, to: new, now) }
    }

    private func rescale(from old: Int64, to new: Int64, _ now: Moment) {
        guard old != new else { return }
        let ratio = new > 0 ? Double(old) / Double(new) : 0
        _ = advance { arrival in
            // Another number also where nothing is owed: who counts bytes at this moment looks again.
            guard arrival > now.nanoseconds else {
                return arrival > .min ? arrival - 1 : now.nanoseconds
            }
            let owed = arrival.subtractingReportingOverflow(now.nanoseconds).partialValue
            return now.nanoseconds.addingSaturated(Self.nanoseconds(Double(owed) * ratio))
        }
    }

    private func advance(_ change: (Int64) -> Int64) -> Int64 {
        var seen = arrival.load(ordering: .sequentiallyConsistent)
        while true {
            let wanted = change(seen)
            let (exchanged, original) = arrival.compareExchange(
                expected: seen,
                desired: wanted,
                ordering: .sequentiallyConsistent
            )
            if exchanged { return wanted }
            seen = original
        }
    }

    private static func nanoseconds(_ value: Double) -> Int64 {
        Int64(exactly: value.rounded()) ?? .max
    }
}

extension Int64 {
    fileprivate func addingSaturated(_ positive: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(positive)
        return overflow ? .max : sum
    }
}

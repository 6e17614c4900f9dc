internal import Synchronization

/// A token bucket for all transfers together, as one number that they advance: the time at which all
/// bytes so far would have come at exactly the limit (GCRA, ITU-T I.371).
package final class RateLimitClock: Sendable {
    /// How far bytes may run ahead of the limit before a transfer is paused.
    package static let burst: Duration = .milliseconds(100)

    private struct State {
        /// Bytes a second; 0 is no limit.
        var limit: Int64
        /// Nanoseconds of `Moment`.
        var arrival = Int64.min
        var changes = 0
    }

    private let state: Mutex<State>
    /// Looked at for each piece: where there is no limit nobody waits for the lock.
    private let hasLimit: Atomic<Bool>

    /// Nil, zero and below are no limit.
    package init(limitBytesPerSecond: Int64? = nil) {
        let limit = max(0, limitBytesPerSecond ?? 0)
        state = Mutex(State(limit: limit))
        hasLimit = Atomic(limit > 0)
    }

    package var limitBytesPerSecond: Int64? {
        let limit = state.withLock { $0.limit }
        return limit > 0 ? limit : nil
    }

    package var isLimited: Bool { hasLimit.load(ordering: .relaxed) }

    /// How often the limit has changed: a pause that was reckoned before is not to be kept after.
    package var changes: Int { state.withLock { $0.changes } }

    /// Counts bytes that came, and returns for how long their transfer must take no more.
    package func charge(bytes: Int, now: Moment) -> Duration {
        guard isLimited, bytes > 0 else { return .zero }
        let arrival: Int64? = state.withLock { state in
            guard state.limit > 0 else { return nil }
            let cost = Self.nanoseconds(Double(bytes) * 1e9 / Double(state.limit))
            state.arrival = max(state.arrival, now.nanoseconds).addingSaturated(cost)
            return state.arrival
        }
        guard let arrival else { return .zero }
        let ahead = Moment(nanoseconds: arrival) - now
        return max(.zero, ahead - Self.burst)
    }

    /// Changes the limit.
    ///
    /// What is owed is owed at the new rate from now on, so that a limit that is raised is felt by
    /// the next byte.
    package func setLimit(bytesPerSecond: Int64?, now: Moment) {
        state.withLock { change(&$0, to: bytesPerSecond, now) }
    }

    /// The same where the limit still is `old`.
    package func changeLimit(from old: Int64?, to new: Int64?, now: Moment) {
        state.withLock { state in
            if state.limit == max(0, old ?? 0) { change(&state, to: new, now) }
        }
    }

    private func change(_ state: inout State, to bytesPerSecond: Int64?, _ now: Moment) {
        let (old, new) = (state.limit, max(0, bytesPerSecond ?? 0))
        guard old != new else { return }
        state.limit = new
        state.changes += 1
        hasLimit.store(new > 0, ordering: .relaxed)
        guard state.arrival > now.nanoseconds else { return }
        let ratio = new > 0 ? Double(old) / Double(new) : 0
        let owed = state.arrival.subtractingReportingOverflow(now.nanoseconds).partialValue
        state.arrival = now.nanoseconds.addingSaturated(Self.nanoseconds(Double(owed) * ratio))
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

internal import Synchronization

/// A token bucket for all transfers together, stored as one number that they advance: the time at
/// which all bytes so far would have arrived at exactly the limit (GCRA, ITU-T I.371).
package final class RateLimitClock: Sendable {
    /// The time by which bytes may run ahead of the limit before a transfer is paused.
    package static let burst: Duration = .milliseconds(100)

    private struct State {
        /// The limit in bytes per second; 0 means no limit.
        var limit: Int64
        /// The time in nanoseconds of `Moment`.
        var arrival = Int64.min
        var changes = 0
    }

    private let state: Mutex<State>
    /// Whether there is a limit.
    ///
    /// It is checked for each piece, so that without a limit no transfer waits for the lock.
    private let hasLimit: Atomic<Bool>

    /// Creates a clock.
    ///
    /// `nil`, zero and negative values mean no limit.
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

    /// The number of changes of the limit.
    ///
    /// A pause computed before a change does not apply after it.
    package var changes: Int { state.withLock { $0.changes } }

    /// Counts received bytes.
    ///
    /// Returns for how long their transfer must not read.
    package func charge(bytes: Int, now: Moment) -> Duration {
        guard isLimited, bytes > 0 else { return .zero }
        let arrival: Int64? = state.withLock { state in
            guard state.limit > 0 else { return nil }
            let cost = Self.nanoseconds(Double(bytes) * 1e9 / Double(state.limit))
            state.arrival = max(state.arrival, now.nanoseconds).addingSaturated(cost)
            return state.arrival
        }
        return arrival.map { Self.wait(until: $0, now) } ?? .zero
    }

    /// Returns for how long a further transfer must not begin, because of the bytes counted so far.
    ///
    /// A small file is received before its transfer could wait.
    package func wait(at now: Moment) -> Duration {
        guard isLimited else { return .zero }
        return Self.wait(until: state.withLock { $0.arrival }, now)
    }

    private static func wait(until arrival: Int64, _ now: Moment) -> Duration {
        guard arrival > now.nanoseconds else { return .zero }
        return max(.zero, Moment(nanoseconds: arrival) - now - burst)
    }

    /// Changes the limit.
    ///
    /// The debt counts at the new rate from now on, so that a higher limit takes effect with the
    /// next byte.
    package func setLimit(bytesPerSecond: Int64?, now: Moment) {
        state.withLock { change(&$0, to: bytesPerSecond, now) }
    }

    /// Changes the limit if it still is `old`.
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

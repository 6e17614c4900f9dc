internal import Synchronization

/// The rate limits that a download shares with the other downloads of its groups, such as its session
/// and its label.
///
/// The groups may change while the download runs.
package final class GroupLimits: Sendable {
    private struct State {
        var clocks: [RateLimitClock] = []
        /// Added to the changes of the clocks, so that the sum also rises when the clocks are
        /// replaced.
        var earlierChanges = 0

        var changes: Int { clocks.map(\.changes).reduce(earlierChanges, +) }
    }

    private let state = Mutex(State())
    /// Whether there is a group.
    ///
    /// It is checked for each piece, so that without a group no transfer waits for the lock.
    private let hasClocks = Atomic(false)

    package init() {}

    /// The limits of the groups.
    package var clocks: [RateLimitClock] {
        get { hasClocks.load(ordering: .relaxed) ? state.withLock { $0.clocks } : [] }
        set {
            state.withLock { state in
                let changes = state.changes
                state.clocks = newValue
                state.earlierChanges += changes + 1 - state.changes
                hasClocks.store(!newValue.isEmpty, ordering: .relaxed)
            }
        }
    }

    /// The number of changes of the groups and of their limits.
    package var changes: Int { state.withLock { $0.changes } }

    package var isLimited: Bool { clocks.contains { $0.isLimited } }

    /// The lowest of the limits; `nil` if there is none.
    package var bytesPerSecond: Int64? { clocks.compactMap(\.limitBytesPerSecond).min() }

    /// Counts received bytes.
    ///
    /// Returns for how long their transfer must not read.
    package func charge(bytes: Int, now: Moment) -> Duration {
        clocks.map { $0.charge(bytes: bytes, now: now) }.max() ?? .zero
    }

    /// Returns for how long a further transfer must not begin.
    package func wait(at now: Moment) -> Duration {
        clocks.map { $0.wait(at: now) }.max() ?? .zero
    }
}

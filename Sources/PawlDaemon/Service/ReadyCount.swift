internal import Synchronization

/// Calls when several things are ready.
final class ReadyCount: Sendable {
    private let left: Mutex<Int>
    private let whenAll: @Sendable () -> Void

    init(_ count: Int, _ whenAll: @Sendable @escaping () -> Void) {
        left = Mutex(count)
        self.whenAll = whenAll
    }

    /// One more is.
    @Sendable func one() {
        let isLast = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isLast { whenAll() }
    }
}

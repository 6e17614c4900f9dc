internal import PawlCore

/// The times at which paused transfers resume.
final class PauseTimers {
    private static let longestWait: Int64 = 3_600_000
    /// The latest comes first, so that due ones are taken from the end.
    private var pending: [(deadline: Moment, context: TransferContext)] = []

    func add(_ context: TransferContext, until deadline: Moment) {
        let index = pending.firstIndex { $0.deadline <= deadline } ?? pending.endIndex
        pending.insert((deadline, context), at: index)
    }

    func remove(_ context: TransferContext) {
        pending.removeAll { $0.context === context }
    }

    func takeDue(at now: @autoclosure () -> Moment) -> [TransferContext] {
        guard !pending.isEmpty else { return [] }
        let now = now()
        var due: [TransferContext] = []
        while let next = pending.last, next.deadline <= now {
            due.append(next.context)
            pending.removeLast()
        }
        return due
    }

    /// The time until the next one is due, rounded up: waking early would only mean waiting again.
    func milliseconds(from now: @autoclosure () -> Moment) -> Int32 {
        guard let next = pending.last else { return Int32(Self.longestWait) }
        let left = max(0, (next.deadline - now()).nanoseconds)
        return Int32(min(Self.longestWait, left / 1_000_000 + (left % 1_000_000 > 0 ? 1 : 0)))
    }
}

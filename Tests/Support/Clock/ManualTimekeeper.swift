package import PawlCore

/// A clock that stands still until a test advances it.
package final class ManualTimekeeper: Timekeeper {
    private struct Sleeper: Sendable {
        var deadline: Moment
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var now: Moment
        var sleepers: [UInt64: Sleeper] = [:]
        var lastSleeper: UInt64 = 0
    }

    private let state: Observed<State>

    package init(now: Moment = .zero) { state = Observed(State(now: now)) }

    package func now() -> Moment { state.value.now }

    /// The number of tasks that are asleep.
    package var sleeperCount: Int { state.value.sleepers.count }

    /// The deadline of the first sleeper; `nil` if no task is asleep.
    package var nextDeadline: Moment? { state.value.sleepers.values.map(\.deadline).min() }

    package func sleep(until moment: Moment) async throws {
        let id = state.update { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let sleeper = Sleeper(deadline: moment, continuation: continuation)
                enter(sleeper, id: id)
            }
        } onCancel: {
            let sleeper = state.update { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances the time and wakes the sleepers whose deadline has passed, the earliest first.
    package func advance(by duration: Duration) { advance(to: now() + duration) }

    /// Advances the time to the given moment, but never moves it back.
    package func advance(to moment: Moment) {
        let woken = state.update { state in
            state.now = max(state.now, moment)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for (_, sleeper) in woken { sleeper.continuation.resume() }
    }

    /// Advances the time to the first sleeper's deadline and returns it, or `nil` if no task is
    /// asleep.
    @discardableResult
    package func advanceToNextDeadline() -> Moment? {
        guard let nextDeadline else { return nil }
        advance(to: nextDeadline)
        return nextDeadline
    }

    /// Waits until at least `count` tasks are asleep.
    package func waitForSleepers(_ count: Int) async {
        await state.wait { $0.sleepers.count >= count }
    }

    /// Waits until a task sleeps until exactly the given moment.
    package func waitForSleeper(until moment: Moment) async {
        await state.wait { $0.sleepers.values.contains { $0.deadline == moment } }
    }

    private func enter(_ sleeper: Sleeper, id: UInt64) {
        enum Entry { case asleep, due, cancelled }
        let entry: Entry = state.update { state in
            // The flag is set before the cancellation handler runs: either this check sees the
            // flag, or the handler finds the sleeper.
            if Task.isCancelled { return .cancelled }
            if sleeper.deadline <= state.now { return .due }
            state.sleepers[id] = sleeper
            return .asleep
        }
        switch entry {
        case .asleep: break
        case .due: sleeper.continuation.resume()
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }
}

internal import PawlCore
internal import Synchronization

/// Limits how many jobs of hooks run at the same time; the others wait in order.
package final class HookSlots: Sendable {
    private struct State {
        var freeCount: Int
        var waiting: [Completion<Void>] = []
    }

    private let state: Mutex<State>

    /// `count`: the maximum number of jobs at the same time.
    package init(count: Int) { state = Mutex(State(freeCount: count)) }

    /// Runs a job when it is its turn; returns `nil` if the task is cancelled before.
    package func run<Value: Sendable>(_ job: () async -> Value) async -> Value? {
        guard await enter() else { return nil }
        let value = await job()
        leave()
        return value
    }

    /// Returns whether a slot was taken.
    private func enter() async -> Bool {
        let turn = Completion<Void>()
        let isFree = state.withLock { state in
            if state.freeCount > 0 {
                state.freeCount -= 1
                return true
            }
            state.waiting.append(turn)
            return false
        }
        if !isFree { await turn.wait() }
        let isTaken = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0 === turn }) else { return true }
            state.waiting.remove(at: index)
            return false
        }
        guard isTaken, Task.isCancelled else { return isTaken }
        leave()
        return false
    }

    /// Passes the slot on to the job that has waited longest.
    private func leave() {
        let next = state.withLock { (state) -> Completion<Void>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.freeCount += 1
            return nil
        }
        next?.complete(with: ())
    }
}

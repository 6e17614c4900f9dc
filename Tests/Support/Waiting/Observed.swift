import Synchronization

/// A value behind a lock whose changes a test can wait for without a sleep.
package final class Observed<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        var isMet: @Sendable (Value) -> Bool
        var continuation: CheckedContinuation<Value, Never>
    }

    private struct State: Sendable {
        var value: Value
        var waiters: [UInt64: Waiter] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    package var value: Value { state.withLock { $0.value } }

    /// Changes the value and resumes the waiters whose condition it now meets.
    @discardableResult
    package func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        let (result, value, met) = state.withLock { state in
            let result = change(&state.value)
            guard !state.waiters.isEmpty else { return (result, Value?.none, [Waiter]()) }
            let met = state.waiters.filter { $0.value.isMet(state.value) }
            for id in met.keys { state.waiters[id] = nil }
            return (result, state.value, Array(met.values))
        }
        if let value {
            for waiter in met { waiter.continuation.resume(returning: value) }
        }
        return result
    }

    /// Returns the first value that meets the condition, at once if the current value does.
    ///
    /// When the task is cancelled by a suite's time limit, returns the current value. The condition
    /// runs under the lock and must use only its argument.
    @discardableResult
    package func wait(until isMet: @escaping @Sendable (Value) -> Bool) async -> Value {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: Value? = state.withLock { state in
                    // The flag is set before the handler below runs: either this check sees the
                    // flag, or the handler finds the waiter.
                    if Task.isCancelled || isMet(state.value) { return state.value }
                    state.waiters[id] = Waiter(isMet: isMet, continuation: continuation)
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let (waiter, value) = state.withLock { state in
                (state.waiters.removeValue(forKey: id), state.value)
            }
            waiter?.continuation.resume(returning: value)
        }
    }
}

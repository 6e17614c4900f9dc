internal import Synchronization

/// A value that is set once, and the tasks that wait for it.
package final class Completion<Value: Sendable>: Sendable {
    private let state = Mutex(CompletionState())
    /// It is set under the lock and before `isComplete`, and read only after that.
    nonisolated(unsafe) private var stored: Value?

    package init() {}

    /// The value, or `nil` if it is not set yet.
    package var value: Value? { isComplete ? stored : nil }

    package var isComplete: Bool { state.withLock { $0.isComplete } }

    /// Sets the value and wakes all tasks that wait for it.
    ///
    /// A second value is ignored.
    package func complete(with value: Value) {
        let waiters = state.withLock { state in
            guard !state.isComplete else { return [Wakeup]() }
            stored = value
            state.isComplete = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.send() }
    }

    /// Waits until the value is set or the task is cancelled.
    ///
    /// Returns the value if it is set.
    @discardableResult
    package func wait() async -> Value? { await wait(or: Wakeup()) }

    /// Waits until the value is set, a wake-up arrives or the task is cancelled.
    ///
    /// Returns the value if it is set.
    @discardableResult
    package func wait(or wakeup: Wakeup) async -> Value? {
        guard enroll(wakeup) else { return value }
        await wakeup.wait()
        resign(wakeup)
        return value
    }

    /// Waits until the value is set, even if the task is cancelled.
    package func waitIgnoringCancellation() async -> Value {
        let wakeup = Wakeup()
        while true {
            if let value { return value }
            if enroll(wakeup) { await wakeup.waitIgnoringCancellation() }
        }
    }

    /// Waits until the value is set or a wake-up arrives, even if the task is cancelled.
    ///
    /// Returns the value if it is set.
    package func waitIgnoringCancellation(or wakeup: Wakeup) async -> Value? {
        guard enroll(wakeup) else { return value }
        await wakeup.waitIgnoringCancellation()
        resign(wakeup)
        return value
    }

    /// Registers a waiting task.
    ///
    /// Returns `false` if the value is set already.
    private func enroll(_ wakeup: Wakeup) -> Bool {
        state.withLock { state in
            guard !state.isComplete else { return false }
            state.waiters.append(wakeup)
            return true
        }
    }

    private func resign(_ wakeup: Wakeup) {
        state.withLock { state in state.waiters.removeAll { $0 === wakeup } }
    }
}

/// What does not depend on the type of the value.
///
/// Other modules use `Completion` unspecialized: a lock of a generic type would cost each use a
/// look-up of its metadata.
private struct CompletionState {
    var isComplete = false
    var waiters: [Wakeup] = []
}

extension Completion<Void> {
    package func complete() { complete(with: ()) }
}

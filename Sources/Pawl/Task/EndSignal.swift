internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// Something that ends once, and those who wait for it.
final class EndSignal: Sendable {
    private struct State {
        var isSet = false
        var waiters: [UInt64: @Sendable () -> Void] = [:]
        var nextToken: UInt64 = 1
    }

    private let state = Mutex(State())

    var isSet: Bool { state.withLock { $0.isSet } }

    func set() {
        let waiters = state.withLock { state in
            state.isSet = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for wake in waiters { wake() }
    }

    /// Calls `wake` at the end; nil where that has come, and nothing is called.
    func add(_ wake: @escaping @Sendable () -> Void) -> UInt64? {
        state.withLock { state in
            guard !state.isSet else { return nil }
            defer { state.nextToken += 1 }
            state.waiters[state.nextToken] = wake
            return state.nextToken
        }
    }

    func remove(_ token: UInt64) { state.withLock { $0.waiters[token] = nil } }

    /// Waits for the end; returns early where the task is cancelled.
    func wait() async {
        let bell = Mailbox<Never>()
        guard let token = add({ bell.nudge() }) else { return }
        defer { remove(token) }
        await withTaskCancellationHandler {
            await bell.wait()
        } onCancel: {
            bell.nudge()
        }
    }

    /// Waits for the end, also where the task is cancelled.
    func waitInAnyCase() async {
        let bell = Mailbox<Never>()
        guard add({ bell.nudge() }) != nil else { return }
        await bell.wait()
    }

    /// Waits for the end, a moment, or the task's cancelling.
    func wait(until moment: Moment, _ alarms: AlarmClock) async {
        let bell = Mailbox<Never>()
        guard let token = add({ bell.nudge() }) else { return }
        let alarm = alarms.enroll { bell.nudge() }
        defer {
            alarms.resign(alarm)
            remove(token)
        }
        alarms.set(alarm, at: moment)
        await withTaskCancellationHandler {
            await bell.wait()
        } onCancel: {
            bell.nudge()
        }
    }
}

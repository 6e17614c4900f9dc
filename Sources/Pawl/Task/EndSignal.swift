internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// Something that ends once, and those who wait for it.
final class EndSignal: Sendable {
    private struct State {
        var isSet = false
        var waiters: [UInt64: Mailbox<Never>] = [:]
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
        for bell in waiters { bell.nudge() }
    }

    /// Waits for the end, also where the task is cancelled.
    func waitInAnyCase() async { await waitForEnd(or: Mailbox()) }

    /// Waits for the end; returns early where the task is cancelled.
    func wait() async { await wait(or: Mailbox()) }

    /// Waits for the end, a moment, or the task's cancelling.
    func wait(until moment: Moment, _ alarms: AlarmClock) async {
        let bell = Mailbox<Never>()
        let alarm = alarms.enroll { bell.nudge() }
        defer { alarms.resign(alarm) }
        alarms.set(alarm, at: moment)
        await wait(or: bell)
    }

    private func wait(or bell: Mailbox<Never>) async {
        await withTaskCancellationHandler {
            await waitForEnd(or: bell)
        } onCancel: {
            bell.nudge()
        }
    }

    private func waitForEnd(or bell: Mailbox<Never>) async {
        let token: UInt64? = state.withLock { state in
            guard !state.isSet else { return nil }
            defer { state.nextToken += 1 }
            state.waiters[state.nextToken] = bell
            return state.nextToken
        }
        guard let token else { return }
        await bell.wait()
        state.withLock { $0.waiters[token] = nil }
    }
}

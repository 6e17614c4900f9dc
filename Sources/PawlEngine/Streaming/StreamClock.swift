internal import PawlCore
internal import Synchronization

/// The time of one request, and the waits of its driver.
final class StreamClock: Sendable {
    private struct State {
        var began: Moment?
        var deadline = Moment.distantFuture
        /// The time that the request took until its end.
        var spent = Duration.zero
        var isCancelled = false
    }

    static let stopped = DownloadError(.interrupted, "stopped before the end of the response")

    /// Wakes the driver.
    let wakeup = Wakeup()
    private let engine: Engine
    private let alarm: AlarmClock.Ticket
    private let state = Mutex(State())

    init(_ engine: Engine) {
        self.engine = engine
        let wakeup = wakeup
        alarm = engine.alarms.enroll { wakeup.send() }
    }

    deinit { engine.alarms.resign(alarm) }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    var duration: Duration {
        let now = engine.time.now()
        return state.withLock { state in state.spent + (state.began.map { now - $0 } ?? .zero) }
    }

    /// Starts the clock, unless it runs; the request may take at most `limit`.
    func begin(limit: Duration?) {
        let now = engine.time.now()
        state.withLock { state in
            guard state.began == nil else { return }
            state.began = now
            state.deadline = limit.map { now + $0 } ?? .distantFuture
        }
    }

    /// Stops the clock.
    func end() {
        let now = engine.time.now()
        state.withLock { state in
            if let began = state.began.take() { state.spent += now - began }
        }
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        wakeup.send()
    }

    /// Throws if the request was cancelled or took too long.
    func check() throws(DownloadError) {
        let (isCancelled, deadline) = state.withLock { ($0.isCancelled, $0.deadline) }
        if isCancelled { throw Self.stopped }
        guard engine.time.now() >= deadline else { return }
        throw DownloadError(
            .timedOut,
            "the request exceeded its time limit",
            advice: "raise the time limit"
        )
    }

    /// Waits until something happens, at most until the given moment.
    func wait(until moment: Moment = .distantFuture) async {
        engine.alarms.set(alarm, at: min(moment, state.withLock { $0.deadline }))
        await wakeup.waitIgnoringCancellation()
    }
}

internal import CPostgres
internal import Glibc
internal import PawlCore
internal import Synchronization

/// A value or an error that is set once, and waited for by threads and tasks.
final class PostgresPromise<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, PostgresError>

    private enum Waiter: Sendable {
        case thread(ThreadSignal)
        case task(Int, CheckedContinuation<Outcome, Never>)
    }

    private struct State: Sendable {
        var outcome: Outcome?
        var waiters: [Waiter] = []
        var lastTask = 0
    }

    private let state = Mutex(State())

    /// The outcome; `nil` before it is set.
    var outcome: Outcome? { state.withLock { $0.outcome } }

    /// Sets the outcome; returns `false` if it is set already.
    @discardableResult
    func complete(_ outcome: Outcome) -> Bool {
        let waiters: [Waiter]? = state.withLock { state in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.waiters = [] }
            return state.waiters
        }
        guard let waiters else { return false }
        for waiter in waiters {
            switch waiter {
            case .thread(let signal): signal.send()
            case .task(_, let continuation): continuation.resume(returning: outcome)
            }
        }
        return true
    }

    /// Blocks the thread until the outcome is set.
    func wait() -> Outcome {
        while true {
            if let outcome = wait(for: .seconds(3600)) { return outcome }
        }
    }

    /// Blocks the thread until the outcome is set; `nil` if that takes longer than `time`.
    func wait(for time: Duration) -> Outcome? {
        let signal = ThreadSignal()
        let outcome: Outcome? = state.withLock { state in
            if state.outcome == nil { state.waiters.append(.thread(signal)) }
            return state.outcome
        }
        if let outcome { return outcome }
        signal.wait(for: time)
        return self.outcome
    }

    /// Waits until the outcome is set or the task is cancelled.
    func value() async -> Outcome {
        let task = state.withLock { state in
            state.lastTask += 1
            return state.lastTask
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Outcome? = state.withLock { state in
                    if let outcome = state.outcome { return outcome }
                    // The flag is set before the handler below runs: either this check sees it, or
                    // the handler finds the waiter.
                    if Task.isCancelled { return .failure(Self.cancelled) }
                    state.waiters.append(.task(task, continuation))
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let waiting: CheckedContinuation<Outcome, Never>? = state.withLock { state in
                for (index, waiter) in state.waiters.enumerated() {
                    guard case .task(task, let continuation) = waiter else { continue }
                    state.waiters.remove(at: index)
                    return continuation
                }
                return nil
            }
            waiting?.resume(returning: .failure(Self.cancelled))
        }
    }

    private static var cancelled: PostgresError {
        PostgresError(.closed, "the task was cancelled while it waited for the database")
    }
}

/// A semaphore on which one thread waits.
///
/// `@unchecked Sendable`: the semaphore has a fixed address and is made for several threads.
final class ThreadSignal: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func send() { sem_post(semaphore) }

    /// Waits for the signal, at most the given time.
    func wait(for time: Duration) {
        pawl_pg_wait(semaphore, max(0, time.nanoseconds))
    }
}

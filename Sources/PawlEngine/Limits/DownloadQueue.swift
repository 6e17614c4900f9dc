package import PawlCore
internal import Synchronization

/// Lets so many downloads run at a time, the others wait in order.
package final class DownloadQueue: Sendable {
    private struct State {
        var free: Int
        var waiting: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
        var nextID: UInt64 = 0
    }

    private let state: Mutex<State>

    private let limit: Int

    package init(limit: Int) {
        self.limit = max(1, limit)
        state = Mutex(State(free: self.limit))
    }

    /// Runs `work` when it is its turn.
    ///
    /// Cancelled while waiting, throws `.interrupted`.
    package func run<Result: Sendable>(
        _ work: (DownloadTurn) async throws(DownloadError) -> Result
    ) async throws(DownloadError) -> Result {
        guard await enter() else {
            throw DownloadError(.interrupted, "stopped before it began")
        }
        let turn = DownloadTurn(mayEndEarly: limit > 1) { self.leave() }
        defer { turn.end() }
        return try await work(turn)
    }

    private func enter() async -> Bool {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    // Cancelled before it waits: the handler below found nobody to wake.
                    if Task.isCancelled { return false }
                    guard state.free == 0 else {
                        state.free -= 1
                        return true
                    }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let cancelled = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return state.waiting.remove(at: index).continuation
            }
            cancelled?.resume(returning: false)
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}

/// A download's place among those that run.
///
/// It may be given up before the download has ended, when that needs the network no more.
package final class DownloadTurn: Sendable {
    private let hasEnded = Atomic<Bool>(false)
    private let mayEndEarly: Bool
    private let whenEnded: @Sendable () -> Void

    package init(mayEndEarly: Bool = true, whenEnded: @escaping @Sendable () -> Void) {
        self.mayEndEarly = mayEndEarly
        self.whenEnded = whenEnded
    }

    /// Before the file has its name; false where one is to follow the other.
    package func endEarly() -> Bool {
        if mayEndEarly { end() }
        return mayEndEarly
    }

    package func end() {
        if !hasEnded.exchange(true, ordering: .relaxed) { whenEnded() }
    }
}

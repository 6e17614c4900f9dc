internal import PawlCore
internal import Synchronization

/// A point at which a response waits until the test releases it.
///
/// It simulates a slow server without waiting for time to pass. Several responses can have the same
/// hold.
public final class ResponseHold: Sendable {
    private struct State {
        var isReleased = false
        /// The closures that wake the responses that wait here.
        var waiters: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let reached = Completion<Void>()

    /// Creates a hold that is not released.
    public init() {}

    /// Lets all responses that wait here continue; later ones do not wait.
    public func release() {
        let waiters = state.withLock { state in
            state.isReleased = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for wake in waiters { wake() }
    }

    /// Waits until a response has reached this point, or the task is cancelled.
    ///
    /// All earlier bytes of the response were then passed to the session.
    public func waitUntilReached() async { await reached.wait() }

    var isReleased: Bool { state.withLock { $0.isReleased } }

    /// Notes the arrival of a response, which `wake` wakes after the release.
    func arrive(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { if !$0.isReleased { $0.waiters.append(wake) } }
        reached.complete()
    }
}

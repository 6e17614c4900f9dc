internal import Synchronization

/// Ends a stream of events from outside.
final class StreamEnd: Sendable {
    enum Reason: Sendable {
        /// Nobody reads it any more.
        case closed
        /// Another process has taken the session over.
        case takenOver
    }

    /// What the stream waits at.
    let bell = Bell()
    private let state = Mutex<Reason?>(nil)

    /// Nil while it is to go on.
    var reason: Reason? { state.withLock { $0 } }

    func end(_ reason: Reason) {
        state.withLock { $0 = $0 ?? reason }
        bell.ring()
    }
}

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
    /// Whether the reader may hear more: its token may be worth nothing any more.
    let mayGoOn: @Sendable () -> Bool

    init(mayGoOn: @Sendable @escaping () -> Bool = { true }) { self.mayGoOn = mayGoOn }

    /// Nil while it is to go on.
    var reason: Reason? { state.withLock { $0 } }

    func end(_ reason: Reason) {
        state.withLock { $0 = $0 ?? reason }
        bell.ring()
    }
}

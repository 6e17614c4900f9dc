internal import PawlCore
internal import Synchronization

/// Ends a stream of events from outside.
final class StreamEnd: Sendable {
    enum Reason: Sendable {
        /// The reader has closed the connection.
        case closed
        /// Another process has attached to the session.
        case takenOver
    }

    /// Wakes the stream.
    let wakeup = Wakeup()
    private let state = Mutex<Reason?>(nil)
    /// Whether the stream may continue: the token of the reader may have been revoked.
    let mayContinue: @Sendable () -> Bool

    init(mayContinue: @Sendable @escaping () -> Bool = { true }) { self.mayContinue = mayContinue }

    /// `nil` while the stream continues.
    var reason: Reason? { state.withLock { $0 } }

    func end(_ reason: Reason) {
        state.withLock { $0 = $0 ?? reason }
        wakeup.send()
    }
}

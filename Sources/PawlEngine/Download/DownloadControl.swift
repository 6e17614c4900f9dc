internal import Synchronization

/// Suspends, resumes and stops a running download, from any thread.
///
/// Requests made before the download begins take effect when it begins.
package final class DownloadControl: Sendable {
    private struct State {
        var wish = Wish.none
        var obey: (@Sendable (Command) -> Void)?
    }

    enum Command: Sendable {
        case resumed
        /// End the pauses that a limit has caused, because the limit may be higher now.
        case limitChanged
        case stop

        /// The message that it is to the driver.
        var message: DriverMessage {
            switch self {
            case .resumed: .released
            case .limitChanged: .limitChanged
            case .stop: .cancelled
            }
        }
    }

    private enum Wish {
        case none, stop, discard
    }

    private let state = Mutex(State())
    private let suspended = Atomic<Bool>(false)

    package init() {}

    /// Whether the download is suspended.
    ///
    /// It is checked with each chunk of bytes.
    var isSuspended: Bool { suspended.load(ordering: .sequentiallyConsistent) }

    /// Whether the received bytes are to be deleted at the end.
    var discards: Bool { state.withLock { $0.wish == .discard } }

    /// Stops receiving bytes.
    ///
    /// The connections stay open.
    package func suspend() { suspended.store(true, ordering: .sequentiallyConsistent) }

    package func resume() {
        suspended.store(false, ordering: .sequentiallyConsistent)
        state.withLock { $0.obey }?(.resumed)
    }

    /// Reports that the download's own limit or the limit for all downloads has changed.
    package func limitChanged() { state.withLock { $0.obey }?(.limitChanged) }

    /// Ends the download with `.interrupted`.
    package func stop(keeping: Bool = true) {
        let obey = state.withLock { state in
            if state.wish != .discard { state.wish = keeping ? .stop : .discard }
            return state.obey
        }
        obey?(.stop)
    }

    func attach(_ obey: @escaping @Sendable (Command) -> Void) {
        let isStopped = state.withLock { state in
            state.obey = obey
            return state.wish != .none
        }
        if isStopped { obey(.stop) }
    }

    func detach() { state.withLock { $0.obey = nil } }
}

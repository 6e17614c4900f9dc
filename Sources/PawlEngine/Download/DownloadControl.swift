internal import Synchronization

/// Suspends, resumes and stops a running download, from any thread.
///
/// Requests made before the download begins take effect when it begins.
package final class DownloadControl: Sendable {
    private struct State {
        var requestedEnd = RequestedEnd.none
        var post: (@Sendable (DriverMessage) -> Void)?
    }

    private enum RequestedEnd {
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
    var discards: Bool { state.withLock { $0.requestedEnd == .discard } }

    /// Stops receiving bytes.
    ///
    /// The connections stay open.
    package func suspend() { suspended.store(true, ordering: .sequentiallyConsistent) }

    package func resume() {
        suspended.store(false, ordering: .sequentiallyConsistent)
        state.withLock { $0.post }?(.released)
    }

    /// Reports that the download's own limit or the limit for all downloads has changed.
    package func limitChanged() { state.withLock { $0.post }?(.limitChanged) }

    /// Ends the download with `.interrupted`.
    package func stop(keeping: Bool = true) {
        let post = state.withLock { state in
            if state.requestedEnd != .discard { state.requestedEnd = keeping ? .stop : .discard }
            return state.post
        }
        post?(.cancelled)
    }

    /// Sets the function that passes messages to the driver.
    func attach(_ post: @escaping @Sendable (DriverMessage) -> Void) {
        let isStopped = state.withLock { state in
            state.post = post
            return state.requestedEnd != .none
        }
        if isStopped { post(.cancelled) }
    }

    func detach() { state.withLock { $0.post = nil } }
}

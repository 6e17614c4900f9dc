internal import Synchronization

/// How a download that runs is held, let go on, and stopped, from any thread.
///
/// What is asked before the download has begun is done when it begins.
package final class DownloadControl: Sendable {
    private struct State {
        var wish = Wish.none
        var obey: (@Sendable (Command) -> Void)?
    }

    enum Command: Sendable {
        case goOn
        /// Pauses that a limit made end: it may be higher now.
        case limitChanged
        case stop
    }

    private enum Wish {
        case none, stop, discard
    }

    private let state = Mutex(State())
    private let suspended = Atomic<Bool>(false)

    package init() {}

    /// Whether no bytes are to come; looked at with each chunk.
    var isSuspended: Bool { suspended.load(ordering: .sequentiallyConsistent) }

    /// Whether what came is to be thrown away in the end.
    var discards: Bool { state.withLock { $0.wish == .discard } }

    /// Connections stand still, and stay.
    package func suspend() { suspended.store(true, ordering: .sequentiallyConsistent) }

    package func resume() {
        suspended.store(false, ordering: .sequentiallyConsistent)
        state.withLock { $0.obey }?(.goOn)
    }

    /// Its limit, or that of all downloads, is another one.
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

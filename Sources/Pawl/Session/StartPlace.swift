internal import Synchronization

/// A task's place among the running ones of its session.
///
/// It may be released before the task has ended, when the task no longer needs the network. It may
/// be lent while the task is blocked.
final class StartPlace: Sendable {
    private enum State {
        case held, lent, ended
    }

    private let session: DownloadSession
    private let task: Int
    private let state: Mutex<State>

    /// Creates a place.
    ///
    /// `isCounted`: whether the task needs a place at all.
    init(_ session: DownloadSession, _ task: Int, isCounted: Bool) {
        self.session = session
        self.task = task
        state = Mutex(isCounted ? .held : .ended)
    }

    /// Releases the place before the file has its name, unless only one task may run at a time.
    func endEarly() {
        if session.configuration.maximumConcurrentDownloads > 1 { end() }
    }

    func end() {
        state.withLock { state in
            if state != .ended { session.runner.scheduled { $0.ended(task) } }
            state = .ended
        }
    }

    /// Lets another task start until `takeBack()`.
    func lend() {
        state.withLock { state in
            if state == .held, session.runner.scheduled({ $0.lend(task) }) { state = .lent }
        }
    }

    func takeBack() {
        state.withLock { state in
            guard state == .lent else { return }
            session.runner.scheduled { $0.takeBack(task) }
            state = .held
        }
    }
}

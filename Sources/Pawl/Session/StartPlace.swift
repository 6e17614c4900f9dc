internal import Synchronization

/// A task's place among those of its session that run.
///
/// It may be given up before the task has ended, when that needs the network no more, and lent while
/// the task can do nothing.
final class StartPlace: Sendable {
    private enum State {
        case held, lent, ended
    }

    private let session: DownloadSession
    private let task: Int
    private let state: Mutex<State>

    /// `isCounted`: whether the task needs a place at all.
    init(_ session: DownloadSession, _ task: Int, isCounted: Bool) {
        self.session = session
        self.task = task
        state = Mutex(isCounted ? .held : .ended)
    }

    /// Before the file has its name, unless one is to follow the other.
    func endEarly() {
        if session.configuration.maximumConcurrentDownloads > 1 { end() }
    }

    func end() {
        state.withLock { state in
            if state != .ended { session.scheduled { $0.ended(task) } }
            state = .ended
        }
    }

    /// Another task may begin until `takeBack()`.
    func lend() {
        state.withLock { state in
            if state == .held, session.scheduled({ $0.lend(task) }) { state = .lent }
        }
    }

    func takeBack() {
        state.withLock { state in
            guard state == .lent else { return }
            session.scheduled { $0.takeBack(task) }
            state = .held
        }
    }
}

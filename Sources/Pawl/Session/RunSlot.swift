internal import PawlCore
internal import Synchronization

/// A task's slot among the running ones of its session.
///
/// It may be released before the task has ended, when the task no longer needs the network. It may
/// be lent while the task is blocked.
final class RunSlot: Sendable {
    private enum State {
        case held, lent, ended
    }

    private let session: DownloadSession
    private let task: StartScheduler.ID
    private let state: Mutex<State>

    /// Creates a slot.
    ///
    /// `isCounted`: whether the task needs a slot at all.
    init(_ session: DownloadSession, _ task: Int, isCounted: Bool) {
        self.session = session
        self.task = Int64(task)
        state = Mutex(isCounted ? .held : .ended)
    }

    /// Releases the slot before the file has its name, unless only one task may run at a time.
    func releaseBeforeNaming() {
        if session.configuration.maximumConcurrentDownloads > 1 { release() }
    }

    func release() {
        let isOpen = state.withLock { state in
            defer { state = .ended }
            return state != .ended
        }
        // The next task may begin on this thread.
        if isOpen { session.runner.slotReleased(by: task) }
    }

    /// Releases the slot while the lock of a task is held: the next task begins on another thread.
    func releaseUnderLock() {
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

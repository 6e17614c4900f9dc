internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// How the request of one run of a data task is held, let go on, and stopped, from any thread.
///
/// What is asked before it was made is done when it is.
final class StreamControl: Sendable {
    private struct State {
        var driver: StreamDriver?
        var isSuspended = false
        var isStopped = false
    }

    private let state = Mutex(State())
    /// What is told of the network, to one that waits for it.
    let paths = Mailbox<NetworkPath>()

    var driver: StreamDriver? { state.withLock { $0.driver } }

    var isSuspended: Bool { state.withLock { $0.isSuspended } }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    func attach(_ driver: StreamDriver) {
        state.withLock { state in
            state.driver = driver
            if state.isSuspended { driver.suspend() }
            if state.isStopped { driver.cancel() }
        }
    }

    func suspend() {
        state.withLock { state in
            state.isSuspended = true
            state.driver?.suspend()
        }
    }

    func resume() {
        state.withLock { state in
            state.isSuspended = false
            state.driver?.resume()
        }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.driver?.cancel()
        }
        paths.nudge()
    }
}

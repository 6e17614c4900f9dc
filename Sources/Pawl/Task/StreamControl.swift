internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// Holds, resumes and stops the request of one run of a data task, from any thread.
///
/// Requests made before the request is created take effect when it is created.
final class StreamControl: Sendable {
    private struct State {
        var driver: StreamDriver?
        var isSuspended = false
        var isStopped = false
    }

    private let state = Mutex(State())
    /// The network paths reported to a request that waits for the network.
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
        paths.wake()
    }
}

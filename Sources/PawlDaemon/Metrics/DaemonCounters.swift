internal import PawlWire
internal import Synchronization

/// The counters of a running daemon; any thread may read them.
final class DaemonCounters: Sendable {
    struct Request: Hashable, Sendable {
        var route: String
        var method: String
        var status: Int
    }

    struct Values: Sendable {
        var requests: [Request: Int] = [:]
        var finished = 0
        var failed = 0
        /// The maximum number of downloads that run at the same time.
        var maximumConcurrentDownloads = DaemonSettings().maximumConcurrentDownloads
    }

    private let state = Mutex(Values())
    let began = ContinuousClock.now

    var values: Values { state.withLock { $0 } }

    func answered(_ request: Request) {
        state.withLock { $0.requests[request, default: 0] += 1 }
    }

    func finished() { state.withLock { $0.finished += 1 } }

    func setMaximumConcurrentDownloads(_ limit: Int) {
        state.withLock { $0.maximumConcurrentDownloads = limit }
    }

    func failed(_ count: Int) { state.withLock { $0.failed += count } }
}

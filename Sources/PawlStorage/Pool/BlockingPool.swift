package import PawlCore
internal import SystemPackage

/// A few threads for blocking calls, so that Swift's own threads never wait for a disk.
///
/// Threads start when there is work for them, and end when there is none for a while, after
/// `shutDown()`, or with the pool.
package final class BlockingPool: Sendable {
    private let limit: Int
    private let name: String
    private let queue: JobQueue
    private let startThread: StartThread

    /// Starts a thread with a name; returns `false` if the system cannot provide one.
    package typealias StartThread = @Sendable (String, @escaping @Sendable () -> Void) -> Bool

    /// Creates a pool without starting threads.
    ///
    /// The system keeps at most 15 bytes of the name. A thread that has had no work for `idleTime`
    /// ends.
    package init(
        threads: Int,
        name: String,
        idleTime: Duration = .seconds(10),
        startThread: @escaping StartThread = { name, body in
            (try? DetachedThread.start(name, body)) != nil
        }
    ) {
        limit = max(1, threads)
        self.name = name
        self.startThread = startThread
        queue = JobQueue(idleTime: idleTime)
    }

    deinit { queue.close() }

    /// Runs work on one of the threads, in the order of arrival.
    ///
    /// After `shutDown()` the work is called at once, with the reason why it is not on a thread.
    package func start(_ work: @Sendable @escaping (DownloadError?) -> Void) {
        switch queue.push({ work(nil) }, limit: limit) {
        case .accepted: break
        case .needsThread: addThread()
        case .closed: work(Self.closed)
        }
    }

    /// Runs work on one of the threads, in the order of arrival, and returns its result.
    ///
    /// Cancelling the awaiting task does not stop the work: a disk operation that has begun is
    /// finished.
    package func run<T: Sendable>(
        _ work: @Sendable @escaping () throws(DownloadError) -> T
    ) async throws(DownloadError) -> T {
        let result: Result<T, DownloadError> = await withCheckedContinuation { continuation in
            start { refusal in
                continuation.resume(
                    returning: refusal.map { .failure($0) } ?? Result(catching: work)
                )
            }
        }
        return try result.get()
    }

    /// Refuses new work.
    ///
    /// Accepted work is still run; the threads end after it.
    package func shutDown() { queue.close() }

    /// The current number of threads.
    package var threadCount: Int { queue.threadCount }

    private static let closed = DownloadError(
        .interrupted,
        "the pool of threads was shut down",
        context: "starting work on a file"
    )

    private func addThread() {
        let isStarted = startThread(name) { [queue] in
            while let job = queue.pop() { job() }
        }
        // Slow is better than never, so without a thread the jobs run here, even if this is a
        // thread of the network. A job that starts another one adds it to the queue, so the calls
        // do not nest.
        guard !isStarted, queue.threadDidNotStart() else { return }
        while let job = queue.popAtOnce() { job() }
    }
}

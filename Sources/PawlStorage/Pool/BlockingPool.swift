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

    /// Creates a pool without starting threads.
    ///
    /// The system keeps at most 15 bytes of the name. A thread that has had no work for `idleTime`
    /// ends.
    package init(threads: Int, name: String, idleTime: Duration = .seconds(10)) {
        limit = max(1, threads)
        self.name = name
        queue = JobQueue(idleTime: idleTime)
    }

    deinit { queue.close() }

    /// Runs work on one of the threads, in the order of arrival.
    ///
    /// After `shutDown()` the work is called at once, with the reason why it is not on a thread.
    package func start(_ work: @Sendable @escaping (DownloadError?) -> Void) {
        switch queue.push({ work(nil) }, limit: limit) {
        case .accepted: break
        case .needsThread: startThread()
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

    private func startThread() {
        do throws(Errno) {
            try DetachedThread.start(name) { [queue] in
                while let job = queue.pop() { job() }
            }
        } catch {
            // The system cannot provide a thread. Slow is better than never, so the jobs run here.
            for job in queue.threadDidNotStart() { job() }
        }
    }
}

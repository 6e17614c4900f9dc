internal import Dispatch

/// An executor with a separate thread, which may block: each write to the store waits for the disk.
final class StoreThread: SerialExecutor {
    private let queue = DispatchQueue(label: "pawl-store")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

import Synchronization

/// An executor whose tasks run only when a test says so.
///
/// After `runTasks()`, each of its tasks waits for something or has ended. So a test can be certain
/// that a task waits, which no other event shows.
package final class ManualExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs the tasks on this thread until all of them wait or have ended.
    package func runTasks() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob? {
        jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

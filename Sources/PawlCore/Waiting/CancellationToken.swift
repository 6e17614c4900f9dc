internal import Synchronization

/// Tells work that blocks a thread to end.
///
/// The work checks the token between two pieces, because a blocked thread cannot see that a task is
/// cancelled.
package final class CancellationToken: Sendable {
    /// The time at which the work must end in any case.
    package let deadline: Moment?
    private let time: (any Timekeeper)?
    private let isCancelled = Atomic<Bool>(false)
    /// Wakes the task that waits for something together with the end of the work; at most one may.
    package let wakeup = Wakeup()

    /// Creates a token without a deadline.
    package init() {
        deadline = nil
        time = nil
    }

    /// Creates a token whose time begins now.
    package init(after duration: Duration?, _ time: any Timekeeper) {
        deadline = duration.map { time.now() + $0 }
        self.time = time
    }

    package func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        wakeup.send()
    }

    /// Whether the deadline has passed.
    package var isLate: Bool {
        guard let deadline, let time else { return false }
        return time.now() >= deadline
    }

    /// Why the work must end; `nil` if it may continue.
    package var reason: DownloadError? {
        if isCancelled.load(ordering: .relaxed) { return Self.cancelled }
        return isLate ? Self.late : nil
    }

    /// Throws if the work must end.
    package func check() throws(DownloadError) {
        if let reason { throw reason }
    }

    package static let cancelled = DownloadError(.interrupted, "stopped", advice: "")

    package static let late = DownloadError(
        .timedOut,
        "the download exceeded its time limit",
        advice: "\(DownloadError.resumeAdvice), or raise \(.maximumDuration)",
        retryClass: .never
    )
}

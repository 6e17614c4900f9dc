public import PawlCore
internal import PawlEngine

/// A download's progress over time: newest wins, ends with the download.
public struct ProgressUpdates: AsyncSequence, Sendable {
    /// What is sampled.
    public typealias Element = DownloadProgress
    /// Progress never fails; the download's own error comes from `Download.run()`.
    public typealias Failure = Never

    let monitor: DownloadMonitor
    let time: any Timekeeper

    /// Starts reading: the first progress comes at once.
    public func makeAsyncIterator() -> Iterator { Iterator(monitor: monitor, time: time) }

    /// Samples when it is asked, at most ten times a second.
    public struct Iterator: AsyncIteratorProtocol {
        static let interval: Duration = .milliseconds(100)

        let monitor: DownloadMonitor
        let time: any Timekeeper
        private var last: Moment?
        private var isAtEnd = false

        init(monitor: DownloadMonitor, time: any Timekeeper) {
            self.monitor = monitor
            self.time = time
        }

        /// The progress now; nil after the one that says that the download has ended.
        public mutating func next() async -> DownloadProgress? {
            await next(isolation: #isolation)
        }

        /// The progress now; nil after the one that says that the download has ended.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> DownloadProgress? {
            guard !isAtEnd else { return nil }
            if let last {
                // A cancelled reader gets no more than it asked for.
                do { try await time.sleep(until: last + Self.interval) } catch { return nil }
            }
            last = time.now()
            let progress = monitor.progress
            isAtEnd = progress.phase == .finished || progress.phase == .failed
            return progress
        }
    }
}

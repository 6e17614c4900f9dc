public import PawlCore

/// A task's progress over time: newest wins, any number of readers, ends with the task.
public struct TaskProgress: AsyncSequence, Sendable {
    /// What is sampled.
    public typealias Element = DownloadProgress
    /// Progress never fails; the task's own error comes from `DownloadTask.file`.
    public typealias Failure = Never

    let task: DownloadTask

    /// Starts reading: the first progress comes at once.
    public func makeAsyncIterator() -> Iterator { Iterator(task: task) }

    /// Samples when it is asked, at most ten times a second; the end comes without delay.
    public struct Iterator: AsyncIteratorProtocol {
        static let interval: Duration = .milliseconds(100)

        let task: DownloadTask
        private var last: Moment?
        private var isAtEnd = false

        init(task: DownloadTask) { self.task = task }

        /// The progress now; nil after the one that was read when the task had ended.
        public mutating func next() async -> DownloadProgress? {
            await next(isolation: #isolation)
        }

        /// The progress now; nil after the one that was read when the task had ended.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> DownloadProgress? {
            guard !isAtEnd, !Task.isCancelled else { return nil }
            if let last { await task.waitForEnd(until: last + Self.interval) }
            guard !Task.isCancelled else { return nil }
            last = task.now
            isAtEnd = task.state.isEnd
            return task.currentProgress
        }
    }
}

public import PawlCore
internal import PawlEngine

/// A download's progress over time: newest wins, any number of readers, ends with the download.
public struct ProgressUpdates: AsyncSequence, Sendable {
    /// What is sampled.
    public typealias Element = DownloadProgress
    /// Progress never fails; the error comes from `Download.run()` or the task.
    public typealias Failure = Never

    private let source: any ProgressSource

    init(_ source: any ProgressSource) { self.source = source }

    /// Starts reading: the first progress comes at once.
    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// Samples when it is asked, at most ten times a second; the end comes without delay.
    public struct Iterator: AsyncIteratorProtocol {
        static let interval: Duration = .milliseconds(100)

        private let source: any ProgressSource
        private var last: Moment?
        private var isAtEnd = false

        init(_ source: any ProgressSource) { self.source = source }

        /// The progress now; nil after the one that was read when the download had ended.
        public mutating func next() async -> DownloadProgress? {
            await next(isolation: #isolation)
        }

        /// The progress now; nil after the one that was read when the download had ended.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> DownloadProgress? {
            // A cancelled reader gets no more than it asked for.
            guard !isAtEnd, !Task.isCancelled else { return nil }
            if let last {
                await source.end.wait(until: Self.next(after: last), source.engine.alarms)
            }
            guard !Task.isCancelled else { return nil }
            last = source.engine.time.now()
            isAtEnd = source.end.isSet
            return source.currentProgress
        }

        /// All readers wake at the same moments: a thousand of them are one alarm.
        private static func next(after moment: Moment) -> Moment {
            let step = interval.nanoseconds
            return Moment(nanoseconds: moment.nanoseconds / step * step) + interval
        }
    }
}

/// What has a progress, and an end.
protocol ProgressSource: Sendable {
    var currentProgress: DownloadProgress { get }
    var end: EndSignal { get }
    var engine: Engine { get }
}

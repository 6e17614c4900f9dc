public import PawlCore
internal import PawlEngine

/// A download's progress over time, which ends with the download.
///
/// Any number of readers get the newest value.
public struct ProgressUpdates: AsyncSequence, Sendable {
    /// The progress of the download.
    public typealias Element = DownloadProgress
    /// Progress never fails; `Download.run()` or the task throws the error.
    public typealias Failure = Never

    private let source: any ProgressSource

    init(_ source: any ProgressSource) { self.source = source }

    /// Starts reading.
    ///
    /// The first value is available at once.
    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// Reads the progress when it is asked, at most ten times per second.
    ///
    /// The end is reported without delay.
    public struct Iterator: AsyncIteratorProtocol {
        static let interval: Duration = .milliseconds(100)

        private let source: any ProgressSource
        private var last: Moment?
        private var isAtEnd = false

        init(_ source: any ProgressSource) { self.source = source }

        /// Returns the current progress, or `nil` after the value that was read when the download
        /// had ended.
        public mutating func next() async -> DownloadProgress? {
            await next(isolation: #isolation)
        }

        /// Returns the current progress, or `nil` after the value that was read when the download
        /// had ended.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> DownloadProgress? {
            // A cancelled reader gets no further value.
            guard !isAtEnd, !Task.isCancelled else { return nil }
            if let last {
                await Self.wait(until: Self.next(after: last), source)
            }
            guard !Task.isCancelled else { return nil }
            last = source.engine.time.now()
            isAtEnd = source.end.isComplete
            return source.currentProgress
        }

        /// Waits for the moment, the end of the download or the cancellation of the task.
        private static func wait(until moment: Moment, _ source: any ProgressSource) async {
            let (wakeup, alarms) = (Wakeup(), source.engine.alarms)
            let alarm = alarms.enroll { wakeup.send() }
            defer { alarms.resign(alarm) }
            alarms.set(alarm, at: moment)
            await source.end.wait(or: wakeup)
        }

        /// Returns the next time to wake.
        ///
        /// All readers wake at the same times, so a thousand of them need one alarm.
        private static func next(after moment: Moment) -> Moment {
            let step = interval.nanoseconds
            return Moment(nanoseconds: moment.nanoseconds / step * step) + interval
        }
    }
}

/// A source of progress that ends.
protocol ProgressSource: Sendable {
    var currentProgress: DownloadProgress { get }
    var end: Completion<Void> { get }
    var engine: Engine { get }
}

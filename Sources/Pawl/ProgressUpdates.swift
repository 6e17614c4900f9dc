internal import PawlCore
package import PawlEngine

/// Progress over time, which ends with its tasks.
///
/// Any number of readers receive the newest value. `Element` is ``DownloadProgress`` for one task
/// and
/// ``TotalProgress`` for several.
public struct ProgressUpdates<Element: Sendable>: AsyncSequence, Sendable {
    /// Progress never fails; the task throws the error.
    public typealias Failure = Never

    private let source: any ProgressSource<Element>

    package init(_ source: any ProgressSource<Element>) { self.source = source }

    /// Starts reading.
    ///
    /// The first value is available at once.
    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// Reads the progress on request, at most ten times per second.
    ///
    /// The end is reported without delay.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: any ProgressSource<Element>
        private var last: Moment?
        private var isAtEnd = false

        init(_ source: any ProgressSource<Element>) { self.source = source }

        /// Returns the current progress, or `nil` after the value that was read when the tasks had
        /// ended.
        public mutating func next() async -> Element? { await next(isolation: #isolation) }

        /// Returns the current progress, or `nil` after the value that was read when the tasks had
        /// ended.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> Element? {
            // A cancelled reader gets no further value.
            guard !isAtEnd, !Task.isCancelled else { return nil }
            if let last {
                await Self.wait(until: .nextReport(after: last), source)
            }
            guard !Task.isCancelled else { return nil }
            last = source.engine.time.now()
            let report = await source.report()
            isAtEnd = report.isLast
            return report.value
        }

        /// Waits for the moment, the end of the last task or the cancellation of the reading task.
        private static func wait(
            until moment: Moment,
            _ source: any ProgressSource<Element>
        ) async {
            let (wakeup, alarms) = (Wakeup(), source.engine.alarms)
            let alarm = alarms.enroll { wakeup.send() }
            defer { alarms.resign(alarm) }
            alarms.set(alarm, at: moment)
            if let end = source.lastEnd { await end.wait(or: wakeup) } else { await wakeup.wait() }
        }
    }
}

extension Moment {
    /// Returns the time of the next report of progress, of which there are ten in a second.
    ///
    /// All reports are made at the same times, so that thousands of them need one alarm.
    static func nextReport(after moment: Moment) -> Moment {
        let interval: Duration = .milliseconds(100)
        let step = interval.nanoseconds
        return Moment(nanoseconds: moment.nanoseconds / step * step) + interval
    }
}

/// A source of progress that ends.
package protocol ProgressSource<Value>: Sendable {
    associatedtype Value: Sendable

    /// Returns the current value, and whether it is that of the end.
    func report() async -> (value: Value, isLast: Bool)
    /// The end of the source, if only one task has not ended.
    var lastEnd: Completion<Void>? { get }
    var engine: Engine { get }
}

/// A source of progress that is known without reading from a disk.
package protocol InstantProgressSource<Value>: ProgressSource {
    var currentProgress: Value { get }
    var hasEnded: Bool { get }
}

extension InstantProgressSource {
    package func report() async -> (value: Value, isLast: Bool) {
        // The progress at the end is read after the end.
        let isLast = hasEnded
        return (currentProgress, isLast)
    }
}

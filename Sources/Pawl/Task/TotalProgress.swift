package import PawlCore
internal import PawlEngine

/// The progress of several tasks, or keys of a library, together at one moment.
public struct TotalProgress: Sendable, Hashable {
    /// The number of tasks or keys.
    public private(set) var taskCount = 0
    /// The number of tasks or keys that have ended with their result.
    public private(set) var finishedCount = 0
    /// The number of tasks or keys that have ended with an error or were cancelled.
    public private(set) var failedCount = 0
    /// The number of bytes that all tasks together have received or found on disk.
    public var completedBytes: Int64 { sum.completedBytes }
    /// The number of bytes of all tasks together; `nil` while that of any task is not known.
    ///
    /// Tasks that have failed count with the bytes that they have received.
    public var totalBytes: Int64? { sum.totalBytes }
    /// The smoothed speed of all tasks together, in bytes per second.
    public var bytesPerSecond: Double { sum.bytesPerSecond }
    private var sum = DownloadProgress()

    /// The current progress of some tasks.
    public init(of tasks: some Sequence<SessionTask>) {
        self.init()
        for task in tasks {
            let (progress, state) = (task.currentProgress, task.state)
            switch state {
            case .finished: add(progress, .finished)
            case .failed, .cancelled: add(progress, .failed)
            case .waiting, .waitingForConnectivity, .running, .suspended, .paused:
                add(progress, nil)
            }
        }
    }

    /// The progress of no task.
    package init() { sum.totalBytes = 0 }

    /// How a task or a key has ended.
    package enum End: Sendable {
        case finished, failed
    }

    /// Adds a task or a key; `end` is `nil` if it has not ended.
    package mutating func add(_ progress: DownloadProgress, _ end: End?) {
        taskCount += 1
        sum.completedBytes += progress.completedBytes
        sum.bytesPerSecond += progress.bytesPerSecond
        var total = progress.totalBytes
        switch end {
        case .finished: finishedCount += 1
        case .failed:
            failedCount += 1
            total = progress.completedBytes
        case nil: break
        }
        sum.totalBytes = sum.totalBytes.flatMap { sum in total.map { sum + $0 } }
    }

    /// The completed fraction from 0 to 1; `nil` if the total size is not known.
    public var fraction: Double? { sum.fraction }

    /// The remaining time at the current speed; `nil` if it is not known.
    public var timeLeft: Duration? { sum.timeLeft }
}

extension DownloadSession {
    /// Returns the progress of several tasks together, about ten times per second, until all of
    /// them have ended.
    public func progress(of tasks: [SessionTask]) -> ProgressUpdates<TotalProgress> {
        ProgressUpdates(TaskSet(tasks: tasks, engine: engine))
    }
}

private struct TaskSet: InstantProgressSource {
    typealias Value = TotalProgress

    let tasks: [SessionTask]
    let engine: Engine

    var currentProgress: TotalProgress { TotalProgress(of: tasks) }
    var hasEnded: Bool { tasks.allSatisfy { $0.end.isComplete } }

    var lastEnd: Completion<Void>? {
        let open = tasks.lazy.filter { !$0.end.isComplete }.prefix(2)
        return open.count == 1 ? open.first?.end : nil
    }
}

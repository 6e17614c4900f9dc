public import PawlCore

/// Something that happened to a task of a session.
public enum TaskEvent: Sendable, Hashable {
    /// The server has responded.
    case response(DownloadResponse)
    /// The task resumes after existing bytes; `expectedBytes` is the size of the whole file, if it
    /// is known.
    case resumed(offset: Int64, expectedBytes: Int64?)
    /// Bytes were received, at most ten times per second.
    ///
    /// A slow reader skips values and gets the newest.
    case progress(DownloadProgress)
    /// The task has discarded the received bytes and starts over.
    case startedOver(DownloadRestart)
    /// There is no connection to the network; the task resumes when there is one.
    case waitingForConnectivity
    /// The task has ended with its result: the file, or `nil` for a data task.
    case finished(DownloadedFile?)
    /// The task has ended with an error; its code is `.cancelled` if it was cancelled.
    case failed(DownloadError)

    /// Creates the last event of a task.
    init(_ outcome: Result<TaskProduct, DownloadError>) {
        switch outcome {
        case .success(.file(let file)): self = .finished(file)
        case .success: self = .finished(nil)
        case .failure(let error): self = .failed(error)
        }
    }

    /// Whether it is the last event of its task.
    public var isEnd: Bool {
        switch self {
        case .finished, .failed: true
        case .response, .resumed, .progress, .startedOver, .waitingForConnectivity: false
        }
    }

    fileprivate var isProgress: Bool { if case .progress = self { true } else { false } }

    /// The bounds of a reader: progress that is out of date is not kept, and of many other events
    /// only the newest.
    static var bounds: EventFeed<TaskEvent>.Bounds {
        var bounds = EventFeed<TaskEvent>.Bounds()
        bounds.limit = 100
        bounds.isEssential = { $0.isEnd }
        bounds.subject = { (0, $0.isProgress) }
        return bounds
    }
}

/// Something that happened in a session.
public enum SessionEvent: Sendable {
    /// Something happened to a task.
    case task(SessionTask, TaskEvent)
    /// All events that a background session missed while no process was attached were reported.
    case finishedBackgroundEvents
    /// The reader is too slow: the last events of this many tasks were dropped at this point.
    ///
    /// The newest event of each task is kept, at most 5,000 events.
    case dropped(Int)
    /// The session was invalidated and its last task has ended: this is the last event.
    ///
    /// The error is present if a background session was lost, for example to another process, or if
    /// its daemon could not be reached at the last attempt.
    case invalidated(DownloadError?)

    /// The bounds of a reader: progress that is out of date is not kept.
    ///
    /// If there are `limit` unread events, only the newest event of a task that runs is kept, and
    /// only the last event of a task that has ended; of these, the newest half of `limit`.
    package static func bounds(limit: Int = 10_000) -> EventFeed<SessionEvent>.Bounds {
        var bounds = EventFeed<SessionEvent>.Bounds()
        bounds.limit = limit
        bounds.isEssential = { event in
            if case .task(_, let event) = event { event.isEnd } else { true }
        }
        // The session's own events are few, and readers wait for them.
        bounds.isAlwaysKept = { if case .task = $0 { false } else { true } }
        bounds.lost = { .dropped($0) }
        bounds.subject = { event in
            guard case .task(let task, let event) = event else { return nil }
            return (task.taskIdentifier, event.isProgress)
        }
        return bounds
    }
}

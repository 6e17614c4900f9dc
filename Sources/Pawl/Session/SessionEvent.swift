internal import PawlCore

/// The events for the delegate and the completion handlers of a session, in order.
enum SessionEvent: Sendable {
    case answered(SessionTask, DownloadResponse)
    case resumed(DownloadTask, offset: Int64, expected: Int64?)
    case startedOver(DownloadTask, discarded: Int64)
    case wrote(DownloadTask, count: Int64, total: Int64, expected: Int64?)
    case received(DataTask, [UInt8])
    case waitsForConnectivity(SessionTask)
    case finished(DownloadTask, DownloadedFile)
    case completed(SessionTask, Result<TaskProduct, DownloadError>, TaskMetrics)
    case invalidated(DownloadError?)
    /// All events that a background session missed were delivered.
    case finishedEvents
    /// All events posted before this one were delivered.
    case mark(Completion<Void>)
    /// The end of the delivery.
    case end

    /// Calls the delegate and the task's completion handler.
    func deliver(in session: DownloadSession) {
        let delegate = session.delegate
        switch self {
        case .answered(let task, let response):
            delegate?.session(session, task: task, didReceive: response)
        case .resumed(let task, let offset, let expected):
            delegate?.session(
                session,
                downloadTask: task,
                didResumeAtOffset: offset,
                expectedTotalBytes: expected
            )
        case .startedOver(let task, let discarded):
            delegate?.session(session, downloadTask: task, didStartOverDiscarding: discarded)
        case .wrote(let task, let count, let total, let expected):
            task.bytesDelivered()
            delegate?.session(
                session,
                downloadTask: task,
                didWriteData: count,
                totalBytesWritten: total,
                totalBytesExpectedToWrite: expected
            )
        case .received(let task, let bytes):
            delegate?.session(session, dataTask: task, didReceive: bytes)
            task.pieceDelivered()
        case .waitsForConnectivity(let task):
            delegate?.session(session, taskIsWaitingForConnectivity: task)
        case .finished(let task, let file):
            delegate?.session(session, downloadTask: task, didFinishDownloadingTo: file)
        case .completed(let task, let result, let metrics):
            delegate?.session(session, task: task, didFinishCollecting: metrics)
            let hadHandler = task.callCompletionHandler(result)
            delegate?.session(session, task: task, didCompleteWithError: result.failure)
            if hadHandler { (task as? DownloadTask)?.removeTemporaryFile() }
        case .invalidated(let error):
            delegate?.session(session, didBecomeInvalidWithError: error)
            session.wasInvalidated()
        case .finishedEvents: delegate?.sessionDidFinishEvents(forBackgroundSession: session)
        case .mark(let mark): mark.complete()
        case .end: break
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

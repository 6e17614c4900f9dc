internal import PawlCore

/// What a session delivers to its delegate, the completion handlers and the readers of events, in
/// order.
enum Delivery: Sendable {
    case answered(SessionTask, DownloadResponse)
    case resumed(DownloadTask, offset: Int64, expected: Int64?)
    case startedOver(DownloadTask, DownloadRestart)
    case wrote(DownloadTask, count: Int64, DownloadProgress)
    case progressed(DataTask, DownloadProgress)
    case received(DataTask, [UInt8])
    case waitsForConnectivity(SessionTask)
    case finished(DownloadTask, DownloadedFile)
    case completed(SessionTask, Result<TaskProduct, DownloadError>, TaskMetrics)
    case invalidated(DownloadError?)
    /// All events that a background session missed were delivered.
    case finishedEvents
    /// Everything posted before this one, the task's events included, was delivered.
    case mark(SessionTask, Completion<Void>)
    /// A closure that runs where the delegate is called.
    case callback(@Sendable () -> Void)
    /// The end of the delivery.
    case end

    /// Calls the delegate and the task's completion handler.
    nonisolated(nonsending) func deliver(in session: DownloadSession) async {
        await callDelegate(session.delegate, session)
        post(in: session)
        if case .invalidated = self { session.wasInvalidated() }
    }

    private nonisolated(nonsending) func callDelegate(
        _ delegate: (any DownloadSessionDelegate)?,
        _ session: DownloadSession
    ) async {
        switch self {
        case .answered(let task, let response):
            task.decided(await delegate?.decision(on: response, of: task, in: session) ?? .allow)
        case .resumed(let task, let offset, let expected):
            await delegate?.session(
                session,
                downloadTask: task,
                didResumeAtOffset: offset,
                expectedTotalBytes: expected
            )
        case .startedOver(let task, let restart):
            await delegate?.session(session, downloadTask: task, didStartOver: restart)
        case .wrote(let task, let count, let progress):
            task.progressDelivered()
            await delegate?.session(
                session,
                downloadTask: task,
                didWriteData: count,
                totalBytesWritten: progress.completedBytes,
                totalBytesExpectedToWrite: progress.totalBytes
            )
        case .progressed(let task, _): task.progressDelivered()
        case .received(let task, let bytes):
            // A decision on the response may have cancelled the task meanwhile.
            if !task.isEnding {
                await delegate?.session(session, dataTask: task, didReceive: bytes)
            }
            task.pieceDelivered()
        case .waitsForConnectivity(let task):
            await delegate?.session(session, taskIsWaitingForConnectivity: task)
        case .finished(let task, let file):
            await delegate?.session(session, downloadTask: task, didFinishDownloadingTo: file)
        case .completed(let task, let result, let metrics):
            await delegate?.session(session, task: task, didFinishCollecting: metrics)
            let hadHandler = task.callCompletionHandler(result)
            await delegate?.session(session, task: task, didCompleteWithError: result.failure)
            if hadHandler { (task as? DownloadTask)?.removeTemporaryFile() }
        case .invalidated(let error):
            await delegate?.session(session, didBecomeInvalidWithError: error)
        case .finishedEvents:
            await delegate?.sessionDidFinishEvents(forBackgroundSession: session)
        case .callback(let body): body()
        case .mark, .end: break
        }
    }

    // MARK: - Events

    /// Passes the event on to those that read events.
    private func post(in session: DownloadSession) {
        switch self {
        case .answered(let task, let response): post(.response(response), of: task)
        case .resumed(let task, let offset, let expected):
            post(.resumed(offset: offset, expectedBytes: expected), of: task)
        case .startedOver(let task, let restart): post(.startedOver(restart), of: task)
        case .wrote(let task, _, let progress): post(.progress(progress), of: task)
        case .progressed(let task, let progress): post(.progress(progress), of: task)
        case .received, .callback: break
        case .waitsForConnectivity(let task): post(.waitingForConnectivity, of: task)
        case .finished: break
        case .completed(let task, let outcome, _):
            post(TaskEvent(outcome), of: task)
            task.feeds?.end()
        case .invalidated(let error):
            session.feeds.post(.invalidated(error))
            session.feeds.end()
        case .finishedEvents: session.feeds.post(.finishedBackgroundEvents)
        case .mark(let task, let mark):
            let receipt = ReadReceipt { mark.complete() }
            task.feeds?.post(receipt)
            session.feeds.post(receipt)
        case .end: break
        }
    }

    private func post(_ event: TaskEvent, of task: SessionTask) {
        task.feeds?.post(event)
        task.session.feeds.post(.task(task, event))
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

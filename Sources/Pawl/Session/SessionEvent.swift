internal import PawlCore
internal import Logging
internal import PawlEngine
internal import PawlStorage
internal import Synchronization

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
}

extension DownloadSession {
    /// Delivers events, one at a time, until `.end`.
    func deliver() async {
        var isAtEnd = false
        while !isAtEnd {
            await events.waitIgnoringCancellation()
            for event in events.take() {
                if case .end = event {
                    // Events posted after it must not be lost.
                    isAtEnd = true
                    continue
                }
                if case .invalidated = event { await removeTraces() }
                await configuration.delegateExecutor.run { self.deliver(event) }
                delivered()
            }
        }
    }

    /// Removes the files of an ephemeral session, which nobody can resume.
    private func removeTraces() async {
        guard configuration.kind == .ephemeral, state.withLock({ $0.isCancelled }) else { return }
        let files = temporaryFiles
        do throws(DownloadError) {
            try await engine.disk.run { () throws(DownloadError) in try files.remove() }
        } catch {
            engine.logger.warning("cannot remove the session's files: \(error)")
        }
    }

    private func deliver(_ event: SessionEvent) {
        let delegate = delegate
        switch event {
        case .answered(let task, let response):
            delegate?.session(self, task: task, didReceive: response)
        case .resumed(let task, let offset, let expected):
            delegate?.session(
                self,
                downloadTask: task,
                didResumeAtOffset: offset,
                expectedTotalBytes: expected
            )
        case .startedOver(let task, let discarded):
            delegate?.session(self, downloadTask: task, didStartOverDiscarding: discarded)
        case .wrote(let task, let count, let total, let expected):
            task.wasTold()
            delegate?.session(
                self,
                downloadTask: task,
                didWriteData: count,
                totalBytesWritten: total,
                totalBytesExpectedToWrite: expected
            )
        case .received(let task, let bytes):
            delegate?.session(self, dataTask: task, didReceive: bytes)
            task.told.send()
        case .waitsForConnectivity(let task):
            delegate?.session(self, taskIsWaitingForConnectivity: task)
        case .finished(let task, let file):
            delegate?.session(self, downloadTask: task, didFinishDownloadingTo: file)
        case .completed(let task, let result, let metrics):
            delegate?.session(self, task: task, didFinishCollecting: metrics)
            let hadHandler = task.callCompletionHandler(result)
            delegate?.session(self, task: task, didCompleteWithError: result.failure)
            if hadHandler { (task as? DownloadTask)?.removeTemporaryFile() }
        case .invalidated(let error):
            delegate?.session(self, didBecomeInvalidWithError: error)
            forgetDelegate()
            link?.stop()
        case .finishedEvents: delegate?.sessionDidFinishEvents(forBackgroundSession: self)
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

internal import PawlCore
internal import PawlEngine

/// What the delegate and the completion handlers of a session are to hear, in order.
enum SessionEvent: Sendable {
    case answered(DownloadTask, DownloadResponse)
    case resumed(DownloadTask, offset: Int64, expected: Int64?)
    case wrote(DownloadTask, count: Int64, total: Int64, expected: Int64?)
    case waitsForConnectivity(DownloadTask)
    case finished(DownloadTask, DownloadedFile)
    case completed(DownloadTask, Result<DownloadedFile, DownloadError>, TaskMetrics)
    case invalidated
    /// The deliverer's own end.
    case end
}

extension DownloadSession {
    /// Delivers until `.end`, one event at a time.
    func deliver() async {
        var isAtEnd = false
        while !isAtEnd {
            await events.wait()
            for event in events.take() {
                if case .end = event {
                    // What was posted behind it must not get lost.
                    isAtEnd = true
                    continue
                }
                await configuration.delegateExecutor.run { self.deliver(event) }
                delivered()
            }
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
        case .wrote(let task, let count, let total, let expected):
            task.wasTold()
            delegate?.session(
                self,
                downloadTask: task,
                didWriteData: count,
                totalBytesWritten: total,
                totalBytesExpectedToWrite: expected
            )
        case .waitsForConnectivity(let task):
            delegate?.session(self, taskIsWaitingForConnectivity: task)
        case .finished(let task, let file):
            delegate?.session(self, downloadTask: task, didFinishDownloadingTo: file)
        case .completed(let task, let result, let metrics):
            delegate?.session(self, task: task, didFinishCollecting: metrics)
            task.callCompletionHandler(result)
            delegate?.session(self, task: task, didCompleteWithError: result.failure)
            task.removeTemporaryFile(hasDelegate: delegate != nil)
        case .invalidated:
            delegate?.session(self, didBecomeInvalidWithError: nil)
            forgetDelegate()
        case .end: break
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

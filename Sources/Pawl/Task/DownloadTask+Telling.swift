internal import PawlCore
internal import PawlEngine

/// The events of a download for the delegate.
extension DownloadTask {
    func tellBytes(_ told: inout Told, isLast: Bool) {
        guard !monitor.wasThere else { return }
        let (restarts, progress) = (monitor.restarts, monitor.progress)
        if told.restarts != restarts.count {
            // The file changed on the server, so the download starts over.
            told.restarts = restarts.count
            told.bytes = 0
            session.post(.startedOver(self, discarded: restarts.discardedBytes))
        }
        if !told.hasOffset, progress.resumedBytes > 0 {
            // This is not known before the server has agreed, or until all bytes proved to be
            // present.
            guard monitor.hasAgreed || progress.phase == .finished else { return }
            told.hasOffset = true
            told.bytes = progress.resumedBytes
            session.post(
                .resumed(self, offset: progress.resumedBytes, expected: progress.totalBytes)
            )
        }
        tellBytes(&told, progress, isLast: isLast)
    }

    /// Reports the bytes received since the last report.
    func tellBytes(_ told: inout Told, _ progress: DownloadProgress, isLast: Bool) {
        told.bytes = min(told.bytes, progress.completedBytes)
        let count = progress.completedBytes - told.bytes
        // One pending report is enough: a slow delegate must not make a queue grow.
        guard count > 0, isLast || !told.isUnderWay else { return }
        told.bytes = progress.completedBytes
        told.isUnderWay = true
        session.post(
            .wrote(
                self,
                count: count,
                total: progress.completedBytes,
                expected: progress.totalBytes
            )
        )
    }
}

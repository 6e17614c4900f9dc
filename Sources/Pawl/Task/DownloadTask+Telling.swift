internal import PawlCore
internal import PawlEngine

/// What the delegate hears of a download.
extension DownloadTask {
    func tellBytes(_ told: inout Told, isLast: Bool) {
        let progress = monitor.progress
        if !told.hasOffset, progress.resumedBytes > 0, progress.phase == .receiving || isLast {
            told.hasOffset = true
            told.bytes = progress.resumedBytes
            session.post(
                .resumed(self, offset: progress.resumedBytes, expected: progress.totalBytes)
            )
        }
        // The file changed on the server, and begins anew.
        told.bytes = min(told.bytes, progress.completedBytes)
        let count = progress.completedBytes - told.bytes
        // One that waits to be told is enough: a slow delegate must not make a queue grow.
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

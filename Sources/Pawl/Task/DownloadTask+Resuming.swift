public import PawlCore
internal import PawlEngine

/// Going on later, also in another process.
extension DownloadTask {
    /// Whether the download could be gone on with if it were cancelled now, and why not.
    public var resumability: Resumability { monitor.resumability }

    /// Ends the task, keeps what came, and says with what to go on.
    ///
    /// - Returns: Nil where the file is whole, or there is nothing to go on with: `resumability` and the task's
    ///   `error?.resumeObstacle` say why.
    public func cancelByProducingResumeData() async -> ResumeData? {
        end(keeping: true)
        await end.waitInAnyCase()
        // It may have been whole before it was cancelled.
        guard let error else { return nil }
        // Before its first run what it began with still counts.
        return error.resumeData ?? (monitor.paths == nil ? resumeOrder?.data : nil)
    }
}

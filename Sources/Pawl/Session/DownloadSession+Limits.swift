internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// Limits that change while tasks run.
extension DownloadSession {
    /// The most that all tasks together may bring from now on, in bytes a second; nil is no limit.
    package func setLimit(bytesPerSecond limit: Int64?) {
        guard engine.limit.limitBytesPerSecond != limit.flatMap({ $0 > 0 ? $0 : nil }) else {
            return
        }
        engine.limit.setLimit(bytesPerSecond: limit, now: engine.time.now())
        let tasks = state.withLock { Array($0.tasks.values) }
        for case let task as DownloadTask in tasks { task.currentControl.limitChanged() }
    }

    /// How many connections a host gets from now on; those above it end by themselves.
    package func setLimit(connectionsPerHost: Int) {
        engine.budgets.setLimit(connectionsPerHost: connectionsPerHost)
    }
}

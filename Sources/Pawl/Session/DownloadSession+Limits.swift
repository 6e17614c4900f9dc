internal import PawlCore
internal import PawlEngine
package import PawlWire
internal import Synchronization

/// Limits that can change while tasks run.
extension DownloadSession {
    /// Sets the maximum speed of all tasks together, in bytes per second; `nil` is no limit.
    package func setLimit(bytesPerSecond limit: Int64?) {
        guard engine.limit.limitBytesPerSecond != limit.flatMap({ $0 > 0 ? $0 : nil }) else {
            return
        }
        engine.limit.setLimit(bytesPerSecond: limit, now: engine.time.now())
        let tasks = state.withLock { Array($0.tasks.values) }
        for case let task as DownloadTask in tasks { task.currentControl.limitChanged() }
    }

    /// The current use of each host.
    package var hosts: WireHosts { WireHosts(engine.budgets.hosts.map(WireHost.init)) }

    /// Sets the number of connections per host.
    ///
    /// Excess connections end by themselves.
    package func setLimit(connectionsPerHost: Int) {
        engine.budgets.setLimit(connectionsPerHost: connectionsPerHost)
    }
}

extension WireHost {
    fileprivate init(_ use: HostBudget.Use) {
        self.init(host: use.name.sanitized, budget: use.limit)
        (connections, streams, waiting) = (use.connections, use.streams, use.waiting)
        coolDownSeconds = use.coolDown?.seconds
    }
}

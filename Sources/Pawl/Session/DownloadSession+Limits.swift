internal import PawlCore
internal import PawlEngine
package import PawlWire
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

    /// What is done with each host at this moment.
    package var hosts: WireHosts { WireHosts(engine.budgets.hosts.map(WireHost.init)) }

    /// How many connections a host gets from now on; those above it end by themselves.
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

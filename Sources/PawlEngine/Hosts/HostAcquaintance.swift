internal import PawlCore
internal import PawlStorage

/// One download's use of the memory of hosts: it looks up the host of the first response, and keeps
/// what the download has learned of it.
struct HostAcquaintance {
    private let memory: (any HostRemembering)?
    private let pool: BlockingPool
    private let budgets: HostBudgets
    /// `isShared`: whether other downloads were using the host then.
    private var met: (path: HostPath, isShared: Bool, at: Moment)?

    /// The size of a file from which the number of connections matters.
    private static let leastBytes: Int64 = 1 << 20
    /// The duration of a download from which it has learned something.
    private static let shortestDuration: Duration = .milliseconds(500)

    init(_ parts: DownloadParts) {
        memory = parts.job.settings.remembersHosts ? parts.engine.hosts : nil
        pool = parts.engine.disk
        budgets = parts.engine.budgets
    }

    /// Returns what is known of the host of the first response that can be used; `nil` for later
    /// ones.
    mutating func meet(_ head: ResponseHead, _ verdict: HeadVerdict, at now: Moment) async
        -> HostRecord?
    {
        guard let memory, met == nil, verdict.usableTotal ?? 0 >= Self.leastBytes else {
            return nil
        }
        let host = HostBudget.name(of: head.url)
        let path = HostPath(host: host, localAddress: IPAddress(head.localAddress))
        met = (path, isShared: budgets.isShared(host), now)
        return try? await pool.run { () throws(DownloadError) in memory.record(of: path) }
    }

    /// Keeps what the download has learned, when its transfers have ended.
    ///
    /// If other downloads use the host, a limit or a speed is only this download's share.
    func keep(_ lesson: HostRecord?, at now: Moment) async {
        guard let memory, let met, let lesson, now - met.at >= Self.shortestDuration,
            !met.isShared, budgets.transfers(with: met.path.host) == 0
        else { return }
        try? await pool.run { () throws(DownloadError) in memory.learn(lesson, of: met.path) }
    }
}

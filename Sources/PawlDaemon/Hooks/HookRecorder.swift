internal import FoundationEssentials
internal import PawlCore
internal import PawlHooks
internal import PawlWire

/// Records the jobs of hooks, in the transaction that records the event that they are for.
final class HookRecorder {
    private let environment: QueueEnvironment
    private let settings: QueueSettings
    /// Whether jobs were recorded that the runner may not know.
    private var hasNew = false

    init(_ environment: QueueEnvironment, _ settings: QueueSettings) {
        (self.environment, self.settings) = (environment, settings)
    }

    /// Records the jobs for an event of a download.
    ///
    /// `request`: the request of the download if it is known; it must not be forgotten yet.
    func record(
        _ event: HookEvent,
        _ row: WireDownload,
        request: NewDownload? = nil,
        _ transaction: StoreTransaction
    ) throws {
        var hooks = DownloadHooks()
        if let request = try request ?? Self.request(of: row.id, transaction) {
            hooks = request.settings?.validSettings.hooks ?? hooks
        }
        hooks = hooks.over(settings.current.hooks)
        guard !hooks.isEmpty else { return }
        for job in HookJob.jobs(hooks, HookFacts(event, row, at: transaction.now)) {
            try transaction.hooks.add(job, for: row.id)
            hasNew = true
        }
    }

    private static func request(
        of id: Int64,
        _ transaction: StoreTransaction
    ) throws -> NewDownload? {
        let body = try transaction.requests.request(of: id)
        // A request that cannot be read has no hooks.
        return body.flatMap { try? WireJSON.decode(NewDownload.self, from: $0) }
    }

    /// Wakes the runner of the jobs after the commit.
    func committed() {
        guard hasNew else { return }
        hasNew = false
        environment.hooks.send()
    }
}

internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlHooks
internal import Synchronization

/// Does the jobs of hooks, those of one download one after the other.
///
/// A job that was not recorded as done when the daemon ended is done again at the next start.
final class HookRunner: Sendable {
    private let queue: DaemonQueue
    private let logger: Logger
    private let delivery: HookDelivery
    private let policy = WebhookPolicy.patient
    /// The downloads that have a running job.
    private let busy = Mutex<Set<Int64>>([])

    /// The maximum number of jobs that run at the same time.
    private static let mostRunning = 8
    /// The maximum number of jobs that are looked at together.
    private static let mostRead = 1000
    /// The maximum time between two looks, because the clock may be set.
    private static let checkInterval: Duration = .seconds(60)

    init(queue: DaemonQueue, logger: Logger) {
        (self.queue, self.logger) = (queue, logger)
        var configuration = SessionConfiguration.default
        configuration.removesLeftovers = false
        delivery = HookDelivery(session: DownloadSession(configuration, logger: logger))
    }

    /// Does the jobs until the task is cancelled, which stops running programs.
    func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let (due, wait) = await due(at: Date())
                for entry in due { group.addTask { await self.run(entry) } }
                await queue.hooks.wait(atMost: wait)
            }
            group.cancelAll()
        }
    }

    /// Returns the jobs to begin, and the time until the next one is due.
    private func due(at now: Date) async -> ([HookTable.Entry], Duration?) {
        let (entries, next): ([HookTable.Entry], Date?)
        do throws(DownloadError) {
            (entries, next) = try await queue.store.read { transaction in
                (
                    try transaction.hooks.due(at: now, limit: Self.mostRead),
                    try transaction.hooks.nextDate(after: now)
                )
            }
        } catch {
            logger.error("the hooks cannot be read: \(error)")
            return ([], Self.checkInterval)
        }
        return busy.withLock { busy in
            var due: [HookTable.Entry] = []
            // A job that waits for another attempt does not delay the others of its download.
            for entry in entries where busy.count < Self.mostRunning {
                if busy.insert(entry.download).inserted { due.append(entry) }
            }
            let seconds = next?.timeIntervalSince(now)
            return (due, seconds.map { min(.seconds($0), Self.checkInterval) })
        }
    }

    private func run(_ entry: HookTable.Entry) async {
        let end = await work(on: entry)
        // A job that was stopped with the daemon is done again at the next start.
        guard !Task.isCancelled else { return }
        do throws(DownloadError) {
            try await queue.ended(entry, end)
        } catch {
            logger.error("download \(entry.download): the end of a hook was not recorded: \(error)")
            // Otherwise the job would be repeated at once.
            try? await Task.sleep(for: Self.checkInterval)
        }
        busy.withLock { _ = $0.remove(entry.download) }
        queue.hooks.send()
    }

    private func work(on entry: HookTable.Entry) async -> HookTable.End {
        var job = entry.job
        let name = "download \(entry.download): \(job.name)"
        do throws(DownloadError) {
            let outcome = try await delivery.run(job)
            logger.notice("\(name) \(outcome.end?.text ?? "was accepted")")
            return .done(folder: outcome.folder)
        } catch {
            job.failures += 1
            let wait = policy.wait(after: error, failures: job.failures)
            let next = wait.map { "; trying again in \($0)" } ?? "; giving up"
            logger.warning("\(name) failed: \(error)\(next)")
            guard let wait else { return .done() }
            job.notBefore = Date() + TimeInterval(wait.components.seconds)
            return .again(job)
        }
    }
}

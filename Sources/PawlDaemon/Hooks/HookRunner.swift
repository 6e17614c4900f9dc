internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlHooks
internal import PawlWire
internal import Synchronization

/// Does the jobs of hooks, those of one download one after the other.
///
/// A job that was not recorded as done when the daemon ended is done again at the next start.
final class HookRunner: Sendable {
    private let queue: DaemonQueue
    private let logger: Logger
    private let delivery: HookDelivery
    private let policy = WebhookPolicy.patient
    private let state = Mutex(State())

    private struct State {
        /// The downloads whose next job waits: one runs, or its end is not recorded yet.
        var busy: Set<Int64> = []
        /// The number of running jobs.
        var runningCount = 0
    }

    /// The maximum number of jobs that are looked at together.
    private static let mostRead = 1000
    /// The maximum time between two looks, because the clock may be set.
    private static let checkInterval: Duration = .seconds(60)
    /// The time after which an end is recorded again that could not be recorded.
    private static let recordInterval: Duration = .seconds(10)

    /// `environment`: the changes to the environment of the programs.
    init(queue: DaemonQueue, environment: [String: String?], logger: Logger) {
        (self.queue, self.logger) = (queue, logger)
        var configuration = SessionConfiguration.default
        configuration.removesLeftovers = false
        delivery = HookDelivery(
            session: DownloadSession(configuration, logger: logger),
            environment: environment
        )
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
        return state.withLock { state in
            var due: [HookTable.Entry] = []
            // A job that waits for another attempt does not delay the others of its download.
            for entry in entries where state.runningCount < HookDelivery.mostAtOnce {
                guard state.busy.insert(entry.download).inserted else { continue }
                state.runningCount += 1
                due.append(entry)
            }
            let seconds = next?.timeIntervalSince(now)
            return (due, seconds.map { min(.seconds($0), Self.checkInterval) })
        }
    }

    private func run(_ entry: HookTable.Entry) async {
        let end = await work(on: entry)
        state.withLock { $0.runningCount -= 1 }
        queue.hooks.send()
        // A job that was stopped with the daemon is done again at the next start.
        guard !Task.isCancelled else { return }
        await record(end, of: entry)
        state.withLock { _ = $0.busy.remove(entry.download) }
        queue.hooks.send()
    }

    /// Records the end of a job, again and again if the store cannot be written: what is not
    /// recorded would be done again.
    private func record(_ end: HookTable.End, of entry: HookTable.Entry) async {
        while !Task.isCancelled {
            do throws(DownloadError) {
                return try await queue.ended(entry, end)
            } catch {
                logger.error(
                    "download \(entry.download): the end of a hook was not recorded: \(error)"
                )
            }
            // The loop checks for cancellation.
            try? await Task.sleep(for: Self.recordInterval)
        }
    }

    /// Notes a result before it can be seen, so that the job is not done twice if the daemon ends
    /// before its end is recorded.
    private func note(_ job: HookJob, of entry: HookTable.Entry) async {
        do throws(DownloadError) {
            try await queue.ended(entry, .again(job))
        } catch {
            logger.warning("download \(entry.download): a hook was not recorded: \(error)")
        }
    }

    private func work(on entry: HookTable.Entry) async -> HookTable.End {
        var job = entry.job
        let name = "download \(entry.download): \(job.name)"
        do throws(DownloadError) {
            let outcome = try await delivery.run(job) { await note($0, of: entry) }
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

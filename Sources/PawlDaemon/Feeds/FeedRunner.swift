internal import FoundationEssentials
internal import Logging
internal import PawlCore
internal import PawlWire
internal import Synchronization

/// Checks the feeds by their schedule and on request.
final class FeedRunner: Sendable {
    private typealias Outcome = Result<WireFeedCheck, DownloadError>

    private let queue: DaemonQueue
    private let logger: Logger
    /// The running checks, by feed.
    private let running = Mutex<[Int64: Completion<Outcome>]>([:])
    /// Wakes the requests that wait until fewer checks run.
    private let freed = Wakeup()

    /// The maximum number of checks that run at the same time.
    private static let mostRunning = 2
    /// The maximum time between two looks at the schedule, because the clock may be set and the
    /// machine may be suspended.
    private static let checkInterval: Duration = .seconds(60)

    private enum Turn {
        case begun(Completion<Outcome>)
        /// A check of the feed runs already.
        case shared(Completion<Outcome>)
        /// Too many checks run.
        case none
    }

    init(queue: DaemonQueue, logger: Logger) { (self.queue, self.logger) = (queue, logger) }

    /// Checks feeds by their schedule until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let (begun, wait) = await beginDue(at: Date())
                for (id, completion) in begun {
                    group.addTask { await self.checkScheduled(id, completion) }
                }
                await queue.feedWork.wait(atMost: wait)
            }
            group.cancelAll()
        }
    }

    /// Checks a feed now; if a check of it runs, returns the outcome of that one.
    func check(_ id: Int64, by authority: Authority) async throws(DownloadError) -> WireFeedCheck {
        try await queue.authorizeFeedCheck(id, by: authority)
        while true {
            switch turn(of: id) {
            case .begun(let completion):
                let outcome = await outcome(of: id)
                end(id, completion, outcome)
                return try outcome.get()
            case .shared(let completion):
                guard let outcome = await completion.wait() else { throw Self.stopped }
                return try outcome.get()
            case .none:
                await freed.wait()
                guard !Task.isCancelled else { throw Self.stopped }
            }
        }
    }

    // MARK: - Turns

    /// Begins the checks that are due; returns them, and the time until the next one.
    private func beginDue(at now: Date) async -> ([(Int64, Completion<Outcome>)], Duration) {
        let schedule: [(id: Int64, date: Date)]
        do throws(DownloadError) {
            schedule = try await queue.store.read { try $0.feeds.schedule() }
        } catch {
            logger.error("the feeds cannot be read: \(error)")
            return ([], Self.checkInterval)
        }
        var begun: [(Int64, Completion<Outcome>)] = []
        var wait = Self.checkInterval
        for (id, date) in schedule {
            if FeedSchedule.isDue(date, at: now) {
                // The end of a check looks at the schedule again.
                if case .begun(let completion) = turn(of: id) { begun.append((id, completion)) }
            } else {
                wait = min(wait, .seconds(date.timeIntervalSince(now)))
            }
        }
        return (begun, wait)
    }

    private func turn(of id: Int64) -> Turn {
        running.withLock { running in
            if let other = running[id] { return .shared(other) }
            guard running.count < Self.mostRunning else { return .none }
            let completion = Completion<Outcome>()
            running[id] = completion
            return .begun(completion)
        }
    }

    private func end(_ id: Int64, _ completion: Completion<Outcome>, _ outcome: Outcome) {
        running.withLock { _ = $0.removeValue(forKey: id) }
        completion.complete(with: outcome)
        freed.send()
        queue.feedWork.send()
    }

    // MARK: - Checks

    private func checkScheduled(_ id: Int64, _ completion: Completion<Outcome>) async {
        let outcome = await outcome(of: id)
        if case .failure = outcome {
            // Nothing was recorded, so the check would be repeated at once. Cancellation ends the
            // wait.
            try? await Task.sleep(for: Self.checkInterval)
        }
        end(id, completion, outcome)
    }

    /// Requests a feed, and records the result.
    private func outcome(of id: Int64) async -> Outcome {
        do throws(DownloadError) {
            guard let feed = try await queue.store.read({ try $0.feeds.find(id) }) else {
                throw DownloadError.noFeed(id)
            }
            let settings = await queue.storedSettings
            let reading = await reading(of: feed, settings)
            // A check that was stopped with the daemon is made again at the next start.
            guard !Task.isCancelled else { throw Self.stopped }
            let check = try await queue.record(reading, of: feed, jitter: .random(in: 0..<1))
            log(check)
            return .success(check)
        } catch {
            if !Task.isCancelled {
                logger.error("feed \(id): the check was not recorded: \(error)")
            }
            return .failure(error)
        }
    }

    private func reading(
        of feed: FeedTable.Row,
        _ settings: DaemonSettings
    ) async -> Result<FeedReading, DownloadError> {
        do throws(DownloadError) {
            return .success(try await FeedFetcher(logger: logger).fetch(feed, settings))
        } catch {
            return .failure(error)
        }
    }

    private func log(_ check: WireFeedCheck) {
        let name = "feed \(check.feed.id) (\(check.feed.name.sanitized))"
        if let problem = check.feed.problem {
            logger.warning("\(name) cannot be read: \(problem.error)")
        } else if !check.downloads.isEmpty {
            logger.notice("\(name) has added \(check.downloads.count) downloads")
        }
    }

    private static let stopped = DownloadError(.interrupted, "the check was stopped")
}

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
    /// The feeds whose last check could not be recorded, with the time until which they rest.
    private let resting = Mutex<[Int64: ContinuousClock.Instant]>([:])
    /// The feeds that cannot be decoded, which are reported once.
    private let reported = Mutex<Set<Int64>>([])
    /// Wakes the requests that wait until fewer checks run.
    private let freed = Wakeup()

    /// The maximum number of checks that run at the same time.
    private static let mostRunning = 2
    /// The maximum time between two looks at the schedule, because the clock may be set and the
    /// machine may be suspended.
    private static let checkInterval: Duration = .seconds(60)

    /// The time after which a node looks whether it is its turn to check feeds.
    private static let turnInterval: Duration = .seconds(5)

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
        // One of several nodes checks the feeds.
        guard queue.store.fleet?.isFirst ?? true else { return ([], Self.turnInterval) }
        let list: FeedTable.List
        do throws(DownloadError) {
            list = try await queue.store.read { try $0.feeds.list() }
        } catch {
            logger.error("the feeds cannot be read: \(error)")
            return ([], Self.checkInterval)
        }
        report(list.unreadable)
        let resting = resting.withLock { resting in
            resting = resting.filter { $0.value > .now }
            return resting
        }
        var begun: [(Int64, Completion<Outcome>)] = []
        var wait = Self.checkInterval
        let planned = list.feeds.compactMap { feed in feed.nextCheck.map { (feed, date: $0) } }
        for (feed, date) in planned.sorted(by: { $0.date < $1.date }) {
            if let end = resting[feed.id] {
                wait = min(wait, ContinuousClock.now.duration(to: end))
            } else if FeedSchedule.isDue(date, feed.rules, feed.state, at: now) {
                // The end of a check looks at the schedule again.
                if case .begun(let completion) = turn(of: feed.id) {
                    begun.append((feed.id, completion))
                }
            } else {
                wait = min(wait, .seconds(date.timeIntervalSince(now)))
            }
        }
        return (begun, max(.zero, wait))
    }

    private func report(_ feeds: [FeedTable.Unreadable]) {
        for feed in feeds where reported.withLock({ $0.insert(feed.id).inserted }) {
            logger.error("\(DownloadError.unreadableFeed(feed.id))")
        }
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
            // Nothing was recorded, so the check would be repeated at once.
            resting.withLock { $0[id] = .now + Self.checkInterval }
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
            let check = try await record(reading, of: feed)
            log(check)
            return .success(check)
        } catch {
            if !Task.isCancelled {
                logger.error("feed \(id): the check was not recorded: \(error)")
            }
            return .failure(error)
        }
    }

    /// Records the result of a request in several transactions, between which others have their
    /// turn.
    private func record(
        _ reading: Result<FeedReading, DownloadError>,
        of feed: FeedTable.Row
    ) async throws(DownloadError) -> WireFeedCheck {
        let jitter = Double.random(in: 0..<1)
        var ids: [Int64] = []
        do throws(DownloadError) {
            guard let findings = try await findings(in: try reading.get(), of: feed) else {
                return WireFeedCheck(try await queue.abandonFeedCheck(of: feed), downloads: [])
            }
            for batch in findings.batches {
                guard let added = try await queue.record(batch, of: feed) else {
                    return WireFeedCheck(try await queue.abandonFeedCheck(of: feed), downloads: ids)
                }
                ids += added
            }
            let recorded = try await queue.finishFeedCheck(findings, of: feed, jitter: jitter)
            return WireFeedCheck(recorded, downloads: ids)
        } catch {
            let recorded = try await queue.failFeedCheck(error, of: feed, jitter: jitter)
            return WireFeedCheck(recorded, downloads: ids)
        }
    }

    /// Decides what is added; this may take seconds, and does not hold up the queue.
    ///
    /// - Returns: `nil` if the feed was removed.
    private func findings(
        in reading: FeedReading,
        of feed: FeedTable.Row
    ) async throws(DownloadError) -> FeedFindings? {
        guard let document = reading.document else { return FeedFindings(reading) }
        // The items of a feed that was removed are unknown, and all would be added after an undo.
        let known = try await queue.store.read { transaction in
            try transaction.feeds.owner(of: feed.id) == nil
                ? nil : try transaction.feeds.items(of: feed.id)
        }
        guard let known else { return nil }
        let now = Date()
        let decision = FeedMemory.decide(
            document,
            known: known,
            rules: feed.rules,
            isFirst: !feed.state.isKnown,
            at: now
        )
        let template = try await queue.feedTemplate(for: feed, reading)
        var names: TitleNames?
        if feed.rules.fileNames == .title, !decision.added.isEmpty {
            let folder = template.destination
            let taken = try await queue.store.read { try $0.downloads.destinations(in: folder) }
            names = TitleNames(in: folder, taken: taken)
        }
        let findings = FeedFindings(reading, decision, template, names, of: feed.owner, at: now)
        if let reason = findings.reason {
            logger.warning(
                "feed \(feed.id) (\(feed.name.sanitized)): items left out: \(findings.unusable), the first of them: \(reason)"
            )
        }
        return findings
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
            let failure = check.feed.failures == nil ? "" : "cannot be read: "
            logger.warning("\(name): \(failure)\(problem.error)")
        }
        if !check.downloads.isEmpty {
            logger.notice("\(name) has added \(check.downloads.count) downloads")
        }
    }

    private static let stopped = DownloadError(.interrupted, "the check was stopped")
}

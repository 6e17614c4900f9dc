internal import struct FoundationEssentials.URL
internal import Glibc
internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlWire
internal import Synchronization

/// Receives the events of a background session from the daemon, and acknowledges those that the
/// session has reported.
///
/// Events are handled one at a time and completely. So they are reported in order, and every
/// acknowledged event was reported.
final class BackgroundReceiver: Sendable {
    private struct State {
        var wasAttached = false
        /// The daemon's downloads of the session at the time of attaching.
        var listed: Set<Int64> = []
        /// The newest event that was received.
        var lastSeen: Int64?
        /// Set when the latest event has been reported.
        var reporting: Completion<Void>?
    }

    private let link: BackgroundLink
    private let state = Mutex(State())
    /// The newest event that was reported.
    private let reported = Mailbox<Int64>()

    init(_ link: BackgroundLink) { self.link = link }

    private var session: DownloadSession? { link.session }

    /// Attaches to the session.
    ///
    /// Returns when the stream has ended.
    ///
    /// `mayStart`: whether a daemon is started if none runs.
    func receive(starting mayStart: Bool) async throws(DownloadError) {
        let (client, identifier) = (try link.client(), link.identifier)
        let configuration = link.configuration
        let registration = SessionRegistration(identifier: identifier)
        let known =
            mayStart
            ? try await client.process.starting { (client) async throws(DownloadError) in
                try await client.register(registration)
            } : try await client.register(registration)
        if client.isDaemonOlder == true {
            let notice = client.olderNotice.text(for: .library)
            link.logger.warning("session '\(identifier)': \(notice)")
        }
        try await forgetOldNumbers(client)
        var query = AttachQuery(session: identifier)
        query.process = getpid()
        let (last, isAgain) = state.withLock { ($0.lastSeen, $0.wasAttached) }
        query.takesOver = configuration.takesOverBackgroundSession || isAgain
        let events = try await client.attach(query, after: last)
        // Only the session's owner sets the command that is run for it.
        var own = registration
        own.relaunchCommand = configuration.relaunchCommand ?? []
        own.maximumConcurrentDownloads = max(1, configuration.maximumConcurrentDownloads)
        // 0 is sent only to remove a limit: a daemon of an older version does not know limits of
        // sessions.
        let limit = max(0, configuration.limitBytesPerSecond ?? 0)
        own.limitBytesPerSecond = limit == 0 && known.limitBytesPerSecond == nil ? nil : limit
        _ = try await client.register(own)
        // The last acknowledgement of an earlier attachment may have been lost.
        if let last { try await client.acknowledge(last, of: identifier) }
        try await list(client)
        state.withLock { $0.wasAttached = true }
        link.attached()
        try await handle(events)
    }

    /// Forgets the numbers of a queue that was replaced: its events have not reached the last one
    /// seen.
    private func forgetOldNumbers(_ client: DaemonClient) async throws(DownloadError) {
        guard let last = state.withLock({ $0.lastSeen }),
            try await client.status().lastEvent < last
        else { return }
        state.withLock { $0.lastSeen = nil }
        for task in link.tasks { task.forgetEvents() }
    }

    /// Takes over the daemon's downloads of the session.
    private func list(_ client: DaemonClient) async throws(DownloadError) {
        var query = ListQuery()
        query.session = link.identifier
        query.isPending = true
        query.limit = ListQuery.mostLimit
        var (numbers, ids) = (Set<Int>(), Set<Int64>())
        repeat {
            let page = try await client.list(query)
            ids.formUnion(page.downloads.map(\.id))
            for row in page.downloads where isNew(row) {
                adopt(row)
                if let number = row.taskIdentifier { numbers.insert(Int(number)) }
            }
            query.after = page.next
        } while query.after != nil
        state.withLock { [ids] in $0.listed = ids }
        // Only at the first attach: later, tasks of this process may still use their files.
        guard !state.withLock({ $0.wasAttached }) else { return }
        guard let session else { return }
        BackgroundFiles(session).sweep(keeping: numbers, before: link.firstNumber)
    }

    /// Whether the row is new here.
    ///
    /// Downloads that ended or were released here are reported only by their events.
    private func isNew(_ row: WireDownload) -> Bool {
        link.task(row.id) != nil || !link.isBound(row.id)
    }

    private func handle(_ events: DaemonEvents) async throws(DownloadError) {
        var iterator = events.makeAsyncIterator()
        while let element = try await iterator.next() {
            switch element {
            case .event(let event): try await take(event)
            case .progress(let progress): await take(progress)
            case .notice(.missed): try await catchUp()
            case .notice(.attached):
                try await findLost()
                try await finishReplay()
            case .notice(.detached):
                throw DownloadError(
                    .alreadyRunning,
                    "another process has taken over the session '\(link.identifier)'",
                    advice: "only one process at a time can use it"
                )
            }
        }
    }

    /// Reports what has ended meanwhile, for which there are no more events, from the list.
    private func catchUp() async throws(DownloadError) {
        for task in link.tasks {
            let client = try link.client()
            guard let id = task.openID, let row = try await client.find(id),
                row.taskIdentifier == Int64(task.taskIdentifier)
            else { continue }
            try await task.catchUp(with: row, client)
        }
    }

    /// Ends the tasks that the daemon no longer knows, after all events were received.
    ///
    /// This happens if its queue was damaged.
    private func findLost() async throws(DownloadError) {
        let listed = state.withLock { state in
            defer { state.listed = [] }
            return state.listed
        }
        for task in link.tasks {
            guard let id = task.openID, !listed.contains(id) else { continue }
            let row = try await link.client().find(id)
            if row?.taskIdentifier != Int64(task.taskIdentifier) { task.lost() }
        }
    }

    /// Ends the replay.
    ///
    /// A caller that is told may end the process at once, so everything reported before is
    /// acknowledged first.
    private func finishReplay() async throws(DownloadError) {
        guard !link.hasReplayed else { return }
        if let last = state.withLock({ $0.lastSeen }) {
            try await link.client().acknowledge(last, of: link.identifier)
        }
        session?.runner.post(.finishedEvents)
        link.replayed()
    }

    // MARK: - Events

    private func take(_ event: WireEvent) async throws(DownloadError) {
        let reporting = Completion<Void>()
        state.withLock { $0.reporting = reporting }
        defer { reporting.complete() }
        if link.stopped.isComplete { throw Self.released }
        guard event.id > state.withLock({ $0.lastSeen ?? 0 }) else { return }
        if let task = try await task(of: event) {
            try await task.received(event, try link.client())
            if event.kind.isEnd { await waitUntilReported(task) }
        } else if session == nil {
            throw Self.released
        }
        state.withLock { $0.lastSeen = event.id }
        reported.post(event.id)
    }

    /// The error if nobody is left to report to.
    ///
    /// The next process will be told.
    private static let released = DownloadError(.interrupted, "the session was released")

    /// Returns the task of a download.
    ///
    /// A download that is new here is taken over.
    private func task(of event: WireEvent) async throws(DownloadError) -> BackgroundTask? {
        guard let id = event.download else { return nil }
        if let task = link.task(id) { return task }
        // A download that has ended or was released here has nothing to report, unless it resumes.
        guard !link.isBound(id) || event.kind == .resumed else { return nil }
        // The daemon has only the event of this download.
        if let row = event.removed { return adopt(row) }
        guard event.kind != .removed, event.kind != .cancelled,
            let row = try await link.client().find(id), !row.state.isEnd || event.kind.isEnd
        else { return nil }
        return adopt(row)
    }

    /// Creates a task for the daemon's download, or finds the task that has requested it.
    @discardableResult
    private func adopt(_ row: WireDownload) -> BackgroundTask? {
        guard let session else { return nil }
        let number = row.taskIdentifier.map { Int($0) }
        let known = link.task(row.id) ?? number.flatMap { session.task($0) } as? BackgroundTask
        guard let task = known ?? makeTask(row, number, session) else { return nil }
        link.bind(row.id, to: task.taskIdentifier)
        task.found(row)
        return task
    }

    /// Creates a task for a download that the daemon has; `nil` if the session accepts none any
    /// more.
    private func makeTask(
        _ row: WireDownload,
        _ number: Int?,
        _ session: DownloadSession
    ) -> BackgroundTask? {
        // Secrets in its URL are hidden, so the reported URL cannot be requested again.
        guard !session.isInvalid, let url = URL(string: row.url) else { return nil }
        let target = DownloadTask.Target(destination: BackgroundFiles(session).destination(of: row))
        let task = session.makeTask(number) { membership -> BackgroundTask in
            var membership = membership
            // It was created before the session was invalidated.
            membership.isLate = false
            return BackgroundTask(
                DownloadRequest(url),
                target,
                at: membership,
                link: link,
                isAdopted: true,
                completionHandler: nil
            )
        }
        let options = BackgroundTaskOptions(row)
        task.taskDescription = options.description
        task.priority = options.priority
        task.earliestBeginDate = options.notBefore
        task.limitBytesPerSecond = options.limit
        return task
    }

    private func waitUntilReported(_ task: BackgroundTask) async {
        await task.end.waitIgnoringCancellation()
        let mark = Completion<Void>()
        session?.runner.post(.mark(task, mark))
        if session != nil { await mark.waitIgnoringCancellation() }
    }

    // MARK: - Progress

    private func take(_ progress: WireProgress) async {
        for row in progress.downloads {
            guard let task = link.task(row.id) else { continue }
            task.update(row)
            guard task.response == nil, row.completedBytes > 0, let client = try? link.client(),
                let whole = try? await client.find(row.id)
            else { continue }
            task.update(whole)
        }
    }

    // MARK: - Acknowledging

    /// Acknowledges to the daemon the events that were reported, as often as it can keep up.
    func acknowledge() async {
        while !Task.isCancelled {
            await reported.waitIgnoringCancellation()
            if let last = reported.take().max() { await acknowledge(last) }
        }
    }

    /// Wakes `acknowledge()`, which may have been cancelled.
    func wake() { reported.wake() }

    /// Acknowledges the last events.
    ///
    /// While the stream is open, no other process has the session, which would report them again.
    func acknowledgeLast() async {
        await state.withLock { $0.reporting }?.waitIgnoringCancellation()
        if let last = state.withLock({ $0.lastSeen }) { await acknowledge(last) }
    }

    private func acknowledge(_ last: Int64) async {
        do throws(DownloadError) {
            try await link.client().acknowledge(last, of: link.identifier)
        } catch {
            // These events are reported again when the session attaches the next time.
            link.logger.debug("session '\(link.identifier)': \(error)")
        }
    }
}

extension WireEvent.Kind {
    /// Whether it ends a task of a session.
    var isEnd: Bool {
        switch self {
        case .finished, .failed, .cancelled, .removed: true
        case .added, .started, .retrying, .paused, .resumed, .changed, .settings: false
        }
    }
}

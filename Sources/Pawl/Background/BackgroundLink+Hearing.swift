internal import Glibc
internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlWire
internal import Synchronization

/// Receives what the daemon reports.
extension BackgroundLink {
    /// Attaches to the session.
    ///
    /// Returns when the stream has ended.
    ///
    /// `mayStart`: whether a daemon is started if none runs.
    func attachAndHear(starting mayStart: Bool) async throws(DownloadError) {
        let client = try client()
        let registration = SessionRegistration(identifier: identifier)
        let known =
            mayStart
            ? try await client.starting { (client) async throws(DownloadError) in
                try await client.register(registration)
            } : try await client.register(registration)
        if client.isDaemonOlder == true {
            logger.warning("session '\(identifier)': \(DaemonClient.olderNotice)")
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
        state.withLock { state in
            state.wasAttached = true
            state.phase = .attached
        }
        listed.complete()
        wakeTasks()
        try await hear(events)
    }

    /// Forgets the numbers of a queue that was replaced: its events have not reached the last one
    /// seen.
    private func forgetOldNumbers(_ client: DaemonClient) async throws(DownloadError) {
        guard let last = state.withLock({ $0.lastSeen }),
            try await client.status().lastEvent < last
        else { return }
        state.withLock { $0.lastSeen = nil }
        for case let task as BackgroundTask in session?.currentTasks ?? [] {
            task.remote.withLock { $0.ownEvents = 0 }
        }
    }

    /// Takes over the daemon's downloads of the session.
    private func list(_ client: DaemonClient) async throws(DownloadError) {
        var query = ListQuery()
        query.session = identifier
        query.isPending = true
        query.limit = ListQuery.mostLimit
        var (numbers, ids) = (Set<Int>(), Set<Int64>())
        repeat {
            let page = try await client.list(query)
            ids.formUnion(page.downloads.map(\.id))
            for row in page.downloads where isNews(row) {
                adopt(row)
                if let number = row.taskIdentifier { numbers.insert(Int(number)) }
            }
            query.after = page.next
        } while query.after != nil
        state.withLock { [ids] in $0.there = ids }
        // Nobody will ask for these any more.
        guard !state.withLock({ $0.wasAttached }) else { return }
        session?.sweepBackground(keeping: numbers, before: firstNumber)
    }

    /// Whether the row is new here.
    ///
    /// Downloads that ended or were released here are reported only by their events.
    private func isNews(_ row: WireDownload) -> Bool {
        task(row.id) != nil || state.withLock { $0.numbers[row.id] == nil }
    }

    private func hear(_ events: DaemonEvents) async throws(DownloadError) {
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
                    "another process has taken over the session '\(identifier)'",
                    advice: "only one process at a time can use it"
                )
            }
        }
    }

    /// Reports what has ended meanwhile, for which there are no more events, from the list.
    private func catchUp() async throws(DownloadError) {
        for case let task as BackgroundTask in session?.currentTasks ?? [] {
            guard let id = task.remote.withLock({ $0.outcome == nil ? $0.id : nil }) else {
                continue
            }
            do throws(DownloadError) {
                let row = try await client().download(id)
                if row.taskIdentifier == Int64(task.taskIdentifier) { task.catchUp(with: row) }
            } catch {
                guard error.code == .notFound else { throw error }
            }
        }
    }

    /// Ends the tasks that the daemon no longer knows, after all events were received.
    ///
    /// This happens if its queue was damaged.
    private func findLost() async throws(DownloadError) {
        let there = state.withLock { state in
            defer { state.there = [] }
            return state.there
        }
        for case let task as BackgroundTask in session?.currentTasks ?? [] {
            guard let id = task.remote.withLock({ $0.outcome == nil ? $0.id : nil }),
                !there.contains(id)
            else { continue }
            do throws(DownloadError) {
                let row = try await client().download(id)
                guard row.taskIdentifier != Int64(task.taskIdentifier) else { continue }
            } catch {
                guard error.code == .notFound else { throw error }
            }
            task.isLost()
        }
    }

    /// Ends the replay.
    ///
    /// A caller that is told may end the process at once, so everything reported before is
    /// acknowledged first.
    private func finishReplay() async throws(DownloadError) {
        let (hasReplayed, last) = state.withLock { ($0.hasReplayed, $0.lastSeen) }
        guard !hasReplayed else { return }
        if let last { try await client().acknowledge(last, of: identifier) }
        state.withLock { $0.hasReplayed = true }
        session?.post(.finishedEvents)
    }

    // MARK: - Events

    private func take(_ event: WireEvent) async throws(DownloadError) {
        let telling = Completion<Void>()
        state.withLock { $0.telling = telling }
        defer { telling.complete() }
        if stopped.isComplete { throw Self.letGo }
        guard event.id > state.withLock({ $0.lastSeen ?? 0 }) else { return }
        if let task = try await task(of: event) {
            try await task.hear(event, try client())
            if event.kind.isEnd { await waitUntilTold(task) }
        } else if session == nil {
            throw Self.letGo
        }
        state.withLock { $0.lastSeen = event.id }
        told.post(event.id)
    }

    /// The error if nobody is left to report to.
    ///
    /// The next process will be told.
    private static let letGo = DownloadError(.interrupted, "the session was released")

    /// Returns the task of a download.
    ///
    /// A download that is new here is taken over.
    private func task(of event: WireEvent) async throws(DownloadError) -> BackgroundTask? {
        guard let id = event.download else { return nil }
        if let task = task(id) { return task }
        // A download that has ended or was released here has nothing to report, unless it resumes.
        let isKnown = state.withLock { $0.numbers[id] != nil }
        guard !isKnown || event.kind == .resumed else { return nil }
        // The daemon has only the event of this download.
        if let row = event.removed { return adopt(row) }
        guard event.kind != .removed, event.kind != .cancelled else { return nil }
        do throws(DownloadError) {
            let row = try await client().download(id)
            guard !row.state.isEnd || event.kind.isEnd else { return nil }
            return adopt(row)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    private func task(_ id: Int64) -> BackgroundTask? {
        let (session, number) = state.withLock { ($0.session, $0.numbers[id]) }
        return number.flatMap { session?.backgroundTask($0) }
    }

    /// Creates a task for the daemon's download, or finds the task that has requested it.
    @discardableResult
    private func adopt(_ row: WireDownload) -> BackgroundTask? {
        guard let session else { return nil }
        let known = task(row.id) ?? row.taskIdentifier.flatMap { session.backgroundTask(Int($0)) }
        guard let task = known ?? session.adopt(row, link: self) else { return nil }
        bind(row.id, to: task.taskIdentifier)
        task.know(row)
        return task
    }

    private func waitUntilTold(_ task: BackgroundTask) async {
        await task.end.waitIgnoringCancellation()
        let mark = Completion<Void>()
        session?.post(.mark(mark))
        if session != nil { await mark.waitIgnoringCancellation() }
    }

    // MARK: - Progress

    private func take(_ progress: WireProgress) async {
        for row in progress.downloads {
            guard let task = task(row.id) else { continue }
            task.take(row)
            guard task.response == nil, row.completedBytes > 0, let client = try? client(),
                let whole = try? await client.download(row.id)
            else { continue }
            task.learn(whole)
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

internal import Glibc
internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlWire
internal import Synchronization

/// What the daemon tells.
extension BackgroundLink {
    /// Returns when the stream has ended.
    ///
    /// `mayStart`: where there is no daemon, one is started.
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
        // Only its owner says what is run for a session.
        var own = registration
        own.relaunchCommand = configuration.relaunchCommand ?? []
        own.maximumConcurrentDownloads = max(1, configuration.maximumConcurrentDownloads)
        // Nothing is lifted that is not there: a daemon of an older version knows of no limit.
        let limit = max(0, configuration.limitBytesPerSecond ?? 0)
        own.limitBytesPerSecond = limit == 0 && known.limitBytesPerSecond == nil ? nil : limit
        _ = try await client.register(own)
        // An earlier attachment's last word may have got lost.
        if let last { try await client.acknowledge(last, of: identifier) }
        try await list(client)
        state.withLock { state in
            state.wasAttached = true
            state.phase = .attached
        }
        listed.set()
        ringTasks()
        try await hear(events)
    }

    /// A queue whose events have not come as far as was heard is another one.
    private func forgetOldNumbers(_ client: DaemonClient) async throws(DownloadError) {
        guard let last = state.withLock({ $0.lastSeen }),
            try await client.status().lastEvent < last
        else { return }
        state.withLock { $0.lastSeen = nil }
        for case let task as BackgroundTask in session?.currentTasks ?? [] {
            task.remote.withLock { $0.ownEvents = 0 }
        }
    }

    /// Takes over what the daemon has of the session.
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
        // What nobody will ask for any more.
        guard !state.withLock({ $0.wasAttached }) else { return }
        session?.sweepBackground(keeping: numbers, before: firstNumber)
    }

    /// What has ended here, or was let go, is told of by its events alone.
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
                    "another process has taken the session '\(identifier)' over",
                    advice: "one process at a time can have it"
                )
            }
        }
    }

    /// What has ended meanwhile is not told any more: the list says it.
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

    /// All has been told: what the daemon has no more is told of by nobody.
    ///
    /// So it is where its queue was damaged.
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

    /// Who hears of it may end at once: before, all that was told is acknowledged.
    private func finishReplay() async throws(DownloadError) {
        let (hasReplayed, last) = state.withLock { ($0.hasReplayed, $0.lastSeen) }
        guard !hasReplayed else { return }
        if let last { try await client().acknowledge(last, of: identifier) }
        state.withLock { $0.hasReplayed = true }
        session?.post(.finishedEvents)
    }

    // MARK: - Events

    private func take(_ event: WireEvent) async throws(DownloadError) {
        let telling = EndSignal()
        state.withLock { $0.telling = telling }
        defer { telling.set() }
        if stopped.isSet { throw Self.letGo }
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

    /// Nobody is left who could be told: it is the next process's.
    private static let letGo = DownloadError(.interrupted, "the session was let go")

    /// The task of a download; one that is new here is taken over.
    private func task(of event: WireEvent) async throws(DownloadError) -> BackgroundTask? {
        guard let id = event.download else { return nil }
        if let task = task(id) { return task }
        // What has ended here, or was let go, is nothing to tell of, unless it goes on.
        let isKnown = state.withLock { $0.numbers[id] != nil }
        guard !isKnown || event.kind == .resumed else { return nil }
        // The daemon has nothing but the event of it.
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

    /// Makes a task of a download of the daemon's, or finds the one that has asked for it.
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
        await task.end.waitInAnyCase()
        let mark = EndSignal()
        session?.post(.mark(mark))
        if session != nil { await mark.waitInAnyCase() }
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

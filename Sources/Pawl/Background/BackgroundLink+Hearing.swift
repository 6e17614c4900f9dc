internal import Glibc
internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlWire
internal import Synchronization

/// What the daemon tells.
extension BackgroundLink {
    /// Returns when the stream has ended.
    func attachAndHear() async throws(DownloadError) {
        let client = try client()
        let registration = SessionRegistration(identifier: identifier)
        if state.withLock({ $0.mayStart }) {
            _ = try await client.starting { (client) async throws(DownloadError) in
                try await client.register(registration)
            }
        } else {
            _ = try await client.register(registration)
        }
        var query = AttachQuery(session: identifier)
        query.process = getpid()
        let (last, isAgain) = state.withLock { ($0.lastSeen, $0.wasAttached) }
        query.takesOver = configuration.takesOverBackgroundSession || isAgain
        let events = try await client.attach(query, after: last)
        // Only its owner says what is run for a session.
        let command = configuration.relaunchCommand ?? []
        _ = try await client.register(
            SessionRegistration(identifier: identifier, relaunchCommand: command)
        )
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

    /// Takes over what the daemon has of the session.
    private func list(_ client: DaemonClient) async throws(DownloadError) {
        var query = ListQuery()
        query.session = identifier
        query.isPending = true
        query.limit = ListQuery.mostLimit
        var numbers: Set<Int> = []
        repeat {
            let page = try await client.list(query)
            for row in page.downloads where isNews(row) {
                adopt(row)
                if let number = row.taskIdentifier { numbers.insert(Int(number)) }
            }
            query.after = page.next
        } while query.after != nil
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
            case .notice(.attached): try await finishReplay()
            case .notice(.detached):
                throw DownloadError(
                    .alreadyRunning,
                    "another process has taken the session '\(identifier)' over",
                    advice: "one process at a time can have it"
                )
            }
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
        guard event.id > state.withLock({ $0.lastSeen ?? 0 }) else { return }
        if let task = try await task(of: event) {
            try await task.hear(event, try client())
            if event.kind.isEnd { await waitUntilTold(task) }
        } else if session == nil {
            // Nobody is left who could be told: it is the next process's.
            throw DownloadError(.interrupted, "the session was let go")
        }
        state.withLock { $0.lastSeen = event.id }
        told.post(event.id)
    }

    /// The task of a download; one that is new here is taken over.
    private func task(of event: WireEvent) async throws(DownloadError) -> BackgroundTask? {
        if let task = task(event.download) { return task }
        // What has ended here, or was let go, is nothing to tell of, unless it goes on.
        let isKnown = state.withLock { $0.numbers[event.download] != nil }
        guard !isKnown || event.kind == .resumed else { return nil }
        guard event.kind != .removed, event.kind != .cancelled else { return nil }
        do throws(DownloadError) {
            let row = try await client().download(event.download)
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
        case .added, .started, .retrying, .paused, .resumed, .changed: false
        }
    }
}

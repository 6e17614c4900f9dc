internal import FoundationEssentials
internal import Glibc
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import PawlWire
internal import Synchronization

/// One run: requests to the daemon, until the task has ended there or is stopped.
extension BackgroundTask {
    private enum Step {
        case ask(Wish)
        case wait
        /// The request was not sent yet, and there is no daemon to send it to.
        case wantDaemon
        case end(Result<DownloadedFile, DownloadError>)
        case leave
    }

    /// Follows the download.
    ///
    /// Returns when the file is in its place.
    func follow() async throws(DownloadError) -> DownloadedFile {
        let runEnd = Completion<Void>()
        remote.withLock { $0.runEnd = runEnd }
        defer { runEnd.complete() }
        link.want()
        while true {
            switch nextStep() {
            case .ask(let wish): try await ask(wish)
            case .wait: await wakeup.waitIgnoringCancellation()
            case .wantDaemon:
                link.want()
                await wakeup.waitIgnoringCancellation()
            case .end(let result): return try await placed(try result.get())
            case .leave: throw DownloadError(.interrupted, "the task was stopped")
            }
        }
    }

    private func nextStep() -> Step {
        let phase = link.phase
        return remote.withLock { remote in
            if let outcome = remote.outcome { return .end(outcome) }
            let isStop = remote.wish == .pause || remote.wish == .cancel
            if case .lost(let error) = phase { return isStop ? .leave : .end(.failure(error)) }
            if remote.isOver { return .wait }
            if isStop, remote.id == nil, !remote.isUnsure { return .leave }
            if remote.asked == remote.wish { return isStop ? .leave : .wait }
            switch phase {
            case .connecting: return .wantDaemon
            case .failed(let error), .lost(let error):
                return isStop ? .leave : .end(.failure(error))
            case .attached: return .ask(remote.wish)
            }
        }
    }

    private func ask(_ wish: Wish) async throws(DownloadError) {
        // What the daemon reports meanwhile is handled when its answer is known.
        let request = Completion<Void>()
        remote.withLock { $0.request = request }
        defer { request.complete() }
        do throws(DownloadError) {
            let client = try link.client()
            guard let id = remote.withLock({ $0.id }) else { return try await add(client) }
            // A date that was set while the task was paused applies from here on.
            if wish == .run { _ = await sendChanges(client) }
            let outcome = try await client.act(wish.action, on: link.selection(id))
            remote.withLock { remote in
                remote.asked = wish
                remote.ownEvents = max(remote.ownEvents, outcome.lastEvent)
                if let row = outcome.downloads.first { remote.take(row) }
                if wish == .pause || wish == .hold { remote.stoodStill() }
            }
        } catch {
            let hasID = remote.withLock { $0.id } != nil
            switch error.code {
            case .conflict where hasID:
                // The download has ended there meanwhile; its event reports how.
                remote.withLock { $0.isOver = true }
            // A request that the daemon does not understand now will not be understood later.
            case .usage where hasID, .daemonVersion where hasID:
                remote.withLock { $0.outcome = .failure(error) }
            case .notFound where hasID: remote.withLock { $0.outcome = .failure(Self.isGone) }
            case .daemonUnavailable, .network, .timedOut:
                if !hasID { remote.withLock { $0.isUnsure = true } }
                await restShortly()
            // The daemon's disk may be full, for example. The download that it has continues.
            case _ where hasID: await restShortly()
            default: throw error
            }
        }
    }

    /// Waits briefly.
    ///
    /// The link finds out by itself whether there is a daemon, and wakes this task when there is
    /// one again.
    private func restShortly() async {
        // Only cancelling the run ends this early.
        try? await engine.time.sleep(until: engine.time.now() + .seconds(1))
    }

    private func add(_ client: DaemonClient) async throws(DownloadError) {
        let facts = Facts(self)
        let new = try await newDownload(facts)
        let outcome = try await client.add([new], key: "\(link.identifier)/\(taskIdentifier)")
        guard let row = outcome.downloads.first else { return }
        link.bind(row.id, to: taskIdentifier)
        remote.withLock { remote in
            remote.id = row.id
            remote.take(row)
            remote.asked = .run
            remote.ownEvents = outcome.lastEvent
        }
        // Something may have been set meanwhile, or before an answer that was lost.
        knowsFacts(Facts(row))
    }

    private func newDownload(_ facts: Facts) async throws(DownloadError) -> NewDownload {
        guard originalRequest.method == "GET", originalRequest.body.isEmpty else {
            throw Self.notDownloadable(originalRequest.method)
        }
        var settings = originalRequest.settings(in: session.configuration)
        settings.limitBytesPerSecond = facts.limit
        var new = NewDownload(
            url: originalRequest.url.absoluteString,
            destination: try await session.backgroundDestination(destination, taskIdentifier),
            settings: SettingsDocument(settings)
        )
        new.session = link.identifier
        new.taskIdentifier = Int64(taskIdentifier)
        new.taskDescription = facts.description
        new.priority = WirePriority(facts.priority)
        new.notBefore = facts.notBefore
        new.resumeData = resumeOrder?.data.data
        return new
    }

    /// Moves the file to where the caller wants it: the daemon can call no closure, and does not
    /// create temporary files.
    private func placed(_ file: DownloadedFile) async throws(DownloadError) -> DownloadedFile {
        if case .choosing(let choose) = destination, let response {
            return try await session.move(file, of: self, to: try choose(response), response)
        }
        // A temporary file stays where the next process can find it, too, until its end was
        // reported.
        guard isTemporary, isAdopted else { return file }
        let (files, number) = (session.temporaryFiles, taskIdentifier)
        // This fails only if the pool was shut down.
        let moved = try? await engine.disk.run { files.moved(file, of: number) }
        guard let path = moved ?? nil else { return file }
        // The closure that chose the file's path now owns the file.
        disown()
        return DownloadedFile(path: path, byteCount: file.byteCount)
    }

    private static let isGone = DownloadError(
        .cancelled,
        "the download was removed from the daemon",
        advice: "add it again"
    )

    // MARK: - Reports of the daemon

    /// Records that a download of the daemon belongs to this task.
    func know(_ row: WireDownload) {
        let event = remote.withLock { remote -> TaskLifecycle.Event? in
            let isNew = remote.id == nil
            if isNew { remote.facts = Facts(row) }
            remote.id = row.id
            if isNew, !row.state.isEnd {
                remote.foundBytes = row.completedBytes
                remote.offset = row.completedBytes
            }
            remote.take(row)
            let isPaused = row.state == .paused || row.state == .suspended
            // A task that sends its own requests knows its state, but perhaps not that it was
            // added.
            guard isNew, isAdopted else {
                if remote.isUnsure { remote.asked = isPaused ? .pause : .run }
                return nil
            }
            (remote.wish, remote.asked) = isPaused ? (.pause, .pause) : (.run, .run)
            return isPaused ? .pauseAsked : .resumeAsked
        }
        if let event { handle(event) }
        wakeup.send()
        // If the answer was lost, the download was added with the values of that time.
        if !isAdopted { tellChanges() }
    }

    func learn(_ row: WireDownload) { remote.withLock { $0.take(row) } }

    func take(_ progress: WireProgress.Row) {
        remote.withLock { remote in
            guard var row = remote.row, !row.state.isEnd else { return }
            row.take(progress)
            remote.row = row
            if let count = progress.resumedBytes, remote.pausedRow != nil {
                (remote.foundBytes, remote.offset) = (count, count)
                remote.pausedRow = nil
            }
            let restarts = progress.restarts ?? 0
            if restarts > remote.restarts.ofRun {
                remote.restarts.all += restarts - remote.restarts.ofRun
                remote.pausedRow = nil
            }
            remote.restarts.ofRun = restarts
        }
    }

    /// Handles an event.
    ///
    /// Throws if the daemon is gone meanwhile; then the event is sent again.
    func hear(_ event: WireEvent, _ client: DaemonClient) async throws(DownloadError) {
        await remote.withLock { $0.request }?.waitIgnoringCancellation()
        switch event.kind {
        case .added, .settings: break
        case .changed: try await heardOfChanges(event, client)
        case .started: note(.running)
        case .retrying: note(.waiting)
        case .paused: heard(.pause, .paused, event)
        case .resumed: heard(.run, .waiting, event)
        case .finished, .failed, .cancelled, .removed: try await ended(event, client)
        }
    }

    private func heardOfChanges(
        _ event: WireEvent,
        _ client: DaemonClient
    ) async throws(DownloadError) {
        guard let id = event.download else { return }
        do throws(DownloadError) {
            takeChanges(try await client.download(id))
        } catch {
            guard error.code == .notFound else { throw error }
        }
    }

    private func note(_ state: TaskState) { remote.withLock { $0.row?.state = state } }

    /// Handles a pause or a resume by another process.
    private func heard(_ wish: Wish, _ state: TaskState, _ event: WireEvent) {
        let isForeign = remote.withLock { remote in
            remote.row?.state = state
            if wish == .pause { remote.stoodStill() }
            guard event.id > remote.ownEvents, remote.wish != .hold, remote.wish != .cancel else {
                return false
            }
            (remote.wish, remote.asked) = (wish, wish)
            return true
        }
        guard isForeign else { return }
        handle(wish == .pause ? .pauseAsked : .resumeAsked)
        // The lifecycle's requests from now on ask for the state that exists already.
        remote.withLock { $0.asked = wish }
        wakeup.send()
    }

    private func ended(_ event: WireEvent, _ client: DaemonClient) async throws(DownloadError) {
        if let row = event.removed, row.state.isEnd {
            // It had ended before, and nobody had been told.
            learn(row)
            return concluded(Self.outcome(of: row))
        }
        if event.kind == .cancelled || event.kind == .removed {
            let keeps = remote.withLock { remote in
                (remote.wish, remote.asked) = (.cancel, .cancel)
                remote.isOver = false
                return remote.isLeaving
            }
            handle(.cancelAsked(keeping: keeps))
            return wakeup.send()
        }
        guard let id = event.download else { return }
        do throws(DownloadError) {
            learn(try await client.download(id))
        } catch {
            // If the download is gone meanwhile, only the event describes it.
            guard error.code == .notFound else { throw error }
        }
        let outcome: Result<DownloadedFile, DownloadError>
        if event.kind == .finished, let path = event.path {
            let count = event.completedBytes ?? 0
            remote.withLock { remote in
                remote.row?.completedBytes = count
                remote.finishedQuickly()
            }
            outcome = .success(DownloadedFile(path: path, byteCount: count))
        } else {
            var error =
                event.problem?.error
                ?? DownloadError(.unknown, "the download ended without a reason")
            error.resumeData = try await resumeData(of: id, client)
            if error.resumeData == nil { error.resumeObstacle = resumability.obstacle }
            outcome = .failure(error)
        }
        concluded(outcome)
    }

    /// Handles an end whose event may have been lost.
    func catchUp(with row: WireDownload) {
        learn(row)
        if row.state.isEnd { concluded(Self.outcome(of: row)) }
    }

    /// Handles that the daemon no longer has the download.
    func isLost() { concluded(.failure(Self.isGone)) }

    private func concluded(_ outcome: Result<DownloadedFile, DownloadError>) {
        remote.withLock { $0.outcome = outcome }
        wakeup.send()
        // A task that is held or paused here starts a run for its end.
        handle(.resumeAsked)
    }

    /// Returns the outcome of a download that was removed after its end.
    private static func outcome(of row: WireDownload) -> Result<DownloadedFile, DownloadError> {
        if row.state == .finished, let path = row.path, access(path, F_OK) == 0 {
            return .success(DownloadedFile(path: path, byteCount: row.completedBytes))
        }
        guard row.state == .failed, let problem = row.problem else { return .failure(isGone) }
        return .failure(problem.error)
    }
}

extension BackgroundTask {
    /// Returns the resume data.
    ///
    /// For a task without a destination, the daemon's file is a temporary one.
    func given(_ data: ResumeData?) -> ResumeData? {
        switch destination {
        case .file, .directory, .place: return data
        case .temporary, .choosing:
            guard var content = data?.content else { return nil }
            content.finalPath = []
            return ResumeData(content)
        }
    }

    private func resumeData(
        of id: Int64,
        _ client: DaemonClient
    ) async throws(DownloadError) -> ResumeData? {
        do throws(DownloadError) {
            return given(try await client.resumeData(of: id))
        } catch {
            guard error.code == .daemonUnavailable else { return nil }
            throw error
        }
    }
}

extension BackgroundLink {
    /// Selects that download, and none of another session with such a name.
    func selection(_ id: Int64) -> Selection {
        Selection(targets: ["\(id)"], session: identifier)
    }
}

extension BackgroundTask.Remote {
    /// Records that the download was paused: the next bytes continue after the existing ones.
    mutating func stoodStill() {
        offset = nil
        if let row, row.completedBytes > 0 { pausedRow = row }
    }

    /// Handles a run that may have ended before its progress was received.
    ///
    /// The validators show whether it has continued from the existing bytes.
    fileprivate mutating func finishedQuickly() {
        guard let before = pausedRow else { return }
        pausedRow = nil
        guard let old = before.response?.head, let new = row?.response?.head else { return }
        let (known, seen) = (Representation(head: old), Representation(head: new))
        if known.isProvenSame(seen) {
            (foundBytes, offset) = (before.completedBytes, before.completedBytes)
        } else if case .changed = known.compare(seen) {
            restarts.all += 1
        }
    }

    /// Takes over the values of a row.
    ///
    /// A running download has more values than the row.
    fileprivate mutating func take(_ new: WireDownload) {
        var new = new
        if let row, row.state == .running, new.state == .running {
            new.completedBytes = max(new.completedBytes, row.completedBytes)
        }
        row = new
    }
}

extension BackgroundTask.Wish {
    fileprivate var action: QueueAction {
        switch self {
        case .run: .resume
        case .hold, .pause: .pause
        case .cancel: .cancel
        }
    }
}

internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlWire

/// One step of the queue: ends are written, the next begin.
extension DownloadKeeper {
    struct Begun: Sendable {
        var row: WireDownload
        var task: DownloadTask
        var place: ConfinedFolder?
    }

    /// What is to be done once it is in the store.
    private struct Outcome {
        var begun: [Begun] = []
        var retries: [QueuePlanner.Entry] = []
        var notInLine: [Int64] = []
        /// What is there of downloads that were removed while they ran.
        var orphans: [Int64: Discard] = [:]
        /// What those that were cancelled while they ended have kept.
        var cancelled: [Discard?] = []
        /// How many failed for good.
        var failures = 0
        var lastEvent: Int64 = 0
    }

    /// All ends that are there and all starts that follow from them in one transaction.
    func step() -> [Begun] {
        let ended = ends
        var next = planner
        for end in ended { next.ended(end.id) }
        let starting = isWindingUp ? [] : next.begin(at: Date())
        guard !ended.isEmpty || !starting.isEmpty else { return [] }
        do throws(DownloadError) {
            let outcome = try store.write { transaction in
                var outcome = Outcome()
                for end in ended { try note(end, transaction, &outcome) }
                for id in starting { try begin(id, transaction, &outcome) }
                outcome.lastEvent = try transaction.lastEvent()
                return outcome
            }
            apply(outcome, ended, starting, next)
            isBehind = false
            return outcome.begun
        } catch {
            // Nothing begins, and what has ended stays to be told.
            isBehind = true
            logger.error("the queue cannot be written: \(error)")
            return []
        }
    }

    private func apply(
        _ outcome: Outcome,
        _ ended: [RunEnd],
        _ starting: [Int64],
        _ next: QueuePlanner
    ) {
        ends.removeAll { end in ended.contains { $0.task === end.task } }
        planner = next
        for end in ended {
            live.ended(end.id, end.task)
            restarts.remove(end.id)
            if case .success = end.result { counters.finished() }
            guard removedWithFiles.remove(end.id) != nil, let orphan = outcome.orphans[end.id]
            else { continue }
            discards.append(orphan)
        }
        discards += outcome.cancelled.compactMap(\.self)
        counters.failed(outcome.failures)
        for id in outcome.notInLine { leave(id) }
        for entry in outcome.retries { planner.wait(entry) }
        // They may begin at once.
        if !outcome.retries.isEmpty { bell.ring() }
        for begun in outcome.begun {
            live.add(
                begun.row,
                begun.task,
                limitBytesPerSecond: begun.row.session.flatMap {
                    sessionLimits[$0]?.bytesPerSecond
                },
                place: begun.place
            )
        }
        // A row that went or ended meanwhile has no run.
        for id in starting where live[id] == nil { planner.ended(id) }
        if !outcome.begun.isEmpty { watching.ring() }
        news.published(outcome.lastEvent)
        if !ended.isEmpty { endings.ring() }
        prune(outcome.lastEvent)
    }

    /// Old events go, a thousand at a time.
    private func prune(_ last: Int64) {
        guard last >= prunedAt + 1000 else { return }
        prunedAt = last
        do throws(DownloadError) {
            let date = Date().addingTimeInterval(-Self.patience)
            try store.write { transaction in
                try transaction.prune(
                    keeping: Self.keptEvents,
                    seenSince: date,
                    most: Self.mostEvents
                )
            }
        } catch {
            logger.warning("old events were not removed: \(error)")
        }
    }

    private static let keptEvents: Int64 = 100_000
    /// So many are kept where a session has not acknowledged them, for half a year after a process of it
    /// was there.
    private static let mostEvents: Int64 = 1_000_000
    private static let patience: Double = 180 * 86_400

    // MARK: - Beginning

    private func begin(
        _ id: Int64,
        _ transaction: StoreTransaction,
        _ outcome: inout Outcome
    ) throws {
        guard var row = try transaction.download(id) else { return }
        // The run before it may have ended just now: well, or with a wait before the next.
        guard row.state == .waiting, !outcome.retries.contains(where: { $0.id == id }) else {
            return
        }
        let newName = try transaction.newName(of: id)
        do throws(DownloadError) {
            let request = try readRequest(id, transaction)
            let place = try Self.place(of: row, request)
            if let newName { try take(newName, for: &row, in: place) }
            let task = try makeTask(row, request, in: place)
            row.state = .running
            row.problem = nil
            row.notBefore = nil
            outcome.begun.append(Begun(row: row, task: task, place: place))
        } catch {
            fail(&row, error)
            outcome.failures += 1
        }
        if row.state == .running { try transaction.setNewName(nil, of: id) }
        try transaction.save(row)
        try transaction.countStart(of: id)
        try transaction.append(row.state == .running ? .started : .failed, row, at: Date())
    }

    private func readRequest(
        _ id: Int64,
        _ transaction: StoreTransaction
    ) throws(DownloadError) -> NewDownload {
        let body: [UInt8]?
        do {
            body = try transaction.request(of: id)
        } catch {
            throw DaemonStore.explained(error, "reading the queue")
        }
        guard let body else {
            throw DownloadError(.unknown, "what was asked for is not kept any more")
        }
        return try WireJSON.decode(NewDownload.self, from: body)
    }

    /// Opened anew for each run: what lies on the way there may be something else by now.
    private static func place(
        of row: WireDownload,
        _ request: NewDownload
    ) throws(DownloadError) -> ConfinedFolder? {
        guard let root = request.confinedTo else { return nil }
        let folder = PathNames.folder(of: row.path ?? request.destination)
        return try ConfinedFolder(folder, in: root, creates: true)
    }

    private func makeTask(
        _ row: WireDownload,
        _ request: NewDownload,
        in place: ConfinedFolder?
    ) throws(DownloadError) -> DownloadTask {
        var order = try request.checked()
        if request.confinedTo != nil {
            guard place != nil else {
                throw DownloadError(.directoryNotUsable, "there is no folder")
            }
            order.settings.connection.allowsPrivateAddresses =
                settings.allowsPrivateAddresses ?? false
        }
        if settings.usesMeteredNetwork == false { order.settings.allowsExpensiveNetwork = false }
        var destination: TaskDestination
        switch order.destination {
        // The name that it had stays, also where the server would now give another.
        case _ where row.path != nil: destination = .file(row.path ?? "")
        case .file(let path): destination = .file(path)
        case .directory(let path): destination = .directory(path)
        }
        if let place { destination = destination.held(in: place) }
        // From its second run on it has a partial file of its own.
        if let data = order.resumeData, row.path == nil {
            return try taskGoingOn(data, order)
        }
        let request = DownloadRequest(order.url, settings: order.settings)
        return session.downloadTask(with: request, to: destination)
    }

    private func taskGoingOn(
        _ data: ResumeData,
        _ order: NewDownload.Checked
    ) throws(DownloadError) -> DownloadTask {
        var resume = ResumeSettings()
        resume.url = order.url
        resume.destination = order.destination
        resume.settings = order.settings
        return try session.downloadTask(withResumeData: data, resume)
    }

    // MARK: - Ending

    /// What a run left that nobody is to have.
    private func orphan(of end: RunEnd) -> Discard? {
        let place = live.place(of: end.id)
        switch end.result {
        case .success(let file):
            let path = place?.shown(file.path) ?? file.path
            return Discard(id: end.id, kind: .file, path: path, place: place)
        case .failure:
            return live.path(of: end.id).map { path in
                Discard(id: end.id, kind: .leftover, path: path, place: place)
            }
        }
    }

    private func note(
        _ end: RunEnd,
        _ transaction: StoreTransaction,
        _ outcome: inout Outcome
    ) throws {
        guard var row = try transaction.download(end.id) else {
            outcome.orphans[end.id] = orphan(of: end)
            return
        }
        let progress = end.task.currentProgress
        // What was cancelled is thrown away.
        row.completedBytes = row.state == .cancelled ? 0 : progress.completedBytes
        row.totalBytes = progress.totalBytes ?? row.totalBytes
        row.path = live.path(of: row.id) ?? row.path
        row.response = end.task.response.map { WireResponse($0) } ?? row.response
        row.add(end.task.metrics)
        let isRenamed = try transaction.newName(of: row.id) != nil
        if !progress.name.isEmpty, !isRenamed { row.name = progress.name }
        switch end.result {
        case .success(let file):
            let place = live.place(of: row.id)
            finish(&row, place?.shown(file.path) ?? file.path)
            row.completedBytes = file.byteCount
            row.totalBytes = file.byteCount
            try takeLateName(of: &row, in: place, transaction)
            outcome.notInLine.append(row.id)
            try transaction.forgetRequest(of: row.id)
            try transaction.append(.finished, row, at: Date())
        case .failure(var error):
            // One that was paused first kept what came.
            if row.state == .cancelled { outcome.cancelled.append(orphan(of: end)) }
            if let place = live.place(of: row.id) { error = place.shown(error) }
            // Where somebody paused or cancelled it, that has been told.
            guard row.state.isActive, !isWindingUp else { break }
            guard !restarts.contains(row.id) else {
                row.state = .waiting
                outcome.retries.append(QueuePlanner.Entry(row))
                break
            }
            let hasBrought = progress.completedBytes > progress.resumedBytes
            try noteFailure(error, hasBrought: hasBrought, &row, transaction, &outcome)
        }
        try transaction.save(row)
        try transaction.forgetStarts(of: row.id)
    }

    private func finish(_ row: inout WireDownload, _ path: String) {
        row.state = .finished
        row.path = path
        row.name = path.split(separator: "/").last.map { String($0).sanitized } ?? row.name
        row.problem = nil
        row.failures = nil
        row.endedAt = Date()
    }

    private func noteFailure(
        _ error: DownloadError,
        hasBrought: Bool,
        _ row: inout WireDownload,
        _ transaction: StoreTransaction,
        _ outcome: inout Outcome
    ) throws {
        let failures = hasBrought ? 1 : (row.failures ?? 0) + 1
        guard let wait = policy.wait(after: error, failures: failures) else {
            fail(&row, error)
            outcome.failures += 1
            return try transaction.append(.failed, row, at: Date())
        }
        row.state = .waiting
        row.failures = failures
        row.notBefore = Date().addingTimeInterval(wait.seconds)
        row.problem = Problem(error)
        outcome.retries.append(QueuePlanner.Entry(row))
        try transaction.append(.retrying, row, at: Date())
    }

    private func fail(_ row: inout WireDownload, _ error: DownloadError) {
        row.state = .failed
        row.problem = Problem(error)
        row.endedAt = Date()
    }

    // MARK: - Names

    /// What the downloads have come to be called: who throws one away later must know.
    func noteNames() {
        let named = live.all.compactMap { id, task in
            live.path(of: id).map { path in
                let response = task.response.map { WireResponse($0) }
                return (id: id, path: path, response: response, progress: task.currentProgress)
            }
        }.filter { notedNames[$0.id] != $0.path }
        guard !named.isEmpty else { return }
        do throws(DownloadError) {
            try store.write { transaction in
                for item in named {
                    guard var row = try transaction.download(item.id), !row.state.isEnd else {
                        continue
                    }
                    row.path = item.path
                    row.response = item.response
                    if item.progress.resumedBytes > row.completedBytes {
                        try transaction.forgetStarts(of: row.id)
                    }
                    row.completedBytes = item.progress.resumedBytes
                    row.totalBytes = item.progress.totalBytes ?? row.totalBytes
                    if !item.progress.name.isEmpty, try transaction.newName(of: row.id) == nil {
                        row.name = item.progress.name
                    }
                    try transaction.save(row)
                }
            }
            for item in named { notedNames[item.id] = item.path }
        } catch {
            logger.warning("the names of downloads were not written: \(error)")
        }
        let running = live.all
        notedNames = notedNames.filter { running[$0.key] != nil }
    }
}

extension TaskDestination {
    /// The same file or folder, by way of one that is held open.
    fileprivate func held(in place: ConfinedFolder) -> TaskDestination {
        switch self {
        case .file(let path): .file(place.inside(path))
        case .directory: .directory(place.innerFolder)
        default: self
        }
    }
}

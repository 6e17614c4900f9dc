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
    }

    /// A download that is to run, once that is in the store.
    private struct Start: Sendable {
        var row: WireDownload
        var request: NewDownload
        var place: RunningPlaces.Place
    }

    /// A download that waits for the end of a run which fetches the same to the same place.
    private struct Repetition: Sendable {
        var entry: QueueScheduler.Entry
        var other: Int64
    }

    /// What is to be done once it is in the store.
    private struct Outcome {
        var starts: [Start] = []
        var repetitions: [Repetition] = []
        var retries: [QueueScheduler.Entry] = []
        var notInLine: [Int64] = []
        /// What runs have left that nobody is to have.
        var discards: [Discard] = []
        /// How many failed for good.
        var failures = 0
        var lastEvent: Int64 = 0
    }

    /// What is written in one transaction.
    private struct Work {
        var ends: [RunEnd]
        var unstarted: [Unstarted]
        var announcements: [Announcement]
        var starting: [Int64]
        /// What became of new names, by the download.
        var names: [Int64: NewName] = [:]
        /// Corrupt files that runs have left, by the download.
        var corrupt: [Int64: WrittenFile] = [:]
        var fulfilled: [Int64]

        var isEmpty: Bool {
            ends.isEmpty && starting.isEmpty && unstarted.isEmpty && announcements.isEmpty
        }
    }

    /// All ends that are there and all starts that follow from them in one transaction; nothing is done on
    /// the disk in it.
    func step() -> [Begun] {
        var next = scheduler
        for end in ends { next.ended(end.id) }
        for start in unstarted { next.ended(start.id) }
        let ended = next
        var starting = isWindingUp ? [] : next.begin(at: Date(), moment: moment)
        let full = starting.isEmpty ? nil : lackOfRoom()
        // What has ended is written all the same.
        if full != nil { (starting, next) = ([], ended) }
        var work = Work(
            ends: ends,
            unstarted: unstarted,
            announcements: announcements,
            starting: starting,
            fulfilled: fulfilled
        )
        if let full { noteBehind(full) }
        guard !work.isEmpty else { return [] }
        do throws(DownloadError) {
            // Each was intended by a transaction before this one.
            work.names = try carryOutNames(of: work.ends, and: starting)
            work.corrupt = findCorrupt(of: work.ends)
            let outcome = try store.writeInAnyCase { [work] transaction in
                var outcome = Outcome()
                try transaction.fulfil(work.fulfilled)
                for item in work.announcements { try note(item, transaction) }
                for end in work.ends { try note(end, work, transaction, &outcome) }
                for start in work.unstarted { try note(start, transaction, &outcome) }
                for id in starting { try begin(id, work.names[id], transaction, &outcome) }
                outcome.lastEvent = try transaction.lastEvent()
                return outcome
            }
            isBehind = full != nil
            store.restoreReserve()
            return apply(outcome, work, next)
        } catch {
            // Nothing begins, and what has ended stays to be told.
            if isWindingUp { stopAnnouncing(error) }
            noteBehind(error)
            return []
        }
    }

    /// Why nothing can begin; nil where it can.
    private func lackOfRoom() -> DownloadError? {
        do throws(DownloadError) {
            try store.checkRoom()
            return nil
        } catch {
            return error
        }
    }

    /// The log says it once, as it may be that disk which is full.
    private func noteBehind(_ error: DownloadError) {
        if !isBehind { logger.error("the queue cannot be written: \(error)") }
        isBehind = true
    }

    private func apply(_ outcome: Outcome, _ work: Work, _ next: QueueScheduler) -> [Begun] {
        ends.removeAll { end in work.ends.contains { $0.task === end.task } }
        unstarted = []
        fulfilled.removeAll(where: work.fulfilled.contains)
        scheduler = next
        goOn(work.announcements)
        for end in work.ends {
            live.ended(end.id, end.task)
            restarts.remove(end.id)
            (finishing[end.id], patience[end.id], renamed[end.id]) = (nil, nil, nil)
            cancelled[end.id] = nil
            if case .success = end.result { counters.finished() }
        }
        newNames.subtract(work.names.keys)
        discards += outcome.discards
        counters.failed(outcome.failures)
        for id in outcome.notInLine { leave(id) }
        for entry in outcome.retries { scheduler.wait(entry) }
        for id in work.starting { retryTimes[id] = nil }
        let free = runningPlaces.end(work.ends.map(\.id))
        for entry in free { wait(entry) }
        let begun = outcome.starts.compactMap(start)
        for item in outcome.repetitions where !runningPlaces.wait(item.entry, for: item.other) {
            wait(item.entry)
        }
        // A row that went or ended meanwhile has no run.
        for id in work.starting
        where live[id] == nil && !unstarted.contains(where: { $0.id == id }) { scheduler.ended(id) }
        // They may begin at once, or are to be told.
        if !outcome.retries.isEmpty || !unstarted.isEmpty || !free.isEmpty
            || !outcome.repetitions.isEmpty
        {
            bell.ring()
        }
        if !begun.isEmpty { watching.ring() }
        news.published(outcome.lastEvent)
        if !work.ends.isEmpty || !work.unstarted.isEmpty { endings.ring() }
        prune(outcome.lastEvent)
        return begun
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
        _ newName: NewName?,
        _ transaction: StoreTransaction,
        _ outcome: inout Outcome
    ) throws {
        guard var row = try transaction.download(id) else { return }
        // The run before it may have ended just now: well, or with a wait before the next.
        guard row.state == .waiting, !outcome.retries.contains(where: { $0.id == id }) else {
            return
        }
        do throws(DownloadError) {
            let request = try readRequest(id, transaction)
            let path = newName?.path ?? row.path
            let place = RunningPlaces.Place(request, path: path, owner: row.owner)
            // What has another name already begins.
            if newName == nil, let other = other(than: id, at: place, outcome) {
                outcome.repetitions.append(Repetition(entry: entry(of: row), other: other))
                return
            }
            if let newName { try take(newName, for: &row) }
            row.state = .running
            row.problem = nil
            row.notBefore = nil
            outcome.starts.append(Start(row: row, request: request, place: place))
        } catch {
            fail(&row, error)
            outcome.failures += 1
        }
        if row.state == .running, newName != nil {
            try transaction.setNewName(nil, of: id)
            if let partial = newName?.partial { try transaction.note(partial, of: id) }
        }
        try transaction.save(row)
        try transaction.countStart(of: id)
        try transaction.append(row.state == .running ? .started : .failed, row, at: Date())
    }

    /// A run that fetches the same to the same place; nil where there is none.
    private func other(
        than id: Int64,
        at place: RunningPlaces.Place,
        _ outcome: Outcome
    ) -> Int64? {
        let beginning = outcome.starts.first { $0.place.mayMeet(place) }?.row.id
        return beginning ?? runningPlaces.other(than: id, at: place, ended: Set(ends.map(\.id)))
    }

    /// The store has that it runs: now it does.
    private func start(_ start: Start) -> Begun? {
        let (row, id) = (start.row, start.row.id)
        do throws(DownloadError) {
            let place = try Self.place(of: row, start.request)
            let task = try makeTask(row, start.request, in: place)
            // Another download may be of somebody else.
            task.cookies = CookieJar()
            let (store, owner) = (store, row.owner ?? .user)
            task.ownerOfPartialFile = { stamp in store.ownerOfPartialFile(stamp, for: id, of: owner)
            }
            task.willFinish = { [weak self] (file) async throws(DownloadError) in
                try await self?.willFinish(id, file)
            }
            patience[id] = Patience(start.request.settings)
            runningPlaces.begin(id, at: start.place)
            live.add(
                row,
                task,
                limitBytesPerSecond: row.session.flatMap { sessionLimits[$0]?.bytesPerSecond },
                place: place
            )
            return Begun(row: row, task: task)
        } catch {
            unstarted.append(Unstarted(id: id, error: error))
            return nil
        }
    }

    private func note(
        _ start: Unstarted,
        _ transaction: StoreTransaction,
        _ outcome: inout Outcome
    ) throws {
        guard var row = try transaction.download(start.id), row.state.isActive else { return }
        fail(&row, start.error)
        outcome.failures += 1
        try transaction.save(row)
        try transaction.forgetStarts(of: row.id)
        try transaction.append(.failed, row, at: Date())
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
            order.settings.connection.allowsPrivateAddresses = settings.allowsPrivateAddresses
        }
        if !settings.usesMeteredNetwork { order.settings.allowsExpensiveNetwork = false }
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

    private func note(
        _ end: RunEnd,
        _ work: Work,
        _ transaction: StoreTransaction,
        _ outcome: inout Outcome
    ) throws {
        try transaction.endFinishing(of: end.id)
        try transaction.fulfil(cancelled[end.id] ?? [])
        guard var row = try transaction.download(end.id) else {
            return try noteRemoved(end, work.corrupt[end.id], transaction, &outcome)
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
        if let file = work.corrupt[row.id] { try transaction.note(file, of: row.id) }
        switch end.result {
        case .success(let file):
            try noteFinished(file, &row, work.names[row.id], transaction)
            outcome.notInLine.append(row.id)
        case .failure(let error):
            let partial = live.partialFile(of: row.id)
            if let partial, work.corrupt[row.id] == nil {
                try transaction.note(partial, of: row.id)
            }
            // One that was paused first kept what came.
            if row.state == .cancelled {
                let removal = try Self.removal(of: row, all: false, running: partial, transaction)
                let root = try transaction.root(of: row.id)
                let discard = try Self.intend(removal, for: row.id, root: root, transaction)
                outcome.discards += [discard].compactMap(\.self)
                try transaction.forgetPartialFiles(of: row.id)
                row.path = nil
            }
            try noteFailure(error, of: end, &row, transaction, &outcome)
        }
        try transaction.save(row)
        try transaction.forgetStarts(of: row.id)
    }

    /// Its row went while it ran.
    private func noteRemoved(
        _ end: RunEnd,
        _ corrupt: WrittenFile?,
        _ transaction: StoreTransaction,
        _ outcome: inout Outcome
    ) throws {
        guard let discard = removedWithFiles[end.id] else { return }
        outcome.discards.append(discard)
        // It may have finished before it heard of that, or have kept the file as corrupt.
        var last = corrupt
        if case .success(let file) = end.result, !file.wasAlreadyThere {
            last = finishing[end.id]
            last?.path = live.place(of: end.id)?.shown(file.path) ?? file.path
        }
        guard let last else { return }
        let more = try Self.intend(Removal([last]), for: end.id, root: discard.root, transaction)
        outcome.discards += [more].compactMap(\.self)
    }

    private func noteFinished(
        _ file: DownloadedFile,
        _ row: inout WireDownload,
        _ newName: NewName?,
        _ transaction: StoreTransaction
    ) throws {
        let place = live.place(of: row.id)
        finish(&row, newName?.path ?? place?.shown(file.path) ?? file.path)
        row.completedBytes = file.byteCount
        row.totalBytes = file.byteCount
        try transaction.setNewName(nil, of: row.id)
        try transaction.setWasThere(file.wasAlreadyThere, row.id)
        try transaction.forgetPartialFiles(of: row.id)
        if !file.wasAlreadyThere, var written = finishing[row.id], let path = row.path {
            written.path = path
            try transaction.note(written, of: row.id)
        }
        try transaction.forgetRequest(of: row.id)
        try transaction.append(.finished, row, at: Date())
    }

    func finish(_ row: inout WireDownload, _ path: String) {
        row.state = .finished
        row.path = path
        row.name = path.split(separator: "/").last.map { String($0).sanitized } ?? row.name
        row.problem = nil
        row.failures = nil
        row.endedAt = Date()
    }

    private func noteFailure(
        _ error: DownloadError,
        of end: RunEnd,
        _ row: inout WireDownload,
        _ transaction: StoreTransaction,
        _ outcome: inout Outcome
    ) throws {
        let error = live.place(of: row.id)?.shown(error) ?? error
        // Where somebody paused or cancelled it, that has been told.
        guard row.state.isActive, !isWindingUp else { return }
        guard !restarts.contains(row.id) else {
            row.state = .waiting
            outcome.retries.append(QueueScheduler.Entry(row))
            return
        }
        var failure = OutagePolicy.Failure(error)
        failure.patience = patience[row.id] ?? Patience()
        let progress = end.task.currentProgress
        if progress.completedBytes <= progress.resumedBytes {
            failure.count = (row.failures ?? 0) + 1
            failure.outages = try transaction.outages(of: row.id)
            failure.isOutage =
                error.code == .diskFull
                || policy.mayBeNetwork(error) && !hasSeenNetwork(sinceBeginOf: row.id)
            if failure.isOutage { failure.outages += 1 }
        }
        guard let wait = policy.wait(after: failure) else {
            fail(&row, error)
            outcome.failures += 1
            return try transaction.append(.failed, row, at: Date())
        }
        row.state = .waiting
        row.failures = failure.count
        row.notBefore = Date().addingTimeInterval(wait.seconds)
        row.problem = Problem(error)
        try transaction.setRetry(wait, outages: failure.outages, of: row.id)
        retryTimes[row.id] = moment + wait
        // Room comes back without the network.
        if failure.isOutage, error.code != .diskFull { outageWaiters.insert(row.id) }
        outcome.retries.append(entry(of: row))
        try transaction.append(.retrying, row, at: Date())
    }

    func fail(_ row: inout WireDownload, _ error: DownloadError) {
        row.state = .failed
        row.problem = Problem(error)
        row.endedAt = Date()
    }

    // MARK: - Names

    private struct NamedRun {
        var id: Int64
        var path: String
        var partial: WrittenFile?
        var response: WireResponse?
        var progress: DownloadProgress

        var noted: NotedName {
            NotedName(path: path, partial: partial?.path, inode: partial?.stamp.inode)
        }
    }

    /// What the downloads have come to be called: who throws one away later must know.
    func noteNames() {
        let named = live.all.compactMap { id, task in
            live.path(of: id).map { path in
                NamedRun(
                    id: id,
                    path: path,
                    partial: live.partialFile(of: id),
                    response: task.response.map { WireResponse($0) },
                    progress: task.currentProgress
                )
            }
        }.filter { notedNames[$0.id] != $0.noted }
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
                    if let file = item.partial { try transaction.note(file, of: row.id) }
                }
            }
            for item in named { notedNames[item.id] = item.noted }
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

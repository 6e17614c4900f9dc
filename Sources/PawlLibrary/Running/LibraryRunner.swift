internal import struct FoundationEssentials.URL
internal import Logging
internal import Pawl
internal import PawlCore
internal import PawlEngine
internal import PawlStorage

/// Carries out the decisions of a library: one unstructured task, which runs until the library is
/// closed.
struct LibraryRunner: Sendable {
    private let library: LibraryContext

    init(_ library: LibraryContext) { self.library = library }

    /// Runs the library.
    ///
    /// `watcher` watches the folder, if it is watched.
    func run(_ watcher: (any FolderWatching)?, _ drop: DropWatch?) async {
        let library = library
        await withDiscardingTaskGroup { group in
            if let watcher { group.addTask { await library.follower.watch(watcher) } }
            if let drop {
                group.addTask { await drop.read() }
                group.addTask { await DropIntake(drop, library).run() }
            }
            await work(&group)
            watcher?.stop()
            drop?.watcher.stop()
            group.cancelAll()
        }
        library.session.finishTasksAndInvalidate()
        library.ended.complete()
        library.events.end()
    }

    private func work(_ group: inout DiscardingTaskGroup) async {
        // The daemon decides whose turn it is, and a run that has only to record a file needs none.
        let limit = library.session.configuration.maximumConcurrentDownloads
        var queue = RunQueue(limit: library.identifier == nil ? limit : .max)
        var isEnding = false
        while !isEnding || !queue.isEmpty {
            await library.index.work.waitIgnoringCancellation()
            var mayHaveStopped = false
            for item in library.index.work.take() {
                switch item {
                case .run(let run): await enqueue(run, &queue)
                case .renew(let key, let run, let error):
                    group.addTask { await self.renew(key, run, error) }
                case .disk(let action): await carryOut(action)
                case .check(let names):
                    group.addTask { await self.check(names) }
                case .ended(let run): queue.ended(run)
                case .stopped: mayHaveStopped = true
                case .end:
                    let running = queue.running
                    group.addTask { await self.detach(after: running) }
                case .detached: isEnding = true
                }
                // Start runs while enqueuing: noting a hundred thousand takes long.
                if let run = queue.next() { group.addTask { await self.fetch(run) } }
            }
            var begun = mayHaveStopped ? queue.takeStopped() : []
            while let run = queue.next() { begun.append(run) }
            for run in begun { group.addTask { await self.fetch(run) } }
        }
    }

    /// Detaches from a background session, whose downloads the daemon continues, as soon as it has
    /// those of all runs.
    ///
    /// The end that is being reported is still recorded, which needs the runner.
    private func detach(after runs: [LibraryRun]) async {
        if library.identifier != nil {
            for run in runs { await run.waitForHandover() }
        }
        await library.session.detach()
        library.index.work.post(.detached)
    }

    /// Adds a run to the queue.
    ///
    /// One that has to wait is noted on the disk: it must not be lost with the process.
    private func enqueue(_ run: LibraryRun, _ queue: inout RunQueue) async {
        if queue.isFull {
            await carryOut(.save(run.start.pending, hasEnded: false))
            run.noted.complete()
        }
        queue.add(run)
    }

    private func carryOut(_ action: LibraryIndex.Action) async {
        let library = library
        do throws(DownloadError) {
            try await library.disk.run { () throws(DownloadError) in
                switch action {
                case .save(let pending, let hasEnded):
                    try PendingNote.save(
                        pending,
                        in: library.folder,
                        session: library.identifier,
                        creates: !hasEnded
                    )
                case .discardPart(let pending): library.discardPart(pending)
                case .moveRecord(let from, let to):
                    let files = library.files
                    try RecordStore.move(from: files.path(from), to: files.path(to))
                default: break
                }
            }
        } catch {
            // No caller waits for the result. The next opening of the library finds the change
            // again.
            library.session.engine.logger.warning("cannot save the library's records: \(error)")
        }
    }

    private func check(_ names: [ExactText]) async {
        await library.follower.follow(names.map { .added($0) })
    }

    private func fetch(_ run: LibraryRun) async {
        let end = await RunFetcher(run, library).outcome()
        library.index.ended(run, end)
        let work = library.index.work
        if case .failed(let error, _) = end, run.hasLockedKey || error.code == .alreadyRunning {
            // The changes that another process made while this one ran were ignored.
            let note = ExactText(LibraryName.pendingName(form: run.key.fileName))
            work.post(.check([note, run.start.pending.name] + run.start.mayBeAt))
        }
        run.noted.complete()
        run.resumed.complete(with: nil)
        run.ended.complete()
        work.post(.ended(run.start.run))
    }

    // MARK: - Expired URLs

    /// Asks the user for another URL.
    private func renew(
        _ key: StorageKey,
        _ run: LibraryIndex.RunID,
        _ error: DownloadError
    ) async {
        let index = library.index
        var given: URL?
        if let ask = index.request(for: key)?.renewURL ?? library.configuration.renewURL,
            let url = index.entry(key)?.download?.pending.url
        {
            let expired = ExpiredURL(key: key, url: url, status: error.httpStatus ?? 0)
            given = await Self.answer(of: ask, expired)
        }
        index.handle(.urlGiven(key, run, given))
    }

    /// Returns the URL that the user's closure returns; `nil` if it returns none or the library is
    /// closed first.
    ///
    /// The closure may ignore its cancellation, so nothing waits for it after that.
    private static func answer(of ask: @escaping URLRenewal, _ expired: ExpiredURL) async -> URL? {
        let answer = Completion<URL?>()
        let asking = Task {
            // Whatever error the closure throws, the error to report is the download's own.
            answer.complete(with: try? await ask(expired))
        }
        let url = await answer.wait()
        asking.cancel()
        return url ?? nil
    }
}

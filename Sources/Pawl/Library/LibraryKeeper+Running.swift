internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization

/// The runner: one unstructured task, which runs until the library is closed.
extension LibraryKeeper {
    /// Runs the library.
    ///
    /// `watcher` watches the folder, if it is watched.
    func run(_ watcher: (any FolderWatching)?, _ drop: DropWatch?) async {
        await withDiscardingTaskGroup { group in
            if let watcher { group.addTask { await self.watch(watcher) } }
            if let drop {
                group.addTask { await drop.read() }
                group.addTask { await self.take(from: drop) }
            }
            var line = RunLine(limit: session.configuration.maximumConcurrentDownloads)
            var isEnding = false
            while !isEnding || !line.isEmpty {
                await work.waitIgnoringCancellation()
                var mayHaveStopped = false
                for item in work.take() {
                    switch item {
                    case .run(let run): await enqueue(run, &line)
                    case .renew(let key, let run, let error):
                        group.addTask { await self.renew(key, run, error) }
                    case .disk(let body): await runOnDisk(body)
                    case .lookAt(let names):
                        group.addTask { await self.follow(names.map { .added($0) }) }
                    case .ended(let run): line.ended(run)
                    case .look: mayHaveStopped = true
                    case .end: isEnding = true
                    }
                    // Not when all are noted: there may be a hundred thousand.
                    if let run = line.next() {
                        group.addTask { self.ended(run, await self.outcome(run)) }
                    }
                }
                var begun = mayHaveStopped ? line.takeStopped() : []
                while let run = line.next() { begun.append(run) }
                for run in begun { group.addTask { self.ended(run, await self.outcome(run)) } }
            }
            watcher?.stop()
            drop?.watcher.stop()
            group.cancelAll()
        }
        session.finishTasksAndInvalidate()
        ended.complete()
        state.withLock { state in
            state.isEnded = true
            for feed in state.feeds { feed.feed?.end() }
        }
    }

    /// Runs that wait for their turn, and those that have it.
    struct RunLine {
        private var scheduler: StartScheduler<LibraryIndex.RunID>
        private var waiting: [LibraryIndex.RunID: LibraryRun] = [:]
        private var begun: ArraySlice<LibraryIndex.RunID> = []
        private var active: Set<LibraryIndex.RunID> = []
        private var lastPosition: Int64 = 0

        init(limit: Int) { scheduler = StartScheduler(limit: max(1, limit)) }

        var isFull: Bool { scheduler.placesTaken + scheduler.waitingCount >= scheduler.limit }
        var isEmpty: Bool { active.isEmpty && waiting.isEmpty }

        mutating func add(_ run: LibraryRun) {
            lastPosition += 1
            waiting[run.start.run] = run
            scheduler.wait(.init(id: run.start.run, position: lastPosition))
        }

        /// The one that has waited longest, if there is a turn.
        mutating func next() -> LibraryRun? {
            if begun.isEmpty { begun = scheduler.begin()[...] }
            guard let id = begun.popFirst(), let run = waiting.removeValue(forKey: id) else {
                return nil
            }
            active.insert(id)
            return run
        }

        /// Those that were stopped while they waited: they end at once, and need no turn.
        mutating func takeStopped() -> [LibraryRun] {
            let stopped = waiting.values.filter(\.isStopped)
            for run in stopped where scheduler.leave(run.start.run) {
                waiting[run.start.run] = nil
                active.insert(run.start.run)
            }
            return stopped.filter { active.contains($0.start.run) }
        }

        mutating func ended(_ run: LibraryIndex.RunID) {
            active.remove(run)
            scheduler.ended(run)
        }
    }

    /// One that has to wait is noted: it must not be lost with the process.
    private func enqueue(_ run: LibraryRun, _ line: inout RunLine) async {
        if line.isFull {
            let (order, folder) = (run.start.order, folder)
            await runOnDisk { () throws(DownloadError) in try PendingNote.save(order, in: folder) }
        }
        if line.isFull { run.noted.complete() }
        line.add(run)
    }

    private func runOnDisk(_ body: @escaping @Sendable () throws(DownloadError) -> Void) async {
        do throws(DownloadError) {
            try await disk.run(body)
        } catch {
            // Nobody waits for it; what it was about is found again when the library is opened.
            session.engine.logger.warning("cannot save the library's records: \(error)")
        }
    }

    private func ended(_ run: LibraryRun, _ end: LibraryIndex.RunEnd) {
        state.withLock { state in
            state.runs[run.start.run] = nil
            let actions = state.change(run.key) {
                $0.handle(.runEnded(run.key, run.start.run, end))
            }
            perform(actions, &state)
        }
        if case .failed(let error, _) = end, run.hasClaimed || error.code == .alreadyRunning {
            // What another process did while this one ran was not heard.
            let note = LibraryName.pendingName(form: run.key.fileName)
            work.post(.lookAt([note, run.start.order.name] + run.start.mayBeAt))
        }
        run.noted.complete()
        run.ended.complete()
        work.post(.ended(run.start.run))
    }
}

internal import Logging
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization

/// The runner: one unstructured task, which is there until the library is closed.
extension LibraryKeeper {
    /// `watcher`: of the folder, if it is watched.
    func run(_ watcher: (any FolderWatching)?, _ drop: DropWatch?) async {
        await withDiscardingTaskGroup { group in
            if let watcher { group.addTask { await self.watch(watcher) } }
            if let drop {
                group.addTask { await drop.read() }
                group.addTask { await self.take(from: drop) }
            }
            var line = RunLine(limit: session.configuration.maximumConcurrentDownloads)
            var isEnding = false
            while !isEnding || line.active > 0 || !line.waiting.isEmpty {
                await work.wait()
                var mayHaveStopped = false
                for item in work.take() {
                    switch item {
                    case .run(let run): await enqueue(run, &line)
                    case .renew(let key, let run, let error):
                        group.addTask { await self.renew(key, run, error) }
                    case .disk(let body): await runOnDisk(body)
                    case .lookAt(let names):
                        group.addTask { await self.follow(names.map { .added($0) }) }
                    case .ended: line.active -= 1
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
        ended.set()
        state.withLock { state in
            state.isEnded = true
            for feed in state.feeds { feed.feed?.end() }
        }
    }

    /// Those that wait for their turn, and how many have it.
    struct RunLine {
        let limit: Int
        var active = 0
        private(set) var waiting: ArraySlice<LibraryRun> = []

        init(limit: Int) { self.limit = max(1, limit) }

        var isFull: Bool { active + waiting.count >= limit }

        mutating func add(_ run: LibraryRun) { waiting.append(run) }

        /// The one that has waited longest, where there is a turn.
        mutating func next() -> LibraryRun? {
            guard active < limit, let run = waiting.popFirst() else { return nil }
            active += 1
            return run
        }

        /// Those that were stopped: they end at once, and need no turn.
        mutating func takeStopped() -> [LibraryRun] {
            var stopped: [LibraryRun] = []
            var left: [LibraryRun] = []
            for run in waiting {
                if run.isStopped { stopped.append(run) } else { left.append(run) }
            }
            waiting = left[...]
            active += stopped.count
            return stopped
        }
    }

    /// One that has to wait is noted: it must not be lost with the process.
    private func enqueue(_ run: LibraryRun, _ line: inout RunLine) async {
        if line.isFull {
            let (order, folder) = (run.start.order, folder)
            await runOnDisk { () throws(DownloadError) in try PendingNote.save(order, in: folder) }
        }
        if line.isFull { run.noted.set() }
        line.add(run)
    }

    private func runOnDisk(_ body: @escaping @Sendable () throws(DownloadError) -> Void) async {
        do throws(DownloadError) {
            try await disk.run(body)
        } catch {
            // Nobody waits for it; what it was about is found again when the library is opened.
            session.engine.logger.warning("keeping the library's notes failed: \(error)")
        }
    }

    private func ended(_ run: LibraryRun, _ end: LibraryIndex.RunEnd) {
        let wakes = state.withLock { state in
            state.runs[run.start.run] = nil
            let actions = state.change(run.key) {
                $0.handle(.runEnded(run.key, run.start.run, end))
            }
            return perform(actions, &state)
        }
        if case .failed(let error, _) = end, run.hasClaimed || error.code == .alreadyRunning {
            // What another process did while this one ran was not heard.
            let note = LibraryName.pendingName(form: run.key.fileName)
            work.post(.lookAt([note, run.start.order.name] + run.start.mayBeAt))
        }
        run.noted.set()
        run.ended.set()
        for wake in wakes { wake() }
        work.post(.ended)
    }
}

internal import Logging
internal import Pawl
internal import PawlCore

/// Mirrors a tree to a folder, and reports the result.
struct MirrorRun: Sendable {
    var source: MirrorSource
    let folder: String
    let choices: MirrorChoices
    let configuration: SessionConfiguration
    let console: Console
    let display: any ProgressDisplay
    let logger: Logger
    let isQuiet: Bool
    let isJSON: Bool

    /// Runs the mirror and returns the exit status.
    ///
    /// Cancelling the task interrupts it; what is complete is known to the next run.
    func run() async -> Int32 {
        var run = self
        do throws(DownloadError) {
            run.source = try await source.settled(console)
        } catch {
            errors.report(error, at: nil)
            return error.code.exitStatus
        }
        return await run.mirror()
    }

    private var errors: MirrorErrors { MirrorErrors(console: console, isJSON: isJSON) }

    private func mirror() async -> Int32 {
        let journal: MirrorJournal
        do throws(DownloadError) {
            journal = try MirrorJournal(folder: folder, root: source.root, source: source.key)
        } catch {
            errors.report(error, at: nil)
            return error.code.exitStatus
        }
        if journal.isDamaged, !isQuiet {
            console.message("The state of the mirror is damaged: all files are compared again")
        }
        let session = DownloadSession(configuration, logger: logger)
        let created = Completion<TreeMirror>()
        let progress = ProgressCollector(display: display) { created.value?.counts.status }
        let shown = ShownTasks(
            console: console,
            progress: progress,
            printsPaths: !isJSON && !console.outputIsTerminal
        )
        let mirror = TreeMirror(
            folder: folder,
            journal,
            session,
            ifExists: choices.ifExists,
            reporter: MirrorReporter(shown: shown, errors: errors, isQuiet: isQuiet)
        ) { [settings = source.settings] in settings($0) }
        created.complete(with: mirror)
        await shown.whileShowing {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await Self.save(journal) }
                await walk(mirror, session)
                group.cancelAll()
            }
        }
        await session.saveFiles()
        await shown.close()
        return conclude(mirror, journal)
    }

    /// Writes the state from time to time until the task is cancelled.
    private static func save(_ journal: MirrorJournal) async {
        let clock = SystemTimekeeper()
        while (try? await clock.sleep(until: clock.now() + .milliseconds(500))) != nil {
            journal.write()
        }
    }

    private func walk(_ mirror: TreeMirror, _ session: DownloadSession) async {
        await withTaskCancellationHandler {
            switch source {
            case .tree(let root, let settings):
                var walk = TreeWalk(root, FolderLister(session, settings), mirror)
                walk.depth = choices.depth
                walk.filter = choices.filter
                walk.obeysRobots = choices.obeysRobots
                await walk.run()
            case .bucket(let bucket):
                await bucket.walk(session, mirror, choices)
            case .list(_, let files):
                let wanted = files.map(\.file).filter { choices.concern($0.path) }
                await TreeWalk.take(wanted, mirror)
            }
        } onCancel: {
            session.startNoMore()
        }
    }

    // MARK: - The end

    private func conclude(_ mirror: TreeMirror, _ journal: MirrorJournal) -> Int32 {
        let counts = mirror.counts
        let wasInterrupted = Task.isCancelled || console.outputIsClosed
        let vanished = wasInterrupted ? nil : mirror.vanished(choices.concern)
        var failure = mirror.firstError
        var deleted = 0
        if !isQuiet, !wasInterrupted {
            console.message(counts.summary)
            for note in notes(counts) { console.message(note) }
        }
        if choices.deletes, vanished == nil, !wasInterrupted, failure == nil {
            let error = DownloadError(
                .badResponse,
                "nothing is deleted, because the lists may be incomplete or no longer contain any "
                    + "of the files",
                advice: "check the URL; to delete all files, delete the folder"
            )
            errors.report(error, at: nil)
            failure = error
        }
        if let vanished, !vanished.isEmpty {
            let error: DownloadError?
            (deleted, error) = remove(vanished, mirror)
            failure = failure ?? error
        }
        do throws(DownloadError) {
            try journal.close()
        } catch {
            errors.report(error, at: nil)
            failure = failure ?? error
        }
        if isJSON {
            let event = MirroredEvent(counts, vanished: vanished?.count, deleted: deleted)
            console.output(JSONOutput.line(event) + "\n")
        }
        guard !wasInterrupted else { return interrupted(counts) }
        return failure?.code.exitStatus ?? 0
    }

    private func notes(_ counts: MirrorCounts) -> [String] {
        var notes: [String] = []
        if counts.leftOut > 0 {
            let noun = counts.leftOut == 1 ? "entry is" : "entries are"
            notes.append("\(counts.leftOut) \(noun) left out: symbolic links and similar entries")
        }
        if counts.disallowed > 0 {
            let noun = MirrorCounts.count(counts.disallowed, "path")
            notes.append("\(noun) left out because of robots.txt; see --no-robots")
        }
        return notes
    }

    private func interrupted(_ counts: MirrorCounts) -> Int32 {
        if !console.outputPipeIsClosed {
            errors.report(
                DownloadError(
                    .interrupted,
                    "interrupted; \(counts.summary)",
                    advice: DownloadError.resumeAdvice
                ),
                at: nil
            )
        }
        return console.outputIsClosed && !console.outputPipeIsClosed
            ? 0 : ErrorCode.interrupted.exitStatus
    }

    /// Shows the files that are no longer on the server, and deletes them if that is wanted.
    private func remove(
        _ vanished: [String],
        _ mirror: TreeMirror
    ) -> (deleted: Int, DownloadError?) {
        let count = MirrorCounts.count(vanished.count, "file")
        let verb = vanished.count == 1 ? "is" : "are"
        guard choices.deletes else {
            if !isQuiet {
                console.message("\(count) \(verb) no longer on the server; see --delete")
            }
            return (0, nil)
        }
        guard mirror.firstError == nil else {
            if !isQuiet { console.message("Nothing is deleted, because of the errors above") }
            return (0, nil)
        }
        if choices.asks || !isQuiet {
            console.message("\(count) \(verb) no longer on the server:")
            for path in vanished { console.message("  \(path.sanitized)") }
        }
        if choices.asks {
            guard Confirmation.isPossible(on: console) else {
                console.message("Nothing was deleted: there is no terminal to ask on; see --yes")
                return (0, nil)
            }
            let isWanted = Confirmation.ask(
                "Delete \(count)?",
                on: console,
                accepting: ["y", "yes"]
            )
            guard isWanted else {
                console.message("Nothing was deleted")
                return (0, Task.isCancelled ? DownloadError(.interrupted, "interrupted") : nil)
            }
        }
        var failure: DownloadError?
        var deleted = 0
        for path in vanished {
            do throws(DownloadError) {
                try mirror.delete(path)
                deleted += 1
            } catch {
                errors.report(error, at: path)
                failure = failure ?? error
            }
        }
        if !isQuiet { console.message("\(MirrorCounts.count(deleted, "file")) deleted") }
        return (deleted, failure)
    }
}

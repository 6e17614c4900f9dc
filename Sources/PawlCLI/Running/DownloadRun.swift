internal import FoundationEssentials
internal import Logging
internal import Pawl
internal import PawlCore

/// Runs the downloads of one command and reports their results.
struct DownloadRun: Sendable {
    let downloads: [RequestedDownload]
    let configuration: SessionConfiguration
    let display: any ProgressDisplay
    let console: Console
    let logger: Logger
    /// Whether the path of each finished file is written to standard output.
    var printsPaths = false
    /// Printed after Ctrl-C; `nil` prints nothing.
    var hint: BackgroundHint?

    /// Runs all downloads and returns the exit status.
    ///
    /// Cancelling the task interrupts them; the bytes received so far are kept.
    func run() async -> Int32 {
        let session = DownloadSession(configuration, logger: logger)
        let progress = ProgressCollector(display: display, requestedCount: downloads.count)
        let shown = ShownTasks(console: console, progress: progress, printsPaths: printsPaths)
        let hooks = RunHooks(session: session, console)
        await shown.whileShowing { await startAll(session, shown, hooks) }
        await session.saveFiles()
        await shown.close()
        return conclude(progress.endedDownloads)
    }

    /// Queues the downloads in the order given when there is room for them.
    ///
    /// A download that is not queued yet, or has ended, uses no resources.
    private func startAll(
        _ session: DownloadSession,
        _ shown: ShownTasks,
        _ hooks: RunHooks
    ) async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for (index, download) in downloads.enumerated() {
                    guard await session.waitForRoom(), !console.outputIsClosed else { break }
                    let task = makeTask(of: download, in: session)
                    task.resume()
                    group.addTask {
                        async let start: Void = hooks.watch(task, of: download)
                        let result = await run(task, of: download, id: index + 1, shown)
                        await start
                        if !result.isStop { await hooks.ended(result, task, of: download) }
                    }
                }
            }
        } onCancel: {
            session.startNoMore()
        }
    }

    private func makeTask(
        of download: RequestedDownload,
        in session: DownloadSession
    ) -> DownloadTask {
        let request = DownloadRequest(download.url) { $0 = download.settings }
        if download.isForStandardOutput {
            return session.downloadTask(with: request, passingOnTo: console.orderedOutput())
        }
        let destination = TaskDestination(download.destination)
        guard !download.settings.moveRules.isEmpty else {
            return session.downloadTask(with: request, to: destination)
        }
        return session.downloadTask(
            with: request,
            to: destination,
            movedTo: { Self.folder(for: $0, of: download) }
        )
    }

    /// Returns the folder into which the rules of a download move its finished file; `nil` if it
    /// stays where it is.
    private static func folder(
        for file: FinishedFacts,
        of download: RequestedDownload
    ) -> String? {
        var file = file
        file.host = download.url.host(percentEncoded: false)
        return download.settings.moveRules.folder(for: file, home: UserHome.path)
    }

    private func run(
        _ task: DownloadTask,
        of requested: RequestedDownload,
        id: Int,
        _ shown: ShownTasks
    ) async -> Result<DownloadedFile, DownloadError> {
        let result = await shown.run(
            task,
            id: id,
            source: requested.url.redacted,
            name: requested.workingName
        ) { (file) async throws(DownloadError) in
            try await move(file, of: task, requested)
        }
        if case .success(let file) = result {
            await keepSignature(of: file, from: task, requested)
        }
        if case .failure(let error) = result, !wasStopped(by: error) {
            report(error, of: requested)
        }
        return result
    }

    /// Moves a finished file according to its rules; returns where it is then.
    ///
    /// A file that existed before is moved only if Pawl has fetched it from one of these URLs and
    /// nobody has changed it since: an earlier move may have failed. Another one stays where it is,
    /// which a message reports. Another process that downloads the same may have moved it already.
    private func move(
        _ file: DownloadedFile,
        of task: DownloadTask,
        _ requested: RequestedDownload
    ) async throws(DownloadError) -> DownloadedFile {
        guard !requested.settings.moveRules.isEmpty, !requested.isForStandardOutput,
            !task.isMoved(file)
        else { return file }
        var facts = FinishedFacts(name: String(file.path.pathFile), size: file.byteCount)
        facts.mediaType = task.response?.mediaType
        guard let folder = Self.folder(for: facts, of: requested) else { return file }
        let leftovers = task.session.leftovers
        let urls = [requested.url] + requested.settings.mirrors
        if file.wasAlreadyThere {
            guard await leftovers.isOwn(file.path, of: urls) else {
                guard LeftoverFiles.isThere(file.path) else {
                    return try await find(file, movedInto: folder, of: urls, leftovers)
                }
                logger.warning(
                    "\(file.path.sanitized) existed before this download and is not moved"
                )
                return file
            }
        }
        let relocation: LeftoverFiles.Relocation
        do throws(DownloadError) {
            relocation = try await leftovers.move(
                file.path,
                into: folder,
                removingDuplicateOf: urls
            )
        } catch {
            guard !LeftoverFiles.isThere(file.path) else { throw error }
            return try await find(file, movedInto: folder, of: urls, leftovers)
        }
        for problem in relocation.problems {
            logger.warning("the file was moved to \(relocation.file.path.sanitized): \(problem)")
        }
        var moved = file
        moved.path = relocation.file.path
        return moved
    }

    /// Finds a file that another process has moved.
    ///
    /// - Throws: `.notFound` if it is not in the folder.
    private func find(
        _ file: DownloadedFile,
        movedInto folder: String,
        of urls: [URL],
        _ leftovers: LeftoverFiles
    ) async throws(DownloadError) -> DownloadedFile {
        let path = await leftovers.findMoved(
            file.path,
            into: folder,
            size: file.byteCount,
            of: urls
        )
        guard let path else {
            throw DownloadError(
                .notFound,
                "\(file.path.sanitized) is gone: another program has moved or removed it",
                advice: "download it again",
                context: "moving \(file.path) to \(folder)"
            )
        }
        var moved = file
        moved.path = path
        return moved
    }

    private func keepSignature(
        of file: DownloadedFile,
        from task: DownloadTask,
        _ requested: RequestedDownload
    ) async {
        guard let signature = NamedSignature(task.response, of: requested, at: file.path) else {
            return
        }
        let outcome = await signature.keep(in: task.session)
        logger.notice("\(outcome)")
    }

    /// Whether an error shows only that the run was stopped.
    private func wasStopped(by error: DownloadError) -> Bool {
        error.isStop && (Task.isCancelled || console.outputIsClosed)
    }

    private func report(_ error: DownloadError, of requested: RequestedDownload) {
        var error = error
        if error.code == .notFound, URLPattern.hasBrackets(requested.url.absoluteString) {
            error.guidance = "check the URL; a pattern is written {1..10}, and not [1-10]"
        }
        guard downloads.count > 1 else { return console.report(error) }
        // The option for a name cannot be given for several downloads.
        error.guidance = error.guidance
            .replacing(.otherName, with: "another folder with --directory")
            .replacing(.otherLocation, with: "another folder with --directory")
        // The URL identifies the download that has failed.
        console.report(error, of: requested.url.redacted)
    }

    /// The exit status: that of an interruption if the run was interrupted, otherwise that of the
    /// first failed download in the order given.
    private func conclude(_ ended: [EndedDownload]) -> Int32 {
        let wasInterrupted = Task.isCancelled || console.outputIsClosed
        let isComplete = ended.count == downloads.count
        let failures = ended.sorted { $0.id < $1.id }.compactMap { download in
            if case .failure(let error) = download.result { error } else { nil as DownloadError? }
        }
        if wasInterrupted, !isComplete || failures.contains(where: wasStopped) {
            // A reader that has closed the pipe, such as `head`, needs no message.
            let isOutput = downloads.contains(where: \.isForStandardOutput)
            if isOutput ? !console.outputIsClosed : !console.outputPipeIsClosed {
                console.report(InterruptionMessage.make(ended, of: downloads))
                if let text = hint?.text(for: unfinished(ended)) { console.message(text) }
            }
            // If results cannot be written, Console reports that and sets the status.
            return console.outputIsClosed && !console.outputPipeIsClosed
                ? 0 : ErrorCode.interrupted.exitStatus
        }
        return failures.first?.code.exitStatus ?? 0
    }

    /// The downloads that have not started or were interrupted.
    private func unfinished(_ ended: [EndedDownload]) -> [RequestedDownload] {
        let settled = ended.filter { download in
            if case .failure(let error) = download.result {
                error.code != .interrupted
            } else {
                true
            }
        }
        let ids = Set(settled.map(\.id))
        return downloads.enumerated().filter { !ids.contains($0.offset + 1) }.map(\.element)
    }
}

extension DownloadError {
    /// Whether a download was stopped, and has not failed.
    fileprivate var isStop: Bool { code == .interrupted || code == .cancelled }
}

extension Result<DownloadedFile, DownloadError> {
    /// Whether the download was stopped, and has not failed.
    fileprivate var isStop: Bool {
        if case .failure(let error) = self { error.isStop } else { false }
    }
}

internal import FoundationEssentials
internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import PawlWire
internal import Synchronization
internal import SystemPackage

/// The part of a background session that serves its link and its tasks.
extension DownloadSession {
    func backgroundTask(_ number: Int) -> BackgroundTask? {
        state.withLock { $0.tasks[number] } as? BackgroundTask
    }

    /// Creates a task for a download that the daemon has; `nil` if the session accepts none any
    /// more.
    func adopt(_ row: WireDownload, link: BackgroundLink) -> BackgroundTask? {
        // Secrets in its URL are hidden, so the reported URL cannot be requested again.
        guard state.withLock({ $0.phase != .invalid }), let url = URL(string: row.url) else {
            return nil
        }
        let target = DownloadTask.Target(destination: destination(of: row))
        let task = makeTask(row.taskIdentifier.map { Int($0) }) { place -> BackgroundTask in
            var place = place
            // It was created before the session was invalidated.
            place.isLate = false
            return BackgroundTask(
                DownloadRequest(url),
                target,
                at: place,
                link: link,
                isAdopted: true,
                completionHandler: nil
            )
        }
        let facts = BackgroundTask.Facts(row)
        task.taskDescription = facts.description
        task.priority = facts.priority
        task.earliestBeginDate = facts.notBefore
        task.setLimit(facts.limit)
        return task
    }

    /// Removes files of the session that no task of it can return any more.
    func sweepBackground(keeping numbers: Set<Int>, before first: Int) {
        let files = temporaryFiles
        engine.disk.start { _ in files.sweepBackground(keeping: numbers, before: first) }
    }

    private func destination(of row: WireDownload) -> TaskDestination {
        let path = row.destination
        if let folder = temporaryFiles.backgroundFolder, path.hasPrefix("\(folder)/") {
            return .temporary
        }
        return path.hasSuffix("/") ? .directory(path) : .file(path)
    }

    /// Returns where the daemon must put a task's file: an absolute path, with a slash at the end
    /// for a folder.
    func backgroundDestination(
        _ destination: TaskDestination,
        _ number: Int
    ) async throws(DownloadError) -> String {
        switch destination {
        case .file(let path): return FilePath(path).absolute.string
        case .directory(let path): return "\(FilePath(path).absolute.string)/"
        case .place(let place, let name):
            let folder = FilePath(try await folder(of: place)).absolute.string
            guard let name else { return "\(folder)/" }
            return "\(folder)/\(FileName.clean(name) ?? "download")"
        case .temporary, .choosing:
            let files = temporaryFiles
            return try await engine.disk.run { () throws(DownloadError) in
                "\(try files.prepareBackground())/\(number)"
            }
        }
    }

    /// Moves a finished file to the path that its task's closure chooses.
    ///
    /// The next process would find it there, too.
    func move(
        _ file: DownloadedFile,
        of task: BackgroundTask,
        to destination: Destination,
        _ response: DownloadResponse
    ) async throws(DownloadError) -> DownloadedFile {
        let path =
            switch destination {
            case .file(let path): FilePath(path).absolute
            case .directory(let folder):
                FilePath(folder).absolute.appending(response.suggestedFilename)
            }
        let (files, number) = (temporaryFiles, task.taskIdentifier)
        let policy = task.originalRequest.settings(in: configuration).ifExists
        let source = FilePath(file.path)
        let moved = try await engine.disk.run { () throws(DownloadError) in
            try files.noteMove(of: number, to: path.string)
            let moved = try FileMove(source, to: path, policy: policy).run()
            if moved.path != path { try files.noteMove(of: number, to: moved.path.string) }
            return moved
        }
        var file = file
        file.path = moved.path.string
        return file
    }

    /// Handles the loss of the session to another process, or its refusal by the daemon.
    ///
    /// Its tasks continue there without this process.
    func lost(_ error: DownloadError) {
        let tasks = state.withLock { state in
            if state.phase == .open { state.phase = .finishing }
            state.loss = error
            return Array(state.tasks.values)
        }
        for task in tasks where task is BackgroundTask && task.state != .running {
            task.end(keeping: true)
        }
        invalidateIfDone()
    }
}

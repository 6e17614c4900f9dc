public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage

/// Creates tasks.
extension DownloadSession {
    /// Creates a task that downloads to a file.
    ///
    /// It starts when it is resumed.
    public func downloadTask(
        with request: DownloadRequest,
        to destination: TaskDestination = .temporary,
        completionHandler: DownloadCompletionHandler? = nil
    ) -> DownloadTask {
        downloadTask(request, DownloadTask.Target(destination: destination), completionHandler)
    }

    /// Creates a task that downloads a URL to a file.
    ///
    /// It starts when it is resumed.
    public func downloadTask(
        with url: URL,
        to destination: TaskDestination = .temporary,
        completionHandler: DownloadCompletionHandler? = nil
    ) -> DownloadTask {
        downloadTask(
            with: DownloadRequest(url),
            to: destination,
            completionHandler: completionHandler
        )
    }

    /// Creates a task that resumes an ended download, even one of another process.
    ///
    /// It starts when it is resumed. The request's fields are those of the session's settings and,
    /// if missing there, those of the data. The bytes of the partial file are used only if they are
    /// proven.
    /// `resume` contains its current path, the destination, and what to do if the data cannot be
    /// used. If neither contains a destination, the file is a temporary one, as before.
    ///
    /// - Throws: `DownloadError`.
    public func downloadTask(
        withResumeData data: ResumeData,
        _ resume: ResumeSettings = ResumeSettings(),
        completionHandler: DownloadCompletionHandler? = nil
    ) throws(DownloadError) -> DownloadTask {
        if case .object? = resume.destination {
            throw .usage(
                "resume data cannot be used for an object",
                advice: "start the download with the object as its destination"
            )
        }
        let target = ResumeTarget(data, resume)
        var request = DownloadRequest(resume.url ?? data.url, adjusting: resume.adjustment)
        request.adjust { $0 = data.settings($0) }
        let resumeRequest = ResumeRequest(
            data,
            partialPath: resume.partialFile,
            fallback: resume.fallback
        )
        return downloadTask(
            request,
            DownloadTask.Target(
                destination: target.map { .file($0.path) } ?? .temporary,
                resume: resumeRequest
            ),
            completionHandler
        )
    }

    /// Downloads a file, which is complete and verified when this returns.
    ///
    /// If an earlier run left part of the file, only the rest is fetched. Cancelling the task that
    /// awaits this ends the download and keeps the bytes received so far. The next download to the
    /// same file resumes it; for a temporary file, use the error's `resumeData`. `adjustment` changes
    /// the session's settings for this download. The file's `response` is that of the server.
    ///
    /// - Throws: `DownloadError`.
    public func download(
        _ url: URL,
        to destination: TaskDestination = .temporary,
        adjusting adjustment: SettingsAdjustment? = nil
    ) async throws(DownloadError) -> DownloadedFile {
        try await download(DownloadRequest(url, adjusting: adjustment), to: destination)
    }

    /// Downloads the response to a request to a file, which is complete and verified when this
    /// returns.
    ///
    /// - Throws: `DownloadError`.
    public func download(
        _ request: DownloadRequest,
        to destination: TaskDestination = .temporary
    ) async throws(DownloadError) -> DownloadedFile {
        let task = downloadTask(with: request, to: destination)
        return task.withResponse(try await finish(task))
    }

    /// Resumes an ended download, even one of another process, and finishes it.
    ///
    /// ```swift
    /// do {
    ///     _ = try await session.download(url, to: .directory(folder))
    /// } catch {
    ///     guard let data = error.resumeData else { throw error }
    ///     _ = try await session.download(resuming: data)
    /// }
    /// ```
    ///
    /// - Throws: `DownloadError`.
    public func download(
        resuming data: ResumeData,
        _ resume: ResumeSettings = ResumeSettings()
    ) async throws(DownloadError) -> DownloadedFile {
        let task = try downloadTask(withResumeData: data, resume)
        return task.withResponse(try await finish(task))
    }

    /// Runs a task to its end, and returns its file without the response.
    ///
    /// If the calling task is cancelled, the download ends and keeps the bytes received so far.
    package func finish(_ task: DownloadTask) async throws(DownloadError) -> DownloadedFile {
        task.resume()
        do throws(DownloadError) {
            return try await task.awaitFile()
        } catch {
            // If the wait was cancelled, the task is paused, and nobody is left to resume it.
            task.end(keeping: true)
            await task.end.waitIgnoringCancellation()
            // The file may have been complete before the cancellation arrived.
            if case .success(let file)? = task.fileOutcome { return file }
            guard error.code == .interrupted else { throw error }
            if let interruption = task.interruption { throw interruption }
            var error = error
            error.resumeData = task.error?.resumeData
            error.resumeObstacle = task.error?.resumeObstacle
            throw error
        }
    }

    /// Requests the description of a file from the server, without its bytes.
    ///
    /// It does not wait for a turn, and the session does not end before it has returned. `adjustment`
    /// changes the session's settings for this request.
    ///
    /// - Throws: `DownloadError`, with the code `.usage` if the session was invalidated.
    public func inspect(
        _ url: URL,
        adjusting adjustment: SettingsAdjustment? = nil
    ) async throws(DownloadError) -> SourceDescription {
        let given = DownloadRequest(url, adjusting: adjustment)
        let checked = try CheckedRequest(url, given.settings(in: configuration))
        let inspector = Inspector(url: checked.url, settings: checked.settings, engine: engine)
        let findings = try await requestWithoutTask {
            inspector.stop()
        } _: { () async throws(DownloadError) in
            try await inspector.run()
        }
        return SourceDescription(findings)
    }

    /// Creates a task that passes the bytes on to an output in order while it receives them.
    ///
    /// The path of its file is `-`.
    package func downloadTask(
        with request: DownloadRequest,
        passingOnTo output: OrderedOutput
    ) -> DownloadTask {
        var target = DownloadTask.Target(destination: .temporary)
        target.output = output
        return downloadTask(request, target, nil)
    }

    /// Creates a task that downloads to an object of a storage service.
    ///
    /// The path of its file is the object's URL, which has a number if the name was taken. The
    /// session must not be a background session.
    package func downloadTask(
        with request: DownloadRequest,
        to object: ObjectDestination
    ) -> DownloadTask {
        var target = DownloadTask.Target(destination: .temporary)
        target.object = object
        return downloadTask(request, target, nil)
    }

    /// Creates the task of a download whose finished file the caller moves to another folder.
    ///
    /// `moveFolder` returns that folder. A file of this URL that an earlier run has moved there is
    /// not fetched again.
    package func downloadTask(
        with request: DownloadRequest,
        to destination: TaskDestination,
        movedTo moveFolder: @escaping MoveFolder
    ) -> DownloadTask {
        var target = DownloadTask.Target(destination: destination)
        target.moveFolder = moveFolder
        return downloadTask(request, target, nil)
    }

    /// Creates the task of a download that a library runs.
    ///
    /// The key is recorded with the file. `replaced` is the only existing file that the download
    /// may replace.
    package func downloadTask(
        _ request: DownloadRequest,
        to destination: TaskDestination,
        storageKey: StorageKey,
        replacing replaced: FileStamp?
    ) -> DownloadTask {
        var target = DownloadTask.Target(destination: destination)
        target.storageKey = storageKey.text
        target.replaces = replaced
        return downloadTask(request, target, nil)
    }

    /// Creates the task of a download that may replace no existing file but the given one.
    func downloadTask(
        _ request: DownloadRequest,
        to destination: TaskDestination,
        replacing replaced: FileStamp?
    ) -> DownloadTask {
        var target = DownloadTask.Target(destination: destination)
        target.replaces = replaced
        return downloadTask(request, target, nil)
    }

    // MARK: - Data

    /// Fetches a small response completely into memory, using a task of the session that starts at
    /// once.
    ///
    /// ```swift
    /// let release = try await session.data(from: url).json(Release.self)
    /// ```
    ///
    /// `limit` is the maximum number of bytes. A larger response is an error, and is not fetched if
    /// the server announces its length. Cancelling the task that awaits it ends the request. It
    /// does not wait for a turn. The task is reported to the delegate, but the delegate receives no
    /// bytes.
    ///
    /// - Throws: `DownloadError`, with the code `.tooLarge` if the response is larger.
    public func data(
        from url: URL,
        limit: Int64 = FetchedData.defaultLimit
    ) async throws(DownloadError) -> FetchedData {
        try await data(for: DownloadRequest(url), limit: limit)
    }

    /// Fetches the response to a request completely into memory.
    ///
    /// - Throws: `DownloadError`, with the code `.tooLarge` if there are more than `limit` bytes.
    public func data(
        for request: DownloadRequest,
        limit: Int64 = FetchedData.defaultLimit
    ) async throws(DownloadError) -> FetchedData {
        let task = makeTask { membership in
            DataTask(request, limit: limit, at: membership, isAwaitedAtOnce: true)
        }
        task.resume()
        do throws(DownloadError) {
            return try await task.data
        } catch {
            guard error.code == .cancelled, Task.isCancelled else { throw error }
            throw DownloadError(.interrupted, "the wait was cancelled")
        }
    }

    /// Creates a task that returns the response to a request as data.
    ///
    /// It starts when it is resumed. `limit` is the maximum number of bytes if the whole body is
    /// requested; it does not apply to reading in pieces, or if only the delegate receives them.
    public func dataTask(
        with request: DownloadRequest,
        limit: Int64 = FetchedData.defaultLimit,
        completionHandler: DataCompletionHandler? = nil
    ) -> DataTask {
        makeTask { membership in
            DataTask(request, limit: limit, at: membership, completionHandler: completionHandler)
        }
    }

    /// Creates a task that returns the content of a URL as data.
    ///
    /// It starts when it is resumed.
    public func dataTask(
        with url: URL,
        limit: Int64 = FetchedData.defaultLimit,
        completionHandler: DataCompletionHandler? = nil
    ) -> DataTask {
        dataTask(
            with: DownloadRequest(url),
            limit: limit,
            completionHandler: completionHandler
        )
    }

    // MARK: - For each kind of session

    func downloadTask(
        _ request: DownloadRequest,
        _ target: DownloadTask.Target,
        _ completionHandler: DownloadCompletionHandler?
    ) -> DownloadTask {
        guard let link else {
            return makeTask { membership in
                DownloadTask(request, target, at: membership, completionHandler: completionHandler)
            }
        }
        return makeTask { membership in
            BackgroundTask(
                request,
                target,
                at: membership,
                link: link,
                completionHandler: completionHandler
            )
        }
    }

    /// Returns the application's folder of a place, which exists when this returns.
    func folder(of place: Place) async throws(DownloadError) -> String {
        let application = configuration.application
        return try await engine.disk.run { () throws(DownloadError) in
            try place.prepared(for: application).string
        }
    }
}

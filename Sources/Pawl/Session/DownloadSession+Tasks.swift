public import struct FoundationEssentials.URL
public import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import SystemPackage

/// Making tasks.
extension DownloadSession {
    /// A task that downloads to a file.
    ///
    /// It begins when it is resumed.
    public func downloadTask(
        with request: DownloadRequest,
        to destination: TaskDestination = .temporary,
        completionHandler: DownloadCompletionHandler? = nil
    ) -> DownloadTask {
        downloadTask(request, DownloadTask.Target(destination: destination), completionHandler)
    }

    /// A task that downloads a URL to a file.
    ///
    /// It begins when it is resumed.
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

    /// A task that goes on where another one ended, also one of another process.
    ///
    /// It begins when it is resumed. The fields of the request are those of the session's settings
    /// and, where these do not have them, of the data. The partial file is believed as far as it is
    /// proven; `resume` says where it is now, where the file is to go, and what to do where the data
    /// cannot be used. Where neither says where the file is to go, it becomes a temporary one, as it
    /// was to be before.
    ///
    /// - Throws: `DownloadError`.
    public func downloadTask(
        withResumeData data: ResumeData,
        _ resume: ResumeSettings = ResumeSettings(),
        completionHandler: DownloadCompletionHandler? = nil
    ) throws(DownloadError) -> DownloadTask {
        let target = ResumeTarget(data, resume)
        let settings = data.settings(resume.settings ?? configuration.settings)
        let order = ResumeOrder(
            data,
            partialPath: resume.partialFile,
            fallback: resume.fallback
        )
        return downloadTask(
            DownloadRequest(resume.url ?? data.url, settings: settings),
            DownloadTask.Target(
                destination: target.map { .file($0.path) } ?? .temporary,
                resume: order
            ),
            completionHandler
        )
    }

    /// Downloads a file, which is complete and verified when this returns.
    ///
    /// Cancelling the task that awaits it ends the download and keeps what came: the next download
    /// to the same file goes on, and for a temporary one the `resumeData` of the error.
    ///
    /// - Throws: `DownloadError`.
    public func download(
        from url: URL,
        to destination: TaskDestination = .temporary,
        settings: DownloadSettings? = nil
    ) async throws(DownloadError) -> DownloadedFile {
        let task = downloadTask(with: DownloadRequest(url, settings: settings), to: destination)
        task.resume()
        do throws(DownloadError) {
            return try await task.file
        } catch {
            // Paused where the waiting was cancelled: nobody is left to resume it.
            task.end(keeping: true)
            await task.end.waitInAnyCase()
            // It may have been whole before it heard of that.
            if case .success(let file)? = task.fileOutcome { return file }
            guard error.code == .interrupted else { throw error }
            var error = error
            error.resumeData = task.error?.resumeData
            error.resumeObstacle = task.error?.resumeObstacle
            throw error
        }
    }

    func downloadTask(
        _ request: DownloadRequest,
        _ target: DownloadTask.Target,
        _ completionHandler: DownloadCompletionHandler?
    ) -> DownloadTask {
        guard let link else {
            return makeTask { place in
                DownloadTask(request, target, at: place, completionHandler: completionHandler)
            }
        }
        return makeTask { place in
            BackgroundTask(
                request,
                target,
                at: place,
                link: link,
                completionHandler: completionHandler
            )
        }
    }

    /// A place's folder of this application, which is there when this returns.
    func folder(of place: Place) async throws(DownloadError) -> String {
        let application = configuration.application
        return try await engine.disk.run { () throws(DownloadError) in
            guard let standard = place.standard else {
                guard case .directory(let path) = place else { return "." }
                return path.isEmpty ? "." : path
            }
            return try SystemPlaces.current().prepare(standard, for: application).string
        }
    }
}

internal import PawlCore
internal import PawlEngine
internal import PawlStorage
internal import Synchronization
internal import SystemPackage

/// One run of a `DownloadDriver`.
extension DownloadTask {
    func download(_ place: StartPlace) async throws(DownloadError) -> TaskProduct {
        do throws(DownloadError) {
            let job = try await makeJob(place)
            let driver = DownloadDriver(job, engine: engine, monitor: monitor) {
                place.endEarly()
            }
            return .file(try await settled(try await driver.run()))
        } catch {
            monitor.ended(error.code == .interrupted ? .waiting : .failed)
            throw completed(error)
        }
    }

    /// Returns the error.
    ///
    /// If it occurred before the resume data were read, they stay as they are.
    private func completed(_ error: DownloadError) -> DownloadError {
        var error = error
        if error.resumeObstacle == .nothingReceived, let data = untouchedData {
            error.resumeData = data
            error.resumeObstacle = nil
        }
        return error
    }

    /// Takes a finished file.
    ///
    /// A temporary file is removed with the session; other files are not.
    func settled(_ file: DownloadedFile) async throws(DownloadError) -> DownloadedFile {
        let (files, name) = (session.temporaryFiles, "\(taskIdentifier)")
        guard isTemporary else {
            if let noteName { files.release(noteName) }
            return file
        }
        var file = file
        let path = file.path
        file.path = try await engine.disk.run { () throws(DownloadError) in
            try files.take(path, as: name)
        }
        return file
    }

    private func makeJob(_ run: StartPlace) async throws(DownloadError) -> DownloadJob {
        guard isGET else { throw Self.notDownloadable(originalRequest.method) }
        let request = try CheckedRequest(
            originalRequest.url,
            originalRequest.settings(in: session.configuration)
        )
        var job = DownloadJob(
            url: request.url,
            mirrors: request.mirrors,
            destination: try await target(),
            settings: request.settings,
            seed: engine.seeds.next()
        )
        job.resume = currentOrder
        job.isTemporary = isTemporary
        job.storageKey = storageKey
        job.replaces = replaces
        if case .choosing(let choose) = destination { job.choosesDestination = choose }
        job.control = currentControl
        job.limit = limit
        job.groupLimit = groupLimit
        job.cookies = cookies
        job.ownerOfPartialFile = ownerOfPartialFile
        job.willFinish = willFinish
        job.connectivityChanged = { [weak self] isWaiting in
            self?.connectivityChanged(isWaiting, run)
        }
        return job
    }

    /// The data with which this run begins: the first with the given data, a later one with what
    /// the previous run left, which is at another path and more.
    private var currentOrder: ResumeOrder? {
        guard let order = resumeOrder, let paths = monitor.paths else { return resumeOrder }
        guard let data = monitor.resumeData else {
            return ResumeOrder(
                order.data,
                partialPath: paths.partial.string,
                fallback: order.fallback
            )
        }
        return ResumeOrder(data, fallback: order.fallback)
    }

    private func target() async throws(DownloadError) -> Destination {
        let files = session.temporaryFiles
        if session.configuration.kind == .ephemeral {
            // It must be able to clean up before there is a file.
            try await engine.disk.run { () throws(DownloadError) in try files.prepare() }
        }
        switch destination {
        case .file(let path): return .file(path)
        case .directory(let path): return .directory(path)
        case .temporary:
            if let path = temporaryPath.withLock({ $0 }) { return .file(path) }
            let data = resumeOrder?.data
            let path = try await engine.disk.run { () throws(DownloadError) in
                try files.unfinished(data)
            }
            // The next run must find the files that this one leaves.
            temporaryPath.withLock { $0 = path }
            return .file(path)
        // The closure is called when there is an answer.
        case .choosing: return .directory(".")
        case .place(let place, let name):
            let folder = try await session.folder(of: place)
            guard let name else { return .directory(folder) }
            return .file(folder + "/" + (FileName.clean(name) ?? "download"))
        }
    }

    static func notDownloadable(_ method: String) -> DownloadError {
        var error = DownloadError(
            .usage,
            "\(method.sanitized) cannot be downloaded to a file",
            advice: "use a data task"
        )
        error.resumeObstacle = .notGET
        return error
    }
}

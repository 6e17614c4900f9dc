internal import PawlCore
internal import Synchronization
internal import PawlEngine
internal import PawlStorage

/// One run of the engine at a task.
extension DownloadTask {
    func run() async {
        let control = shared.withLock { $0.control }
        handle(.runBegan)
        let place = DownloadTurn { self.session.gaveBackPlace() }
        let result = await withDiscardingTaskGroup(
            returning: Result<DownloadedFile, DownloadError>.self
        ) { group in
            if session.delegate != nil { group.addTask { await self.keepTelling() } }
            let result = await download(control, place)
            group.cancelAll()
            return result
        }
        place.end()
        switch result {
        case .success: handle(.runEnded(.finished), result)
        case .failure(let error) where error.code == .interrupted: handle(.runEnded(.stopped))
        case .failure: handle(.runEnded(.failed), result)
        }
    }

    private func download(
        _ control: DownloadControl,
        _ place: DownloadTurn
    ) async -> Result<DownloadedFile, DownloadError> {
        do throws(DownloadError) {
            let job = try await makeJob(control)
            let (engine, monitor) = (session.engine, monitor)
            let file = try await engine.queue.run { (turn) async throws(DownloadError) in
                try await DownloadDriver(job, engine: engine, monitor: monitor) {
                    if turn.endEarly() { place.end() }
                }.run()
            }
            return .success(file)
        } catch {
            monitor.ended(error.code == .interrupted ? .waiting : .failed)
            return .failure(error)
        }
    }

    private func makeJob(
        _ control: DownloadControl
    ) async throws(DownloadError) -> DownloadJob {
        guard !isLate else {
            throw DownloadError(
                .usage,
                "the session was invalidated before the task was made",
                advice: "make a new session"
            )
        }
        if case .background = session.configuration.kind { throw Self.noDaemon }
        guard originalRequest.method == "GET", originalRequest.body.isEmpty else {
            throw DownloadError(
                .usage,
                "\(originalRequest.method.sanitized) cannot be downloaded to a file",
                advice: "use the session's data(for:) or bytes(for:)"
            )
        }
        let request = try CheckedRequest(
            originalRequest.url,
            originalRequest.settings(in: session.configuration)
        )
        var job = DownloadJob(
            url: request.url,
            mirrors: request.mirrors,
            destination: try await place(),
            settings: request.settings,
            seed: session.engine.seeds.next()
        )
        job.resume = resumeOrder
        job.storageKey = storageKey
        if case .choosing(let choose) = destination { job.choosesDestination = choose }
        job.control = control
        job.connectivityChanged = { [weak self] isWaiting in
            self?.handle(isWaiting ? .connectivityLost : .connectivityFound)
            if isWaiting { self?.tellConnectivityIsLost() }
        }
        return job
    }

    private func place() async throws(DownloadError) -> Destination {
        switch destination {
        case .file(let path): return .file(path)
        case .directory(let path): return .directory(path)
        case .temporary, .choosing:
            let (files, name) = (session.temporaryFiles, "\(taskIdentifier)")
            return .file(
                try await session.engine.disk.run { () throws(DownloadError) in
                    try files.path(name)
                }
            )
        case .place(let place, let name):
            let folder = try await session.folder(of: place)
            guard let name else { return .directory(folder) }
            return .file(folder + "/" + (FileName.clean(name) ?? "download"))
        }
    }

    private func keepTelling() async {
        while (try? await session.engine.time.sleep(until: now + Self.tellingInterval)) != nil {
            tell()
        }
    }

    private static let noDaemon = DownloadError(
        .daemonUnavailable,
        "a background session needs the daemon, which this version does not have yet",
        advice: "use the configuration .default"
    )
}

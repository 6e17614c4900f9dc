internal import PawlCore
internal import Synchronization
internal import PawlEngine

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
            let job = try makeJob(control)
            let (engine, monitor) = (session.engine, monitor)
            let file = try await engine.queue.run { (turn) async throws(DownloadError) in
                try await DownloadDriver(job, engine: engine, monitor: monitor) {
                    if turn.endEarly() { place.end() }
                }.run()
            }
            return .success(file)
        } catch {
            monitor.ended()
            return .failure(error)
        }
    }

    private func makeJob(_ control: DownloadControl) throws(DownloadError) -> DownloadJob {
        guard session.isOpenForRuns else {
            throw DownloadError(
                .usage,
                "the session was invalidated before the task began",
                advice: "make a new session"
            )
        }
        if case .background = session.configuration.kind { throw Self.noDaemon }
        let request = try CheckedRequest(
            originalRequest.url,
            originalRequest.settings(in: session.configuration)
        )
        var job = DownloadJob(
            url: request.url,
            destination: try place(),
            settings: request.settings,
            seed: session.engine.seeds.next()
        )
        if case .choosing(let choose) = destination { job.choosesDestination = choose }
        job.control = control
        return job
    }

    private func place() throws(DownloadError) -> Destination {
        switch destination {
        case .temporary, .choosing:
            .file(try session.temporaryFiles.path(taskIdentifier))
        case .file(let path): .file(path)
        case .directory(let path): .directory(path)
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

internal import Logging
internal import Pawl
internal import PawlCore

/// Runs the downloads of one command and tells how they went.
struct DownloadRun: Sendable {
    let orders: [DownloadOrder]
    let settings: DownloaderSettings
    let display: any ProgressDisplay
    let console: Console
    let logger: Logger

    private enum Event {
        case ended(EndedDownload?)
        case outputClosed
        case tickingStopped
    }

    /// Runs all to their end; cancelling the task winds up.
    ///
    /// The exit status.
    func run() async -> Int32 {
        let downloader = Downloader(settings: settings, logger: logger)
        let board = ProgressBoard(display: display, orderedCount: orders.count)
        let ended = await runAll(downloader, board)
        board.close()
        downloader.shutDown()
        return conclude(ended)
    }

    /// As many at a time as may run: those that wait cost nothing.
    private func runAll(_ downloader: Downloader, _ board: ProgressBoard) async -> [EndedDownload] {
        await withTaskGroup(of: Event.self) { group in
            group.addTask { await tick(board) }
            var next = 0
            var ended: [EndedDownload] = []
            func startNext() {
                guard next < orders.count, !Task.isCancelled else { return }
                let id = next + 1
                let order = orders[next]
                next += 1
                group.addTask { .ended(await run(order, id: id, downloader, board)) }
            }
            for _ in 0..<max(1, settings.maximumConcurrentDownloads) { startNext() }
            var running = min(next, orders.count)
            while running > 0, let event = await group.next() {
                switch event {
                case .ended(let download):
                    running -= 1
                    if let download { ended.append(download) }
                    let before = next
                    if !console.outputIsClosed { startNext() }
                    running += next - before
                case .outputClosed: group.cancelAll()
                case .tickingStopped: break
                }
            }
            group.cancelAll()
            return ended
        }
    }

    private func run(
        _ order: DownloadOrder,
        id: Int,
        _ downloader: Downloader,
        _ board: ProgressBoard
    ) async -> EndedDownload? {
        let clock = SystemTimekeeper()
        let download = downloader.makeDownload(
            order.url,
            to: order.destination,
            settings: order.settings
        )
        board.started(
            id: id,
            source: shownSource(order.url),
            name: order.workingName,
            at: clock.now()
        ) { download.progress }
        let result: Result<DownloadedFile, DownloadError>
        do {
            result = .success(try await download.run())
        } catch {
            result = .failure(error)
        }
        let ended = board.ended(id: id, result, at: clock.now())
        if case .failure(let error) = result, error.code != .interrupted || !Task.isCancelled {
            console.report(error)
        }
        return ended
    }

    private func tick(_ board: ProgressBoard) async -> Event {
        let clock = SystemTimekeeper()
        while !console.outputIsClosed {
            do {
                try await clock.sleep(until: clock.now() + .milliseconds(100))
            } catch {
                return .tickingStopped
            }
            board.show(at: clock.now())
        }
        return .outputClosed
    }

    /// The first failure in the order given decides; a run that was interrupted is one that was
    /// interrupted, whatever failed before.
    private func conclude(_ ended: [EndedDownload]) -> Int32 {
        let wasInterrupted = Task.isCancelled || console.outputIsClosed
        let isComplete = ended.count == orders.count
        let failures = ended.sorted { $0.id < $1.id }.compactMap { download in
            if case .failure(let error) = download.result { error } else { nil as DownloadError? }
        }
        if wasInterrupted, !isComplete || failures.contains(where: { $0.code == .interrupted }) {
            if !console.outputIsClosed {
                console.report(InterruptionSentence.make(ended, orders: orders))
            }
            return ErrorCode.interrupted.exitStatus
        }
        return failures.first?.code.exitStatus ?? 0
    }
}

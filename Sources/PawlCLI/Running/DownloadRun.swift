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
    /// Nil where nobody is to be told how the daemon goes on.
    var offer: BackgroundOffer?

    private enum Event {
        case ended
        case outputClosed
        case tickingStopped
    }

    /// Runs all to their end; cancelling the task winds up.
    ///
    /// The exit status.
    func run() async -> Int32 {
        let downloader = Downloader(settings: settings, logger: logger)
        let board = ProgressBoard(display: display, orderedCount: orders.count)
        await runAll(downloader, board)
        board.close()
        downloader.shutDown()
        return conclude(board.endedDownloads)
    }

    private func runAll(_ downloader: Downloader, _ board: ProgressBoard) async {
        await withTaskGroup(of: Event.self) { group in
            group.addTask { await tick(board) }
            group.addTask {
                await startAll(downloader, board)
                return .ended
            }
            for await event in group where event != .tickingStopped { group.cancelAll() }
        }
    }

    /// As many at a time as may run, in the order given: those that wait cost nothing, nor do those
    /// that have ended.
    private func startAll(_ downloader: Downloader, _ board: ProgressBoard) async {
        await withDiscardingTaskGroup { group in
            for (index, order) in orders.enumerated() {
                guard let start = await downloader.nextStart(), !Task.isCancelled,
                    !console.outputIsClosed
                else { break }
                group.addTask { await run(order, id: index + 1, downloader, board, start) }
            }
        }
    }

    private func run(
        _ order: DownloadOrder,
        id: Int,
        _ downloader: Downloader,
        _ board: ProgressBoard,
        _ start: DownloadStart
    ) async {
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
            result = .success(try await download.run(in: start))
        } catch {
            result = .failure(error)
        }
        board.ended(id: id, result, at: clock.now())
        if case .failure(let error) = result, error.code != .interrupted || !Task.isCancelled {
            // Of several, the one that failed is named as it was given.
            console.report(error, of: orders.count > 1 ? shownSource(order.url) : nil)
        }
    }

    private func tick(_ board: ProgressBoard) async -> Event {
        let clock = SystemTimekeeper()
        var hasStarted = false
        while !console.outputIsClosed {
            do {
                try await clock.sleep(until: clock.now() + .milliseconds(100))
            } catch {
                return .tickingStopped
            }
            if !hasStarted { ProgramCode.giveBack() }
            hasStarted = true
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
            // Whoever closed the pipe has read enough.
            if !console.outputWasLeft {
                console.report(InterruptionSentence.make(ended, orders: orders))
                if let text = offer?.sentence(for: rest(ended)) { console.message(text) }
            }
            // That results cannot be written is what failed, and has a status of its own.
            return console.outputIsClosed && !console.outputWasLeft
                ? 0 : ErrorCode.interrupted.exitStatus
        }
        return failures.first?.code.exitStatus ?? 0
    }

    /// Those that had not begun, and those that only the interruption ended.
    private func rest(_ ended: [EndedDownload]) -> [DownloadOrder] {
        let settled = ended.filter { download in
            if case .failure(let error) = download.result {
                error.code != .interrupted
            } else {
                true
            }
        }
        let numbers = Set(settled.map(\.id))
        return orders.enumerated().filter { !numbers.contains($0.offset + 1) }.map(\.element)
    }
}

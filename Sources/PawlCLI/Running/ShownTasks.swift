internal import Pawl
internal import PawlCore

/// Runs tasks while their progress is shown, and prints the paths of their files.
struct ShownTasks: Sendable {
    let console: Console
    let progress: ProgressCollector
    /// Whether the path of each finished file is written to standard output.
    let printsPaths: Bool

    private enum Event {
        case ended
        case outputClosed
        case tickingStopped
    }

    /// Runs `work` and shows the progress meanwhile.
    ///
    /// Cancels the work if nobody reads the output any more.
    func whileShowing(_ work: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Event.self) { group in
            group.addTask { await tick() }
            group.addTask {
                await work()
                return .ended
            }
            for await event in group where event != .tickingStopped { group.cancelAll() }
        }
    }

    /// Runs a task to its end.
    ///
    /// `name` is shown until the server has named the file. `conclude` handles the complete file
    /// before its path is shown, and returns where it is then.
    func run(
        _ task: DownloadTask,
        id: Int,
        source: String,
        name: String,
        conclude: (DownloadedFile) async throws(DownloadError) -> DownloadedFile = { $0 }
    ) async -> Result<DownloadedFile, DownloadError> {
        progress.added(id: id, source: source, name: name) { task.currentProgress }
        let result: Result<DownloadedFile, DownloadError>
        do throws(DownloadError) {
            result = .success(try await conclude(try await task.session.finish(task)))
        } catch {
            result = .failure(error)
        }
        progress.ended(id: id, result, after: task.metrics.duration)
        if printsPaths, case .success(let file) = result { console.outputLater(file.path) }
        return result
    }

    private func tick() async -> Event {
        let clock = SystemTimekeeper()
        var hasStarted = false
        while !console.outputIsClosed {
            do {
                try await clock.sleep(until: clock.now() + .milliseconds(100))
            } catch {
                return .tickingStopped
            }
            if !hasStarted { ProgramCode.returnToSystem() }
            hasStarted = true
            console.writeLines()
            progress.show(at: clock.now())
        }
        return .outputClosed
    }

    /// Waits until the reader has taken all paths, or the run is interrupted, and ends the display.
    func close() async {
        let clock = SystemTimekeeper()
        while console.writeLines(), !Task.isCancelled {
            try? await clock.sleep(until: clock.now() + .milliseconds(20))
        }
        progress.close()
    }
}

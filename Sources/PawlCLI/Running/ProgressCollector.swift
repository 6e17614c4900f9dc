internal import PawlCore
internal import Synchronization

/// Collects the progress and results of downloads for the display.
///
/// Calls the display from one thread at a time.
final class ProgressCollector: Sendable {
    private let state: Mutex<State>

    private struct State {
        var display: any ProgressDisplay
        var running: [Int: Entry] = [:]
        var summary = RunSnapshot()
        var ended: [EndedDownload] = []
    }

    private struct Entry {
        var source: String
        var fallbackName: String
        var sample: @Sendable () -> DownloadProgress

        var progress: DownloadProgress {
            var progress = sample()
            if progress.name.isEmpty { progress.name = fallbackName }
            return progress
        }
    }

    /// Returns what is shown besides the downloads; `nil` if there is nothing.
    private let status: @Sendable () -> String?

    init(
        display: any ProgressDisplay,
        requestedCount: Int = 0,
        status: @escaping @Sendable () -> String? = { nil }
    ) {
        var summary = RunSnapshot()
        summary.requestedCount = requestedCount
        state = Mutex(State(display: display, summary: summary))
        self.status = status
    }

    /// Requests one more download, and returns its number.
    func request() -> Int {
        state.withLock { state in
            state.summary.requestedCount += 1
            return state.summary.requestedCount
        }
    }

    /// Adds a download, which may still wait for its turn.
    ///
    /// `name` is the displayed name until the server has named the file.
    func added(
        id: Int,
        source: String,
        name: String,
        sample: @escaping @Sendable () -> DownloadProgress
    ) {
        state.withLock { state in
            state.running[id] = Entry(
                source: source,
                fallbackName: name,
                sample: sample
            )
        }
    }

    /// The ended downloads in the order in which they ended.
    var endedDownloads: [EndedDownload] { state.withLock { $0.ended } }

    func show(at now: Moment) {
        let status = status()
        state.withLock { state in
            var run = state.summary
            run.status = status
            for id in state.running.keys.sorted() {
                guard let entry = state.running[id] else { continue }
                let progress = entry.progress
                guard progress.phase != .waiting else { continue }
                run.running.append(
                    RunningDownload(id: id, source: entry.source, progress: progress)
                )
            }
            state.display.show(run, at: now)
        }
    }

    /// Records the end of a download.
    ///
    /// `duration` is the time for which it has run. One that has not run is not shown.
    func ended(
        id: Int,
        _ result: Result<DownloadedFile, DownloadError>,
        after duration: Duration
    ) {
        state.withLock { state in
            guard let entry = state.running.removeValue(forKey: id) else { return }
            let progress = entry.progress
            var ended = EndedDownload(
                id: id,
                source: entry.source,
                name: progress.name,
                result: result
            )
            ended.elapsed = duration
            ended.keptBytes = progress.completedBytes
            if case .success(let file) = result {
                ended.fetchedBytes = max(0, file.byteCount - progress.resumedBytes)
            }
            state.ended.append(ended)
            if duration == .zero, case .failure(let error) = result, error.code == .interrupted {
                return
            }
            state.summary.endedCount += 1
            switch result {
            case .success(let file):
                state.summary.finishedBytes =
                    state.summary.finishedBytes.saturatingAdd(file.byteCount)
            case .failure:
                state.summary.failedCount += 1
            }
            state.display.ended(ended)
        }
    }

    func close() { state.withLock { $0.display.close() } }
}

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
        var startedAt: Moment
        var sample: @Sendable () -> DownloadProgress

        var progress: DownloadProgress {
            var progress = sample()
            if progress.name.isEmpty { progress.name = fallbackName }
            return progress
        }
    }

    init(display: any ProgressDisplay, requestedCount: Int) {
        var summary = RunSnapshot()
        summary.requestedCount = requestedCount
        state = Mutex(State(display: display, summary: summary))
    }

    /// `name`: the displayed name until the server has named the file.
    func started(
        id: Int,
        source: String,
        name: String,
        at now: Moment,
        sample: @escaping @Sendable () -> DownloadProgress
    ) {
        state.withLock { state in
            state.running[id] = Entry(
                source: source,
                fallbackName: name,
                startedAt: now,
                sample: sample
            )
        }
    }

    /// The ended downloads in the order in which they ended.
    var endedDownloads: [EndedDownload] { state.withLock { $0.ended } }

    func show(at now: Moment) {
        state.withLock { state in
            var run = state.summary
            for id in state.running.keys.sorted() {
                guard let entry = state.running[id] else { continue }
                run.running.append(
                    RunningDownload(id: id, source: entry.source, progress: entry.progress)
                )
            }
            state.display.show(run, at: now)
        }
    }

    func ended(
        id: Int,
        _ result: Result<DownloadedFile, DownloadError>,
        at now: Moment
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
            ended.elapsed = now - entry.startedAt
            ended.keptBytes = progress.completedBytes
            state.summary.endedCount += 1
            switch result {
            case .success(let file):
                ended.fetchedBytes = max(0, file.byteCount - progress.resumedBytes)
                state.summary.finishedBytes =
                    state.summary.finishedBytes.saturatingAdd(file.byteCount)
            case .failure:
                state.summary.failedCount += 1
            }
            state.display.ended(ended)
            state.ended.append(ended)
        }
    }

    func close() { state.withLock { $0.display.close() } }
}

internal import Glibc
internal import PawlCore
internal import Synchronization

/// The progress of the files that are being compared, on a terminal.
final class VerifyProgress: Sendable {
    /// The number of files that are compared at a time.
    static let mostFiles = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    private struct File {
        var read: Int64 = 0
        var rate = RateEstimator()
    }

    private struct State {
        var display: LiveDisplay?
        var running: [Int: File] = [:]
        var endedCount = 0
        var endedBytes: Int64 = 0
    }

    private let paths: [String]
    private let state: Mutex<State>

    init(_ paths: [String], _ console: Console) {
        self.paths = paths
        state = Mutex(
            State(display: console.traits.canRedraw ? LiveDisplay(console: console) : nil)
        )
    }

    func set(_ index: Int, _ count: Int64) {
        state.withLock { $0.running[index, default: File()].read = count }
    }

    func ended(_ index: Int) {
        state.withLock { state in
            let file = state.running.removeValue(forKey: index)
            state.endedCount += 1
            state.endedBytes += file?.read ?? 0
        }
    }

    func show(at now: Moment) {
        state.withLock { state in
            guard state.display != nil else { return }
            var run = RunSnapshot()
            run.requestedCount = paths.count
            run.endedCount = state.endedCount
            run.finishedBytes = state.endedBytes
            for index in state.running.keys.sorted() {
                let read = state.running[index]?.read ?? 0
                state.running[index]?.rate.record(
                    totalBytes: read,
                    at: now
                )
                run.running.append(shown(index, state.running[index] ?? File(), now))
            }
            state.display?.show(run, at: now)
        }
    }

    private func shown(_ index: Int, _ file: File, _ now: Moment) -> RunningDownload {
        var progress = DownloadProgress()
        progress.name = String(paths[index].pathFile)
        progress.phase = .receiving
        progress.completedBytes = file.read
        progress.bytesPerSecond = file.rate.bytesPerSecond(at: now)
        var status = stat()
        if stat(paths[index], &status) == 0 { progress.totalBytes = Int64(status.st_size) }
        return RunningDownload(id: index + 1, source: paths[index], progress: progress)
    }

    func close() { state.withLock { $0.display?.close() } }
}

internal import Glibc
internal import PawlCore
internal import Synchronization

/// The progress of the files that are being compared or repaired, on a terminal.
final class VerifyProgress: Sendable {
    /// The number of files that are compared or repaired at a time.
    static let mostFiles = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    private struct File {
        var read: Int64 = 0
        var rate = RateEstimator()
        /// Returns the progress of the download that repairs the file; `nil` if it is compared.
        var sample: (@Sendable () -> DownloadProgress)?

        var count: Int64 { sample?().completedBytes ?? read }
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

    /// Shows the progress of the download that repairs a file.
    func follow(_ index: Int, _ sample: @escaping @Sendable () -> DownloadProgress) {
        state.withLock { $0.running[index, default: File()].sample = sample }
    }

    func ended(_ index: Int) {
        state.withLock { state in
            let file = state.running.removeValue(forKey: index)
            state.endedCount += 1
            state.endedBytes += file?.count ?? 0
        }
    }

    /// Does some work while the progress is shown, and returns its result.
    func shown<Value: Sendable>(during work: () async -> Value) async -> Value {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                let clock = SystemTimekeeper()
                while (try? await clock.sleep(until: clock.now() + .milliseconds(100))) != nil {
                    self.show(at: clock.now())
                }
            }
            let value = await work()
            group.cancelAll()
            await group.waitForAll()
            close()
            return value
        }
    }

    private func show(at now: Moment) {
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
        var progress = file.sample?() ?? DownloadProgress()
        progress.name = String(paths[index].pathFile)
        if file.sample != nil {
            return RunningDownload(id: index + 1, source: paths[index], progress: progress)
        }
        progress.phase = .receiving
        progress.completedBytes = file.read
        progress.bytesPerSecond = file.rate.bytesPerSecond(at: now)
        var status = stat()
        if stat(paths[index], &status) == 0 { progress.totalBytes = Int64(status.st_size) }
        return RunningDownload(id: index + 1, source: paths[index], progress: progress)
    }

    private func close() { state.withLock { $0.display?.close() } }
}

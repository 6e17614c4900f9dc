package import PawlCore
internal import Synchronization

/// What others may see of a running download, sampled when they look.
package final class DownloadMonitor: Sendable {
    private struct State {
        var name = ""
        var totalBytes: Int64?
        var phase = DownloadPhase.waiting
        var completedBytes: Int64?
        var resumedBytes: Int64 = 0
        var rate = RateEstimator()
    }

    private let state = Mutex(State())
    private let ledger = ByteLedger()
    let resuming = ResumeDesk()
    private let time: any Timekeeper

    package init(time: any Timekeeper) { self.time = time }

    var bytes: ByteLedger { ledger }

    package var progress: DownloadProgress {
        let completed = ledger.written.count
        let connections = ledger.openTransfers
        let now = time.now()
        return state.withLock { state in
            var progress = DownloadProgress()
            progress.completedBytes = state.completedBytes ?? completed
            state.rate.record(totalBytes: progress.completedBytes, at: now)
            progress.resumedBytes = state.resumedBytes
            progress.totalBytes = state.totalBytes
            progress.phase = state.phase
            progress.name = state.name
            progress.bytesPerSecond =
                state.phase == .receiving ? state.rate.bytesPerSecond(at: now) : 0
            progress.connections = connections
            return progress
        }
    }

    func named(_ name: String) { state.withLock { $0.name = name.sanitized } }

    func sized(_ total: Int64?) { state.withLock { $0.totalBytes = total } }

    func entered(_ phase: DownloadPhase) { state.withLock { $0.phase = phase } }

    /// The speed begins anew: what an earlier run left is no speed.
    func resumed(at count: Int64) {
        let now = time.now()
        state.withLock { state in
            state.resumedBytes = count
            state.rate = RateEstimator()
            state.rate.record(totalBytes: count, at: now)
        }
    }

    /// Ended without the file; also where it never began.
    package func ended() {
        entered(.failed)
        resuming.ended()
    }

    func finished(_ file: DownloadedFile) {
        resuming.met(.finished)
        state.withLock { state in
            state.completedBytes = file.byteCount
            state.totalBytes = file.byteCount
            state.phase = .finished
        }
    }
}

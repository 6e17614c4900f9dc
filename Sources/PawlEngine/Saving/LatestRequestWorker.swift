internal import PawlCore
internal import PawlStorage
internal import Synchronization

/// Does blocking work for the newest request, piece by piece, in parallel with the driver.
final class LatestRequestWorker<Request: Sendable>: Sendable {
    private struct State {
        var next: Request?
        var isBusy = false
        var isFinished = false
    }

    private let state = Mutex(State())
    /// Completed when no work is running any more.
    private let end = Completion<Void>()
    private let pool: BlockingPool
    private let work: @Sendable (Request) throws(DownloadError) -> Void
    private let done: @Sendable (Request, DownloadError?) -> Void

    init(
        pool: BlockingPool,
        work: @escaping @Sendable (Request) throws(DownloadError) -> Void,
        done: @escaping @Sendable (Request, DownloadError?) -> Void
    ) {
        self.pool = pool
        self.work = work
        self.done = done
    }

    /// Requests work.
    ///
    /// A newer request replaces one that has not begun.
    func follow(_ request: Request) {
        let isIdle = state.withLock { state in
            guard !state.isFinished else { return false }
            state.next = request
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isIdle { begin() }
    }

    /// Begins no further piece.
    ///
    /// Returns when the current piece has ended.
    func finish() async {
        let isBusy = state.withLock { state in
            state.isFinished = true
            state.next = nil
            return state.isBusy
        }
        // This is the usual case if nothing was ever requested.
        if isBusy { await end.waitIgnoringCancellation() }
    }

    private func begin() {
        pool.start { refusal in self.serve(refusal) }
    }

    /// Does one piece per turn, so that other downloads' work can run in between.
    private func serve(_ refusal: DownloadError?) {
        if let request = state.withLock({ $0.next.take() }) {
            do throws(DownloadError) {
                if let refusal { throw refusal }
                try work(request)
                done(request, nil)
            } catch {
                done(request, error)
            }
        }
        let (isIdle, hasEnded) = state.withLock { state in
            state.isBusy = state.next != nil
            return (!state.isBusy, !state.isBusy && state.isFinished)
        }
        if hasEnded { end.complete() }
        if !isIdle { begin() }
    }
}

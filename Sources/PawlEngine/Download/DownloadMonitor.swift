package import PawlCore
package import PawlStorage
internal import Synchronization
internal import SystemPackage
internal import struct FoundationEssentials.URL

/// What others may see of a running download, sampled when they look.
package final class DownloadMonitor: Sendable {
    private struct State {
        var name = ""
        var totalBytes: Int64?
        var phase = DownloadPhase.waiting
        var completedBytes: Int64?
        var resumedBytes: Int64 = 0
        var hasAgreed = false
        var restarts = Restarts()
        var wasThere = false
        var rate = RateEstimator()
        var head: ResponseHead?
        var redirects: [URL] = []
        var metrics = TaskMetrics()
        var began: Moment?
        var paths: DownloadPaths?
        var partial: FileStamp?
    }

    /// How often the received bytes were discarded and the download started over.
    package struct Restarts: Sendable {
        package var count = 0
        /// How many bytes the last time.
        package var discardedBytes: Int64 = 0
    }

    private let state = Mutex(State())
    private let ledger = ByteLedger()
    let resuming = ResumeDesk()
    private let time: any Timekeeper
    private let whenOpened: (@Sendable (PartialStore) -> Void)?

    /// `whenOpened` is called when there is a partial file, before it has a name in its folder where
    /// the file system knows files without one; it may block shortly.
    package init(
        time: any Timekeeper,
        whenOpened: (@Sendable (PartialStore) -> Void)? = nil
    ) {
        self.time = time
        self.whenOpened = whenOpened
    }

    var bytes: ByteLedger { ledger }

    package var progress: DownloadProgress {
        let now = time.now()
        return state.withLock { state in
            let (written, segments) = ledger.sample
            var progress = DownloadProgress()
            progress.completedBytes = state.completedBytes ?? written.count
            state.rate.record(totalBytes: progress.completedBytes, at: now)
            progress.resumedBytes = state.resumedBytes
            progress.totalBytes = state.totalBytes
            progress.phase = state.phase
            progress.name = state.name
            progress.bytesPerSecond =
                state.phase == .receiving ? state.rate.bytesPerSecond(at: now) : 0
            progress.connections = segments.count
            progress.segments = segments
            return progress
        }
    }

    package var segmentMap: SegmentMap { ledger.map }

    /// What connections have brought, also what was thrown away later: it never falls.
    package var receivedBytes: Int64 { ledger.receivedBytes }

    /// What the last good answer said; nil before there was one.
    package var response: DownloadResponse? {
        let (head, redirects) = state.withLock { ($0.head, $0.redirects) }
        return head.map { DownloadResponse($0, redirects: redirects) }
    }

    package var metrics: TaskMetrics {
        let now = time.now()
        return state.withLock { state in
            var metrics = state.metrics
            metrics.redirects = state.redirects.count
            metrics.protocolVersion = state.head?.protocolVersion
            if let began = state.began { metrics.duration += now - began }
            return metrics
        }
    }

    /// Where the bytes are on their way, once that is known.
    package var paths: DownloadPaths? { state.withLock { $0.paths } }

    /// The partial file of the run; nil before there is one.
    package var partialFile: WrittenFile? {
        state.withLock { state in
            guard let paths = state.paths, let stamp = state.partial else { return nil }
            return WrittenFile(.partial, at: paths.partial.string, stamp)
        }
    }

    /// Whether an answer of this run was taken, which is of the same file as what was there before it.
    package var hasAgreed: Bool { state.withLock { $0.hasAgreed } }

    package var restarts: Restarts { state.withLock { $0.restarts } }

    /// Whether the file was there, and no byte was fetched.
    package var wasThere: Bool { state.withLock { $0.wasThere } }

    /// A run is to come: what was agreed on before does not count for it.
    package func renewed() { state.withLock { $0.hasAgreed = false } }

    /// The bytes of an answer are taken.
    func agreed() { state.withLock { $0.hasAgreed = true } }

    /// A run begins: what is shown of an earlier one stays until this one has found or got bytes.
    func began(_ job: DownloadJob) {
        let now = time.now()
        state.withLock { state in
            state.began = now
            state.hasAgreed = false
            state.redirects = []
        }
        resuming.began(job)
    }

    /// The bytes are on their way into this file, which has these already: nothing counts any more
    /// of what an earlier run had.
    ///
    /// `resumed`: how many of them an earlier run has left; all where it is not said.
    func opened(_ store: PartialStore, have: RangeSet, resumed: Int64? = nil) {
        begin(with: have, resumed: resumed)
        resuming.opened(store)
        // Without it the file is one of which less is known.
        let stamp = try? store.stamp()
        state.withLock { ($0.paths, $0.partial) = (store.paths, stamp) }
        whenOpened?(store)
        store.onRename { [weak self] in self?.renamed($0) }
    }

    /// Another download has got the names in the meantime.
    private func renamed(_ store: PartialStore) {
        let paths = store.paths
        state.withLock { state in
            state.paths = paths
            state.name = (paths.final.lastComponent?.string ?? "").sanitized
        }
        whenOpened?(store)
    }

    private func stopped(_ state: inout State) {
        guard let began = state.began else { return }
        state.metrics.duration += time.now() - began
        state.began = nil
    }

    /// `isFirst`: nothing of the file is there yet.
    func answered(_ head: ResponseHead, isFirst: Bool = false) {
        state.withLock { state in
            // The first one tells of the whole.
            if isFirst || state.head == nil || state.head?.status == 206 { state.head = head }
        }
    }

    /// What was there is of another version of the file: it is thrown away.
    ///
    /// `head`: the answer that is taken in its place; nil where it is still to be asked for.
    func startedOver(with head: ResponseHead?) {
        begin(with: RangeSet())
        state.withLock { $0.head = head }
    }

    func redirected(from url: URL) { state.withLock { $0.redirects.append(url) } }

    func transferEnded(_ end: TransferEnd, _ cursor: TransferCursor) {
        let count = cursor.receivedBytes
        state.withLock { state in
            state.metrics.ended(end)
            state.metrics.bytesReceived += count
            if count > 0 { state.metrics.segments += 1 }
        }
    }

    func named(_ name: String) { state.withLock { $0.name = name.sanitized } }

    func sized(_ total: Int64?) { state.withLock { $0.totalBytes = total } }

    func entered(_ phase: DownloadPhase) { state.withLock { $0.phase = phase } }

    /// The file has these bytes: the speed begins anew, as what an earlier run left is no speed.
    func begin(with have: RangeSet, resumed: Int64? = nil) {
        let (count, now) = (have.count, time.now())
        state.withLock { state in
            let discarded = count == 0 ? ledger.written.count : 0
            if discarded > 0 {
                state.restarts.count += 1
                state.restarts.discardedBytes = discarded
            }
            ledger.begin(with: have)
            state.resumedBytes = resumed ?? count
            state.rate = RateEstimator()
            state.rate.record(totalBytes: count, at: now)
        }
    }

    /// The run has kept nothing of what it received.
    func discarded() {
        state.withLock { state in
            ledger.begin(with: RangeSet())
            state.resumedBytes = 0
            state.partial = nil
        }
    }

    /// Ended without the file; also where it never began.
    ///
    /// `phase`: what it does then, where a later run goes on.
    package func ended(_ phase: DownloadPhase = .failed) {
        state.withLock { state in
            state.phase = phase
            stopped(&state)
        }
        resuming.ended()
    }

    func finished(_ file: DownloadedFile) {
        resuming.met(.finished)
        state.withLock { state in
            state.wasThere = file.wasAlreadyThere
            state.completedBytes = file.byteCount
            state.totalBytes = file.byteCount
            state.phase = .finished
            stopped(&state)
        }
    }
}

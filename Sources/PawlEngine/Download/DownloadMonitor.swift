package import PawlCore
package import PawlStorage
internal import Synchronization
internal import SystemPackage
internal import struct FoundationEssentials.URL

/// What others may see of a running download, computed when they ask.
package final class DownloadMonitor: Sendable {
    private struct State {
        var name = ""
        var totalBytes: Int64?
        var phase = DownloadPhase.waiting
        var completedBytes: Int64?
        var resumedBytes: Int64 = 0
        var hasAgreed = false
        var restarts = Restarts()
        /// Whether the download has decided to start over, and still has the bytes.
        var isStartingOver = false
        /// Why the download is about to start over.
        var restartReason = DownloadRestart.Reason.fileChanged
        var wasThere = false
        var rate = RateEstimator()
        var head: ResponseHead?
        /// The last response with an error status.
        var refusal: ErrorResponse?
        var redirects: [URL] = []
        var metrics = TaskMetrics()
        var began: Moment?
        var paths: DownloadPaths?
        var partial: FileStamp?
        /// The mark of the partial file.
        var mark: String?
    }

    /// How often the received bytes were discarded and the download started over.
    package struct Restarts: Sendable {
        package var count = 0
        /// The last one; `nil` if there was none.
        package var last: DownloadRestart?
    }

    /// Values that belong to the same moment.
    package struct Snapshot: Sendable {
        package var progress: DownloadProgress
        package var restarts: Restarts
        /// Whether this run has accepted a response, which proves that the bytes already present
        /// are of the same file.
        package var hasAgreed: Bool
        /// Whether the bytes already present are about to be discarded: they are not reported,
        /// not even if the run then fails and keeps them.
        package var isStartingOver: Bool

        package var isUnconfirmed: Bool {
            Self.isUnconfirmed(progress, hasAgreed: hasAgreed, isStartingOver: isStartingOver)
        }

        /// Whether the bytes present may still be discarded: the server has another file, or has
        /// not yet agreed to continue after them, and the file is not known to be complete.
        package static func isUnconfirmed(
            _ progress: DownloadProgress,
            hasAgreed: Bool,
            isStartingOver: Bool
        ) -> Bool {
            guard !isStartingOver else { return true }
            return !hasAgreed && progress.completedBytes > 0 && progress.phase != .finished
        }

        /// The number of bytes of an earlier run that this one continues; `nil` before the server
        /// has agreed, and if there are none.
        package var continuedBytes: Int64? {
            hasAgreed && progress.resumedBytes > 0 ? progress.resumedBytes : nil
        }
    }

    private let state = Mutex(State())
    private let ledger = ByteLedger()
    let resuming = ResumeDataSource()
    private let time: any Timekeeper
    private let whenOpened: (@Sendable (PartialStore) -> Void)?

    /// Creates a monitor.
    ///
    /// `whenOpened` is called when there is a partial file; on file systems that support unnamed
    /// files, before it has a name in its folder. It may block briefly.
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
        return state.withLock { progress(&$0, at: now) }
    }

    package var snapshot: Snapshot {
        let now = time.now()
        return state.withLock { state in
            Snapshot(
                progress: progress(&state, at: now),
                restarts: state.restarts,
                hasAgreed: state.hasAgreed,
                isStartingOver: state.isStartingOver
            )
        }
    }

    private func progress(_ state: inout State, at now: Moment) -> DownloadProgress {
        let map = ledger.map
        var progress = DownloadProgress()
        progress.completedBytes = state.completedBytes ?? map.written.count
        state.rate.record(totalBytes: progress.completedBytes, at: now)
        progress.resumedBytes = state.resumedBytes
        progress.totalBytes = state.totalBytes
        progress.phase = state.phase
        progress.name = state.name
        progress.bytesPerSecond =
            state.phase == .receiving ? state.rate.bytesPerSecond(at: now) : 0
        progress.connections = map.segments.count
        progress.segments = map.segments.map { SegmentProgress($0) }
        return progress
    }

    package var segmentMap: SegmentMap { ledger.map }

    /// The number of bytes received over connections, including bytes discarded later.
    ///
    /// It never falls.
    package var receivedBytes: Int64 { ledger.receivedBytes }

    /// The head of the last good response; `nil` before the first one.
    package var responseHead: ResponseHead? { state.withLock { $0.head } }

    /// The last good response; `nil` before the first one.
    package var response: DownloadResponse? {
        let (head, redirects) = state.withLock { ($0.head, $0.redirects) }
        return head.map { DownloadResponse($0, redirects: redirects) }
    }

    package var metrics: TaskMetrics {
        let now = time.now()
        return state.withLock { state in
            var metrics = state.metrics
            metrics.redirects = state.redirects.count
            metrics.protocolVersion = state.head?.protocolVersion ?? metrics.protocolVersion
            if let began = state.began { metrics.duration += now - began }
            return metrics
        }
    }

    /// The paths that the bytes are written to, once they are known.
    package var paths: DownloadPaths? { state.withLock { $0.paths } }

    /// The partial file of the run; `nil` before it exists.
    package var partialFile: WrittenFile? {
        state.withLock { state in
            guard let paths = state.paths, let stamp = state.partial else { return nil }
            return WrittenFile(.partial, at: paths.partial.string, stamp, mark: state.mark)
        }
    }

    /// Whether the file existed already, so that no byte was fetched.
    package var wasThere: Bool { state.withLock { $0.wasThere } }

    /// Prepares for another run.
    ///
    /// A response accepted before does not count for it.
    package func renewed() { state.withLock { $0.hasAgreed = false } }

    /// Records why the download is about to start over.
    func startingOver(_ reason: DownloadRestart.Reason) {
        state.withLock { state in
            state.restartReason = reason
            // The bytes are still on disk for a moment.
            state.isStartingOver = true
            state.resumedBytes = 0
        }
    }

    /// Records a response with an error status.
    func refused(_ head: ResponseHead, _ body: ErrorBody, _ isWhole: Bool) {
        state.withLock { state in
            let response = DownloadResponse(head, redirects: state.redirects)
            state.refusal = ErrorResponse(response, body: body.bytes, isWhole: isWhole)
            state.metrics.protocolVersion = head.protocolVersion
        }
    }

    /// Returns an error with the server's response, if that was the failure.
    ///
    /// The error of a redirect has it already.
    func withResponse(_ error: DownloadError) -> DownloadError {
        guard error.errorResponse == nil, let status = error.httpStatus,
            let refusal = state.withLock({ $0.refusal }), refusal.response.status == status
        else { return error }
        var error = error
        error.errorResponse = refusal
        return error
    }

    /// Records that the bytes of a response are accepted.
    func agreed() { state.withLock { $0.hasAgreed = true } }

    /// Records that a run begins.
    ///
    /// The values of an earlier run are shown until this one has found or received bytes.
    func began(_ job: DownloadJob) {
        let now = time.now()
        state.withLock { state in
            state.began = now
            state.hasAgreed = false
            state.redirects = []
        }
        resuming.began(job)
    }

    /// Records that bytes are written to this store, which already has the given ones.
    ///
    /// All values of an earlier run are replaced.
    ///
    /// `resumed` is the number of those bytes that an earlier run left; `nil` means all of them.
    func opened(_ store: any TargetStore, have: RangeSet, resumed: Int64? = nil) {
        begin(with: have, resumed: resumed)
        resuming.opened(store)
        guard let file = store.partialFile else { return }
        // Without a stamp, less is known of the file.
        let (stamp, mark) = (try? file.stamp(), file.mark?.text)
        state.withLock { ($0.paths, $0.partial, $0.mark) = (file.paths, stamp, mark) }
        whenOpened?(file)
        file.onRename { [weak self] in self?.renamed($0) }
    }

    /// Records the new names after another download has taken the old ones.
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

    /// Records a response.
    ///
    /// `isFirst`: no bytes of the file are present yet.
    func answered(_ head: ResponseHead, isFirst: Bool = false) {
        state.withLock { state in
            // The first response describes the whole file.
            if isFirst || state.head == nil || state.head?.status == 206 { state.head = head }
        }
    }

    /// Records that the existing bytes are discarded because they are of another version of the
    /// file.
    ///
    /// `head` is the response that is accepted instead; `nil` if it has not been requested yet.
    func startedOver(with head: ResponseHead?) {
        begin(with: RangeSet())
        state.withLock { $0.head = head }
    }

    /// Records a redirect, whether it is followed or not.
    func redirected(_ head: ResponseHead) {
        state.withLock { $0.redirects.append(head.url) }
    }

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

    /// Starts with the bytes that the file has.
    ///
    /// The speed is measured from here: bytes of an earlier run do not count.
    func begin(with have: RangeSet, resumed: Int64? = nil) {
        let (count, now) = (have.count, time.now())
        state.withLock { state in
            state.isStartingOver = false
            let discarded = count == 0 ? ledger.written.count : 0
            if discarded > 0 {
                state.restarts.count += 1
                state.restarts.last = DownloadRestart(
                    discardedBytes: discarded,
                    state.restartReason
                )
            }
            ledger.begin(with: have)
            state.resumedBytes = resumed ?? count
            state.rate = RateEstimator()
            state.rate.record(totalBytes: count, at: now)
        }
    }

    /// Records that the run has kept none of the received bytes.
    func discarded() {
        state.withLock { state in
            ledger.begin(with: RangeSet())
            state.isStartingOver = false
            state.resumedBytes = 0
            state.partial = nil
        }
    }

    /// Records that of the written bytes only some are kept.
    func lost(keeping kept: RangeSet) { ledger.begin(with: kept) }

    /// Records that the run ended without the file, even if it never began.
    ///
    /// `phase` is the phase to show if a later run resumes the download.
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
            state.isStartingOver = false
            state.wasThere = file.wasAlreadyThere
            state.completedBytes = file.byteCount
            state.totalBytes = file.byteCount
            state.phase = .finished
            stopped(&state)
        }
    }
}

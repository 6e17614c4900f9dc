internal import Logging
package import PawlCore
internal import PawlStorage
internal import Synchronization
internal import SystemPackage
package import struct FoundationEssentials.URL

/// One download in the lane for small files.
///
/// It looks for existing files, sends one request, receives the body in memory and lets the
/// `SmallFileFinisher` write it. It leaves with the first message that is not the complete body.
package final class LaneDownload: Sendable {
    /// The outcome of the lane.
    package enum End: Sendable {
        case finished(DownloadedFile)
        /// A driver must take over.
        case left(Handover)
    }

    private enum Phase: Equatable {
        case entering
        case waiting
        /// A thread looks for files and sends the request.
        case starting
        /// Nothing is in the way of the request but the lack of a connection.
        case queued
        /// It has a connection, and waits for a thread that sends the request.
        case granted
        case transferring
        /// The file is being written; messages no longer matter.
        case finishing
        case ended
    }

    private struct State {
        var phase = Phase.entering
        /// The messages that arrived while the download was entering or starting.
        var early: [DriverMessage] = []
        /// Whether it leaves as soon as it has started.
        var mustLeave = false
        var handover: Handover
    }

    /// What follows from a message or from the end of the start.
    private enum Step {
        case nothing
        case sendRequest
        case leave(Handover)
        case finish(SmallBody)
    }

    let began: Moment
    private let parts: DownloadParts
    private let host: String
    private let whenFetched: @Sendable () -> Void
    private let whenEnded: @Sendable (End) -> Void
    private let state: Mutex<State>

    private init(
        _ parts: DownloadParts,
        whenFetched: @escaping @Sendable () -> Void,
        whenEnded: @escaping @Sendable (End) -> Void
    ) {
        began = parts.engine.time.now()
        host = HostBudget.name(of: parts.job.url)
        (self.parts, self.whenFetched, self.whenEnded) = (parts, whenFetched, whenEnded)
        state = Mutex(State(handover: Handover(parts: parts)))
    }

    /// Begins a download in the lane; returns `nil` if it cannot be one of a small file.
    ///
    /// `whenFetched` is called as by a driver. `whenEnded` is called once, on any thread, unless
    /// this returns `nil`.
    package static func begin(
        _ job: DownloadJob,
        engine: Engine,
        monitor: DownloadMonitor,
        whenFetched: @escaping @Sendable () -> Void = {},
        whenEnded: @escaping @Sendable (End) -> Void
    ) -> LaneDownload? {
        guard job.fitsLane else { return nil }
        let parts = DownloadParts(job, engine, monitor)
        let download = LaneDownload(parts, whenFetched: whenFetched, whenEnded: whenEnded)
        parts.mailbox.setReceiver { message in download.receive(message) }
        download.enter()
        return download
    }

    /// Ends the download as soon as possible, and keeps the bytes received so far.
    package func cancel() { parts.cancel() }

    /// Lets a driver take over, unless the file is being written.
    func leave() {
        let step = state.withLock { state -> Step in
            switch state.phase {
            case .waiting, .queued, .granted, .transferring: return handOver(&state)
            case .entering, .starting:
                state.mustLeave = true
                return .nothing
            case .finishing, .ended: return .nothing
            }
        }
        follow(step)
    }

    // MARK: - Starting

    private func enter() {
        parts.begin()
        parts.monitor.entered(.connecting)
        parts.monitor.named(parts.resolver.expected.lastComponent?.string ?? "")
        let step = state.withLock { state -> Step? in
            // Its control may have been stopped before it began.
            guard state.early.isEmpty else { return handOver(&state) }
            state.phase = .waiting
            return nil
        }
        if let step { return follow(step) }
        parts.engine.lane.enter(self)
        // It may have ended before it entered the lane, when it could not yet be removed.
        if state.withLock({ $0.phase == .ended }) { parts.engine.lane.remove(self) }
    }

    /// Looks for existing files and sends the request if there is a connection for it, or sends the
    /// request that was waiting for one.
    ///
    /// It blocks. `refusal` is the reason why it is not on a thread of the disk.
    func start(_ refusal: DownloadError?) {
        let phase = state.withLock { state in
            let phase = state.phase
            if phase == .waiting || phase == .granted { state.phase = .starting }
            return phase
        }
        switch phase {
        case .waiting:
            guard refusal == nil, isFree() else {
                return follow(state.withLock { handOver(&$0) })
            }
            let now = parts.engine.time.now()
            if parts.slots.requestEarly(host, at: now) { sendRequest(at: now) } else { queue() }
        case .granted:
            parts.slots.takeGranted(host)
            guard refusal == nil else { return follow(state.withLock { handOver(&$0) }) }
            sendRequest(at: parts.engine.time.now())
        default: break
        }
    }

    /// Waits for a connection, if it is one that is missing.
    private func queue() {
        let isDelayed = parts.slots.delayedUntil != nil
        let step = state.withLock { state -> Step in
            guard !isDelayed, !state.mustLeave else { return handOver(&state) }
            guard let first = state.early.first else {
                state.phase = .queued
                return .nothing
            }
            guard first.grantsSlot, state.early.count == 1 else { return handOver(&state) }
            state.early = []
            state.phase = .granted
            return .sendRequest
        }
        follow(step)
    }

    /// Starts the transfer over the connection that was granted.
    private func sendRequest(at now: Moment) {
        let planned = PlannedTransfer.first(parts.job.url)
        let cursor = TransferCursor(start: planned.start, end: planned.end)
        let transfer = parts.start(planned, cursor)
        let step = state.withLock { state -> Step in
            (state.handover.transfer, state.handover.cursor) = (transfer, cursor)
            state.handover.requestedAt = now
            state.phase = .transferring
            guard !state.mustLeave else { return handOver(&state) }
            let early = state.early
            state.early = []
            guard let first = early.first else { return .nothing }
            return next(first, rest: Array(early.dropFirst()), &state)
        }
        follow(step)
    }

    /// Whether no file of an earlier run must be resumed or kept.
    private func isFree() -> Bool {
        let resolver = parts.resolver
        let found = Result { () throws(DownloadError) in try resolver.findBeforeAsking() }
        state.withLock { $0.handover.found = found }
        guard case .success(.nothing(let notes, _)) = found else { return false }
        // The driver reports the notes.
        return notes.isEmpty
    }

    // MARK: - Messages

    /// Takes a message; returns `false` if it is the driver's.
    private func receive(_ message: DriverMessage) -> Bool {
        let step = state.withLock { state -> Step? in
            switch state.phase {
            case .queued where message.grantsSlot:
                state.phase = .granted
                return .sendRequest
            case .waiting, .queued, .granted, .transferring:
                return next(message, rest: [], &state)
            case .entering, .starting: state.early.append(message)
            case .finishing: break
            case .ended: return nil
            }
            return .nothing
        }
        guard let step else { return false }
        follow(step)
        return true
    }

    /// Returns what follows from a message; `rest` are the messages after it.
    private func next(
        _ message: DriverMessage,
        rest: [DriverMessage],
        _ state: inout State
    ) -> Step {
        if case .arrived(_, let body) = message {
            state.phase = .finishing
            return .finish(body)
        }
        state.early += [message] + rest
        return handOver(&state)
    }

    /// Leaves: what arrives from now on is the driver's.
    private func handOver(_ state: inout State) -> Step {
        // The driver has to learn that the connection is its own.
        if state.phase == .granted { state.early.insert(.slotGranted(host: host), at: 0) }
        state.phase = .ended
        parts.mailbox.postToDriver(state.early)
        state.early = []
        return .leave(state.handover)
    }

    private func follow(_ step: Step) {
        switch step {
        case .nothing: break
        // A connection is granted under the lock of the budgets. The work on a thread needs it, too,
        // and would run here if there were no threads.
        case .sendRequest: Task { parts.engine.lane.start(self) }
        case .finish(let body): finish(body)
        case .leave(let handover):
            parts.engine.lane.remove(self)
            parts.mailbox.setReceiver(nil)
            whenEnded(.left(handover))
        }
    }

    // MARK: - Finishing

    private func finish(_ body: SmallBody) {
        let (monitor, engine) = (parts.monitor, parts.engine)
        monitor.sized(body.representation.total)
        parts.note(body.head)
        monitor.answered(body.head, isFirst: true)
        let handover = state.withLock { state in
            defer { (state.handover.transfer, state.handover.cursor) = (nil, nil) }
            return state.handover
        }
        if let cursor = handover.cursor {
            monitor.transferEnded(TransferEnd(.completed), cursor)
        }
        monitor.bytes.ended(PlannedTransfer.first(parts.job.url).id)
        engine.lane.remove(self)
        parts.slots.release(host)
        if engine.smallBodies.isRoomy { whenFetched() }
        monitor.entered(.verifying)
        let prepare = parts.finisher.preparation(
            of: body,
            source: parts.job.url.redacted,
            parts.resolver,
            absent: handover.absent
        )
        let isLengthVerified = BodyFraming.isVerified(
            body.head.fields,
            body.head.protocolVersion
        )
        parts.finisher.finishUnannounced(prepare) { result in self.end(result, isLengthVerified) }
    }

    private func end(
        _ result: Result<SmallFileFinisher.Named, DownloadError>,
        _ isLengthVerified: Bool
    ) {
        switch result {
        case .success(let named):
            var file = DownloadedFile(path: named.path.string, byteCount: named.size)
            file.wasAlreadyThere = named.wasAlreadyThere
            file.isLengthVerified = isLengthVerified
            state.withLock { $0.phase = .ended }
            parts.mailbox.setReceiver(nil)
            parts.monitor.named(named.path.lastComponent?.string ?? "")
            parts.monitor.resuming.ended()
            parts.monitor.finished(file)
            parts.end()
            whenEnded(.finished(file))
        case .failure(let error):
            follow(
                state.withLock { state in
                    state.handover.failure = error
                    return handOver(&state)
                }
            )
        }
    }
}

extension DownloadJob {
    /// Whether the download may be in the lane until its file proves not to be small.
    ///
    /// A job with a feature that the lane does not support stays out.
    fileprivate var fitsLane: Bool {
        takesSmallBodies && mirrors.isEmpty && resume == nil && willFinish == nil
            && !settings.adoptsPartialFile && settings.allowsExpensiveNetwork
            // The lane watches no other time.
            && settings.maximumDuration ?? .seconds(1) > SmallFileLane.longestStay
            && settings.stallTimeout > SmallFileLane.longestStay
    }
}

extension DriverMessage {
    fileprivate var grantsSlot: Bool {
        if case .slotGranted = self { true } else { false }
    }
}

extension PlannedTransfer {
    /// The planner's first transfer if nothing is known of the file.
    package static func first(_ url: URL) -> PlannedTransfer {
        PlannedTransfer(id: TransferID(1), url: url, range: nil, pinned: nil, start: 0, end: .max)
    }
}

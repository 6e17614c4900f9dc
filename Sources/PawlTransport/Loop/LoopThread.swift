internal import CCurl
internal import PawlCore

/// The state of a loop that only its own thread touches.
final class LoopThread {
    private let loop: TransferLoop
    private let multi: CurlMulti
    private let clock = SystemTimekeeper()
    private let timers = PauseTimers()
    private let buffers = BodyBuffers()
    private let sockets = ConnectionSockets()
    private var room = ReceiveRoom()
    private var pace = ShowingPace()
    private var active: [ObjectIdentifier: TransferContext] = [:]
    private var handles: [ConnectionGroup: TenantHandles] = [:]
    private var uses = 0
    /// The number of groups of transfers above which the one that was idle longest loses its
    /// connections.
    private static let mostGroups = 64

    init(loop: TransferLoop, multi: CurlMulti) {
        self.loop = loop
        self.multi = multi
    }

    func run() {
        let surroundings = ThreadSurroundings()
        defer { surroundings.leave() }
        while true {
            let (commands, isClosed) = loop.takeCommands()
            for command in commands { perform(command) }
            guard !isClosed else { break }
            turn()
        }
        for context in active.values { end(context, .cancelled) }
        // Connections must not outlive the multi handle.
        handles = [:]
    }

    private func perform(_ command: TransferLoop.Command) {
        switch command {
        case .start(let context):
            begin(context)
        case .cancel(let context):
            guard isActive(context) else { return newHome(of: context)?.cancel(context) ?? () }
            noteSilence(of: context)
            end(context, .cancelled)
        case .resume(let context):
            guard isActive(context) else { return newHome(of: context)?.resume(context) ?? () }
            guard context.pause != .none else { return }
            if context.sharing != nil || !context.isHeld { timers.remove(context) }
            resume(context)
        case .leave(let tenant, let departure):
            for context in active.values where context.tenant === tenant {
                end(context, .cancelled)
            }
            handles = handles.filter { $0.key.tenant != ObjectIdentifier(tenant) }
            departure.complete()
        case .nudge(let context):
            guard isActive(context) else { return newHome(of: context)?.nudge(context) ?? () }
            context.nudged()
            if context.ending != nil { end(context, context.outcome(of: CURLE_OK)) }
        case .send(let context):
            guard isActive(context) else { return newHome(of: context)?.send(context) ?? () }
            guard let feed = context.feed, feed.endPause(), let handle = context.handle else {
                return
            }
            unpause(handle, of: context, CURLPAUSE_CONT)
        }
    }

    /// Returns the loop to which a transfer that began here was moved.
    private func newHome(of context: TransferContext) -> TransferLoop? {
        context.newHome === loop ? nil : context.newHome
    }

    private func turn() {
        do throws(TransferFailure) {
            for context in timers.takeDue(at: clock.now()) {
                if context.isHeld { checkHold(of: context) } else { resume(context) }
            }
            try multi.perform()
            while let (handle, code) = multi.nextFinished() {
                guard let context = CurlHandle.context(of: handle) else { continue }
                finished(context, code)
            }
            guard !isLikelyToContinue else {
                if pace.isDue(borrowers: buffers.borrowers.count, at: clock.now()) {
                    showGathered()
                }
                return
            }
            pace.allShown()
            showGathered()
            try multi.poll(milliseconds: timers.milliseconds(from: clock.now()))
        } catch {
            // libcurl is out of memory or contradicts itself, so none of these transfers can be
            // relied on to end.
            for context in active.values { end(context, .failed(error)) }
        }
    }

    private func finished(_ context: TransferContext, _ code: CURLcode) {
        guard let sharing = context.sharing else {
            let outcome = context.outcome(of: code)
            return context.needsSecondAttempt(after: outcome)
                ? beginAgain(context) : end(context, outcome)
        }
        if sharing.isRefused {
            relocate(context)
        } else {
            end(context, context.outcome(of: code))
        }
        // These wait for a connection to share, which this transfer did not find or could not make.
        if sharing.isRefused || !sharing.hasAsked { relocateWaiting(like: context) }
    }

    /// Whether to wait for more bytes before the gathered ones are passed on.
    ///
    /// With many transfers, waiting would cost more than it saves.
    private var isLikelyToContinue: Bool {
        buffers.takeGrowth() && active.count <= BodyBuffers.limit
    }

    private func showGathered() {
        for context in buffers.borrowers {
            context.showGathered()
            if context.ending != nil { end(context, context.outcome(of: CURLE_OK)) }
        }
    }

    private func isActive(_ context: TransferContext) -> Bool {
        active[ObjectIdentifier(context)] != nil
    }

    private func begin(_ context: TransferContext) {
        active[ObjectIdentifier(context)] = context
        do throws(TransferFailure) {
            let handle = try takeHandle(for: context)
            context.begin(
                with: handle,
                timers: timers,
                buffers: buffers,
                sockets: sockets,
                receiveBytes: context.sharing == nil
                    ? room.take(atMost: context.request.bufferBytes) : nil
            )
            try CurlRequest(context.requestToSend, on: handle)
                .setOptions(bufferBytes: context.receiveBytes)
            if context.isSecondAttempt { try handle.useNewConnection() }
            try handle.setContext(Unmanaged.passUnretained(context).toOpaque())
            try handle.watchConnection(of: context)
            try handle.openSockets(for: context)
            if let feed = context.feed { try send(feed, of: context, with: handle) }
            try multi.add(handle)
        } catch {
            end(context, .failed(error))
        }
    }

    private func send(
        _ feed: BodyFeed,
        of context: TransferContext,
        with handle: CurlHandle
    ) throws(TransferFailure) {
        // The source may keep the closure for longer than the transfer lasts.
        try feed.begin { [weak context, loop] in
            if let context { loop.send(context) }
        }
        try handle.send(feed, of: context.request)
    }

    private func beginAgain(_ context: TransferContext) {
        takeHandle(from: context)
        context.beginSecondAttempt()
        begin(context)
    }

    private func takeHandle(
        for context: TransferContext
    ) throws(TransferFailure) -> CurlHandle {
        let own = handles[context.group] ?? newHandles(for: context)
        uses += 1
        return try own.take(anyBufferSize: context.sharing != nil, use: uses)
    }

    private func newHandles(for context: TransferContext) -> TenantHandles {
        if handles.count >= Self.mostGroups {
            let oldest = handles.filter(\.value.isIdle).min { $0.value.lastUse < $1.value.lastUse }
            if let oldest { handles[oldest.key] = nil }
        }
        let own = TenantHandles(context.tenant)
        handles[context.group] = own
        return own
    }

    /// Resumes a transfer after a pause or a hold.
    private func resume(_ context: TransferContext) {
        context.endPause()
        context.showGathered()
        if context.ending != nil { return end(context, context.outcome(of: CURLE_OK)) }
        guard context.pause == .none else { return }
        if let deferred = context.deferredEnd { return finish(context, deferred) }
        guard let handle = context.handle else { return }
        let isSendingPaused = context.feed?.isPaused == true
        unpause(handle, of: context, isSendingPaused ? CURLPAUSE_SEND : CURLPAUSE_CONT)
    }

    /// Lets libcurl continue, except for what remains paused.
    private func unpause(_ handle: CurlHandle, of context: TransferContext, _ paused: Int32) {
        // Before it returns, this passes the bytes that libcurl has kept to the callback.
        let code = curl_easy_pause(handle.raw, paused)
        // For a transfer without a connection libcurl reports a bad argument: then nothing was
        // paused.
        if context.ending != nil || (code != CURLE_OK && code != CURLE_BAD_FUNCTION_ARGUMENT) {
            end(context, context.outcome(of: code))
        }
    }

    private func end(_ context: TransferContext, _ outcome: TransferOutcome) {
        var end = TransferEnd(outcome, timings: context.deferredEnd?.timings ?? TransferTimings())
        if let handle = context.handle {
            if case .completed = outcome, handle.keepsConnection {
                loop.keptConnection(context.connectionKey)
            }
            end.timings = handle.timings
            context.dropKeptBytes()
            takeHandle(from: context)
        }
        context.showLast()
        guard let end = context.conclude(end) else { return }
        finish(context, end)
    }

    private func takeHandle(from context: TransferContext) {
        guard let (handle, receiveBytes) = context.releaseHandle() else { return }
        multi.remove(handle)
        room.release(receiveBytes)
        handles[context.group]?.giveBack(handle)
    }

    private func finish(_ context: TransferContext, _ end: TransferEnd) {
        timers.remove(context)
        active[ObjectIdentifier(context)] = nil
        loop.transferEnded()
        context.deliver(end)
    }
}

// Transfers that share connections.
extension LoopThread {
    /// Moves a transfer to a connection that it does not share.
    private func relocate(_ context: TransferContext) {
        guard let exits = loop.exits else { return end(context, .cancelled) }
        takeHandle(from: context)
        timers.remove(context)
        active[ObjectIdentifier(context)] = nil
        loop.transferEnded()
        let home = exits.chooseLoop(context.connectionKey)
        context.leave(for: home)
        home.start(context)
    }

    /// Moves all transfers that wait for a connection that this one could have used.
    private func relocateWaiting(like other: TransferContext) {
        for context in Array(active.values)
        where context.group == other.group && context.origin == other.origin
            && context.sharing?.hasAsked == false
        {
            relocate(context)
        }
    }

    /// Records that nothing arrives on a connection.
    ///
    /// While others use it, it is not closed, so libcurl would give it to every new transfer.
    private func noteSilence(of context: TransferContext) {
        // While the transfer is held, arriving bytes are not seen.
        guard !context.isHeld, context.handle != nil,
            context.sharing?.isSilent(at: clock.now()) == true
        else { return }
        _ = context.tenant.serialOrigins.insert(context.origin)
        relocateWaiting(like: context)
    }

    private func checkHold(of context: TransferContext) {
        guard context.sharing != nil, context.handle != nil else { return }
        guard context.keepsTooMuch else { return context.watchHold() }
        end(
            context,
            .failed(
                TransferFailure(
                    .connectionLost,
                    "paused for too long on a shared connection"
                )
            )
        )
    }
}

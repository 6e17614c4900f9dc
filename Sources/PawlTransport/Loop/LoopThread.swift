internal import CCurl
internal import PawlCore

/// A loop as its own thread sees it; nothing in here is touched by another one.
final class LoopThread {
    private static let idleHandleLimit = 32

    private let loop: TransferLoop
    private let multi: CurlMulti
    private let clock = SystemTimekeeper()
    private let timers = PauseTimers()
    private var active: [ObjectIdentifier: TransferContext] = [:]
    private var idleHandles: [CurlHandle] = []

    init(loop: TransferLoop, multi: CurlMulti) {
        self.loop = loop
        self.multi = multi
    }

    func run() {
        let surroundings = ThreadSurroundings()
        defer { surroundings.leave() }
        while true {
            let (commands, isClosed) = loop.takeCommands()
            for command in commands { obey(command) }
            guard !isClosed else { break }
            turn()
        }
        for context in active.values { end(context, .cancelled) }
        idleHandles = []
    }

    private func obey(_ command: TransferLoop.Command) {
        switch command {
        case .start(let context):
            begin(context)
        case .cancel(let context):
            if isActive(context) { end(context, .cancelled) }
        case .resume(let context):
            if isActive(context), context.isHeld { goOn(context) }
        case .nudge(let context):
            guard isActive(context) else { break }
            context.nudged()
            if context.ending != nil { end(context, context.outcome(of: CURLE_OK)) }
        }
    }

    private func turn() {
        do throws(TransferFailure) {
            for context in timers.takeDue(at: clock.now()) { goOn(context) }
            try multi.perform()
            while let (handle, code) = multi.nextFinished() {
                guard let context = CurlHandle.context(of: handle) else { continue }
                end(context, context.outcome(of: code))
            }
            try multi.poll(milliseconds: timers.milliseconds(from: clock.now()))
        } catch {
            // libcurl is out of memory or contradicts itself: none of these can be trusted to end.
            for context in active.values { end(context, .failed(error)) }
        }
    }

    private func isActive(_ context: TransferContext) -> Bool {
        active[ObjectIdentifier(context)] != nil
    }

    private func begin(_ context: TransferContext) {
        active[ObjectIdentifier(context)] = context
        do throws(TransferFailure) {
            let handle = try takeHandle()
            context.begin(with: handle, timers: timers)
            try handle.configure(for: context.request)
            try handle.setContext(Unmanaged.passUnretained(context).toOpaque())
            try multi.add(handle)
        } catch {
            end(context, .failed(error))
        }
    }

    private func takeHandle() throws(TransferFailure) -> CurlHandle {
        if let handle = idleHandles.popLast() { return handle }
        return try CurlHandle(caches: multi.caches)
    }

    /// After a pause or a hold.
    private func goOn(_ context: TransferContext) {
        context.pause = .none
        if let deferred = context.deferredEnd {
            finish(context, deferred)
            return
        }
        guard let handle = context.handle else { return }
        // This shows what libcurl has kept meanwhile, by way of the callback, before it returns.
        let code = curl_easy_pause(handle.raw, CURLPAUSE_CONT)
        // No connection is an argument that libcurl calls bad: then nothing was paused.
        if context.ending != nil || (code != CURLE_OK && code != CURLE_BAD_FUNCTION_ARGUMENT) {
            end(context, context.outcome(of: code))
        }
    }

    private func end(_ context: TransferContext, _ outcome: TransferOutcome) {
        var end = TransferEnd(outcome, timings: context.deferredEnd?.timings ?? TransferTimings())
        if let handle = context.handle {
            end.timings = TransferTimings(of: handle)
            context.handle = nil
            multi.remove(handle)
            handle.reset()
            if idleHandles.count < Self.idleHandleLimit { idleHandles.append(handle) }
        }
        guard let end = context.conclude(end) else { return }
        finish(context, end)
    }

    private func finish(_ context: TransferContext, _ end: TransferEnd) {
        timers.remove(context)
        active[ObjectIdentifier(context)] = nil
        loop.transferEnded()
        context.deliver(end)
    }
}

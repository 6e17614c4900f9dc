internal import struct FoundationEssentials.Date
internal import PawlCore
internal import PawlEngine
internal import Synchronization

/// Starts the tasks of a session when it is their turn, and delivers the session's events.
///
/// It runs in one unstructured task, which exists while there is something to do. That task holds
/// the session, so that an idle session can be released.
final class SessionRunner: Sendable {
    private struct State {
        weak var session: DownloadSession?
        var scheduler: StartScheduler
        /// The number of tasks queued so far: each gets the next position.
        var lastPosition: Int64 = 0
        /// The queued tasks by their numbers.
        var queued: [Int64: SessionTask] = [:]
        /// The tasks that may start and have not started yet.
        var starting: ArraySlice<Int64> = []
        /// The tasks that need no slot.
        var atOnce: ArraySlice<Int64> = []
        /// The runs that have begun and need a Swift task.
        var runsNeedingTask: [TaskRun] = []
        /// The number of runs that have begun and not ended, with or without connections.
        var runs = 0
        var undelivered = 0
        var isRunning = false
        /// The callers that wait until few tasks are queued, by their numbers.
        var roomWaiters: [Int: Completion<Void>] = [:]
        var lastRoomWaiter = 0

        /// The number of tasks that wait for their turn.
        var waitingCount: Int { scheduler.waitingCount + starting.count }

        var isIdle: Bool {
            scheduler.isEmpty && starting.isEmpty && atOnce.isEmpty && runs == 0
                && undelivered == 0
        }
    }

    /// The number of tasks that are queued for those who wait for room, so that the next one can
    /// begin when one has ended.
    private static let mostQueued = 16

    private enum Step {
        case run([TaskRun])
        case wait(until: Moment?)
        case rest
    }

    private let time: any Timekeeper
    private let alarms: AlarmClock
    private let events = Mailbox<Delivery>()
    private let wakeup = Wakeup()
    private let state: Mutex<State>

    init(limit: Int, _ engine: Engine) {
        (time, alarms) = (engine.time, engine.alarms)
        state = Mutex(State(scheduler: StartScheduler(limit: limit)))
    }

    /// Sets the session, which must outlive all calls.
    func serve(_ session: DownloadSession) { state.withLock { $0.session = session } }

    // MARK: - Tasks

    /// Queues a task.
    func enqueue(_ task: SessionTask, priority: DownloadPriority, notBefore date: Date?) {
        let id = Int64(task.taskIdentifier)
        let moment = date.map { time.now() + Self.delay($0.timeIntervalSinceNow) }
        change { state in
            state.queued[id] = task
            if !task.takesSlot { return state.atOnce.append(id) }
            state.lastPosition += 1
            var entry = StartScheduler.Entry(
                id: id,
                priority: priority,
                position: state.lastPosition
            )
            entry.waitsUntil = moment
            state.scheduler.wait(entry)
        }
    }

    /// Returns the delay until a date, which may be infinitely far away or not a number.
    private static func delay(_ seconds: Double) -> Duration {
        seconds > 0 ? .seconds(min(seconds, 1e9)) : .zero
    }

    /// Removes a task from the queue.
    ///
    /// Returns whether it was queued: then no run of it will begin.
    func dequeue(_ task: SessionTask) -> Bool {
        let id = Int64(task.taskIdentifier)
        return state.withLock { state in
            guard state.queued.removeValue(forKey: id) != nil else { return false }
            // There may be room for another one.
            defer { wakeup.send() }
            if let index = state.atOnce.firstIndex(of: id) {
                state.atOnce.remove(at: index)
            } else if let index = state.starting.firstIndex(of: id) {
                state.starting.remove(at: index)
                state.scheduler.ended(id)
            } else {
                state.scheduler.leave(id)
            }
            return true
        }
    }

    func setPriority(_ priority: DownloadPriority, of task: SessionTask) {
        scheduled { $0.setPriority(Int64(task.taskIdentifier), priority) }
    }

    /// Changes the scheduler, and starts what may start then.
    @discardableResult
    func scheduled<Result: Sendable>(
        _ body: (inout StartScheduler) -> Result
    ) -> Result {
        change { body(&$0.scheduler) }
    }

    /// Waits until few tasks are queued; returns `false` if the calling task was cancelled before.
    func waitForRoom() async -> Bool {
        let room = Completion<Void>()
        let number = state.withLock { state -> Int? in
            guard state.waitingCount >= Self.mostQueued else { return nil }
            state.lastRoomWaiter += 1
            state.roomWaiters[state.lastRoomWaiter] = room
            return state.lastRoomWaiter
        }
        guard let number else { return !Task.isCancelled }
        if await room.wait() != nil { return true }
        state.withLock { $0.roomWaiters[number] = nil }
        return false
    }

    /// Posts an event for the delegate, the completion handlers and the readers of events.
    func post(_ event: Delivery) {
        change { state in
            state.undelivered += 1
            events.post(event)
        }
    }

    /// Starts no task any more; those that run continue.
    func startNoMore() { scheduled { $0.limit = 0 } }

    // MARK: - Running

    /// Changes the state, and wakes or starts the unstructured task.
    @discardableResult
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, session) = state.withLock { state in
            let result = body(&state)
            defer { state.isRunning = true }
            return (result, state.isRunning ? nil : state.session)
        }
        guard let session else {
            wakeup.send()
            return result
        }
        // The task belongs to the session, so it inherits neither the priority nor the task-local
        // values of the caller.
        Task.detached(priority: .medium) { await self.run(for: session) }
        return result
    }

    private func run(for session: DownloadSession) async {
        repeat { await runWhileBusy(for: session) } while !rest()
    }

    /// Ends the unstructured task.
    ///
    /// Returns `false` if something arrived meanwhile.
    private func rest() -> Bool {
        state.withLock { state in
            state.isRunning = !state.isIdle
            return !state.isRunning
        }
    }

    private func runWhileBusy(for session: DownloadSession) async {
        let alarm = alarms.enroll { [wakeup] in wakeup.send() }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.deliver(for: session) }
            while true {
                beginRuns()
                switch nextStep() {
                case .run(let runs):
                    for run in runs { group.addTask { await run.perform() } }
                case .wait(let moment):
                    alarms.set(alarm, at: moment ?? .distantFuture)
                    await wakeup.waitIgnoringCancellation()
                case .rest:
                    events.post(.end)
                    return
                }
            }
        }
        alarms.resign(alarm)
    }

    private func nextStep() -> Step {
        state.withLock { state in
            guard state.runsNeedingTask.isEmpty else {
                defer { state.runsNeedingTask = [] }
                return .run(state.runsNeedingTask)
            }
            return state.isIdle ? .rest : .wait(until: state.scheduler.nextMoment)
        }
    }

    // MARK: - Runs

    /// Handles that a run needs its slot no longer: the next task begins on this thread.
    func slotReleased(by id: StartScheduler.ID) {
        state.withLock { $0.scheduler.ended(id) }
        beginRuns()
    }

    /// Handles that a run needs a Swift task from now on.
    func needsTask(_ run: TaskRun) {
        state.withLock { $0.runsNeedingTask.append(run) }
        wakeup.send()
    }

    /// Handles the end of a run.
    func runEnded() {
        let isIdle = state.withLock { state in
            state.runs -= 1
            return state.isIdle
        }
        if isIdle { wakeup.send() }
    }

    /// Begins the tasks whose turn it is.
    ///
    /// Those that need a Swift task get it from `runWhileBusy`.
    private func beginRuns() {
        while let task = takeNext() {
            if let run = task.beginRun() { needsTask(run) }
        }
    }

    /// Returns the next task to begin, and admits the callers for which there is room then.
    private func takeNext() -> SessionTask? {
        let now = time.now()
        let (task, admitted) = state.withLock { state in
            var id = state.atOnce.popFirst()
            if id == nil {
                state.starting += state.scheduler.begin(moment: now)
                id = state.starting.popFirst()
            }
            let task = id.flatMap { state.queued.removeValue(forKey: $0) }
            if task != nil { state.runs += 1 }
            var admitted: [Int: Completion<Void>] = [:]
            if state.waitingCount <= Self.mostQueued / 2 { swap(&admitted, &state.roomWaiters) }
            return (task, admitted.values)
        }
        for room in admitted { room.complete() }
        return task
    }

    /// Delivers events, one at a time, until `.end`.
    private func deliver(for session: DownloadSession) async {
        var isAtEnd = false
        while !isAtEnd {
            await events.waitIgnoringCancellation()
            for event in events.take() {
                if case .end = event {
                    // Events posted after it must not be lost.
                    isAtEnd = true
                    continue
                }
                if case .invalidated = event { await session.closeFiles() }
                await session.configuration.delegateExecutor.deliver(event, in: session)
                change { $0.undelivered -= 1 }
            }
        }
    }
}

internal import struct FoundationEssentials.Date
internal import PawlCore
internal import Synchronization
internal import PawlEngine
internal import PawlStorage

/// The runner: starts tasks when it is their turn, and delivers events.
///
/// It is one unstructured task, which exists while there is something to do: it holds the session,
/// so that an idle session can be released.
extension DownloadSession {
    private enum Step {
        case run(SessionTask)
        case wait(until: Moment?)
        case rest
    }

    /// Queues a task.
    func enqueue(_ task: SessionTask, priority: DownloadPriority, notBefore date: Date?) {
        let now = engine.time.now()
        let moment = date.map { now + Self.delay($0.timeIntervalSinceNow) }
        change { state in
            // The session holds a late task from the moment it is to run.
            state.tasks[task.taskIdentifier] = task
            if !task.takesPlace { return state.atOnce.append(task.taskIdentifier) }
            state.lastPosition += 1
            var entry = StartScheduler.Entry(
                id: task.taskIdentifier,
                priority: priority,
                position: state.lastPosition
            )
            entry.waitsUntil = moment
            state.scheduler.wait(entry)
        }
        cleanOnce()
    }

    /// Returns the delay until a date, which may be infinitely far away or not a number.
    private static func delay(_ seconds: Double) -> Duration {
        seconds > 0 ? .seconds(min(seconds, 1e9)) : .zero
    }

    /// Removes files that ended sessions left, when the first task is to run.
    private func cleanOnce() {
        let isFirst = state.withLock { state in
            defer { state.hasCleaned = true }
            return !state.hasCleaned
        }
        guard isFirst else { return }
        let files = temporaryFiles
        engine.disk.start { _ in files.begin() }
    }

    /// Removes a task from the queue.
    ///
    /// Returns whether it was queued: then no run of it will begin.
    func dequeue(_ task: SessionTask) -> Bool {
        state.withLock { state in
            let id = task.taskIdentifier
            if let index = state.atOnce.firstIndex(of: id) {
                state.atOnce.remove(at: index)
            } else if let index = state.starting.firstIndex(of: id) {
                state.starting.remove(at: index)
                state.scheduler.ended(id)
            } else {
                return state.scheduler.leave(id)
            }
            return true
        }
    }

    func setPriority(_ priority: DownloadPriority, of task: SessionTask) {
        scheduled { $0.setPriority(task.taskIdentifier, priority) }
    }

    /// Changes the scheduler, and starts what may start then.
    @discardableResult
    func scheduled<Result: Sendable>(
        _ body: (inout StartScheduler<Int>) -> Result
    ) -> Result {
        change { body(&$0.scheduler) }
    }

    func post(_ event: SessionEvent) {
        change { state in
            state.undelivered += 1
            events.post(event)
        }
    }

    func delivered() { change { $0.undelivered -= 1 } }

    /// Changes state that the runner reads, and wakes it.
    @discardableResult
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, starts) = state.withLock { state in
            let result = body(&state)
            defer { state.isRunning = true }
            return (result, !state.isRunning)
        }
        // The runner belongs to the session, so it inherits neither the priority nor the task-local
        // values of the caller.
        if starts { Task.detached(priority: .medium) { await self.run() } } else { wakeup.send() }
        return result
    }

    private func run() async {
        repeat { await runWhileBusy() } while !rest()
    }

    /// Ends the runner.
    ///
    /// Returns `false` if something arrived meanwhile.
    private func rest() -> Bool {
        state.withLock { state in
            state.isRunning = !state.isIdle
            return !state.isRunning
        }
    }

    private func runWhileBusy() async {
        let alarm = engine.alarms.enroll { [wakeup] in wakeup.send() }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.deliver() }
            while true {
                switch nextStep() {
                case .run(let task):
                    group.addTask {
                        await task.run()
                        self.change { $0.runs -= 1 }
                    }
                case .wait(let moment):
                    engine.alarms.set(alarm, at: moment ?? .distantFuture)
                    await wakeup.waitIgnoringCancellation()
                case .rest:
                    events.post(.end)
                    return
                }
            }
        }
        engine.alarms.resign(alarm)
    }

    private func nextStep() -> Step {
        let now = engine.time.now()
        return state.withLock { state in
            while !state.atOnce.isEmpty {
                guard let task = state.tasks[state.atOnce.removeFirst()] else { continue }
                state.runs += 1
                return .run(task)
            }
            state.starting += state.scheduler.begin(moment: now)
            while let id = state.starting.popFirst() {
                guard let task = state.tasks[id] else {
                    state.scheduler.ended(id)
                    state.starting += state.scheduler.begin(moment: now)
                    continue
                }
                state.runs += 1
                return .run(task)
            }
            return state.isIdle ? .rest : .wait(until: state.scheduler.nextMoment)
        }
    }
}

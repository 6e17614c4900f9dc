internal import PawlCore

/// The runs of a library that wait for their turn, and the number of those that have it.
struct RunQueue {
    private var scheduler: StartScheduler
    private var waiting: [LibraryIndex.RunID: LibraryRun] = [:]
    private var begun: ArraySlice<LibraryIndex.RunID> = []
    private var active: [LibraryIndex.RunID: LibraryRun] = [:]
    private var lastPosition: Int64 = 0

    init(limit: Int) { scheduler = StartScheduler(limit: max(1, limit)) }

    var isFull: Bool { scheduler.slotsTaken + scheduler.waitingCount >= scheduler.limit }
    var isEmpty: Bool { active.isEmpty && waiting.isEmpty }
    /// The runs that have their turn.
    var running: [LibraryRun] { Array(active.values) }

    mutating func add(_ run: LibraryRun) {
        lastPosition += 1
        waiting[run.start.run] = run
        scheduler.wait(.init(id: run.start.run, position: lastPosition))
    }

    /// Starts the run that has waited longest; `nil` if it is nobody's turn.
    mutating func next() -> LibraryRun? {
        if begun.isEmpty { begun = scheduler.begin()[...] }
        guard let id = begun.popFirst(), let run = waiting.removeValue(forKey: id) else {
            return nil
        }
        active[id] = run
        return run
    }

    /// Starts the runs that were stopped while they waited: they end at once, and need no turn.
    mutating func takeStopped() -> [LibraryRun] {
        let stopped = waiting.values.filter(\.isStopped)
        for run in stopped where scheduler.leave(run.start.run) {
            waiting[run.start.run] = nil
            active[run.start.run] = run
        }
        return stopped.filter { active[$0.start.run] != nil }
    }

    mutating func ended(_ run: LibraryIndex.RunID) {
        active[run] = nil
        scheduler.ended(run)
    }
}

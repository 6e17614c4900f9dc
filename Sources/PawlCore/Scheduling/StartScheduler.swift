package import struct FoundationEssentials.Date
internal import HeapModule

/// Decides which waiting downloads start now (pure).
///
/// The download with the highest priority starts first; among equal ones, the one with the lowest
/// position. None starts before its time. At most `limit` run at the same time, and of a group at
/// most the number that the group allows. The command, sessions, the library and the daemon all
/// use it.
package struct StartScheduler: Sendable {
    // With a type parameter, other modules would use it unspecialized, which costs each download
    // tens of thousands of instructions.
    package typealias ID = Int64

    /// A download that waits.
    package struct Entry: Hashable, Sendable {
        package var id: ID
        package var priority: DownloadPriority
        /// The order among those of the same priority.
        package var position: Int64
        /// The earliest start by the wall clock; `nil` for immediately.
        package var notBefore: Date?
        /// The earliest start by the monotonic clock; `nil` for immediately.
        package var waitsUntil: Moment?
        /// Whether it ran when the process ended; it then continues before others of its priority
        /// start.
        package var wasRunning = false
        /// Whether it may have crashed the process; it then starts after all others and runs alone.
        package var isSuspect = false
        /// The group whose limit applies to it, too.
        package var group: ExactText?

        package init(
            id: ID,
            priority: DownloadPriority = .normal,
            position: Int64,
            notBefore: Date? = nil
        ) {
            self.id = id
            self.priority = priority
            self.position = position
            self.notBefore = notBefore
        }
    }

    /// The maximum number of downloads that run at the same time.
    package var limit: Int
    /// The maximum number of downloads of a group that run at the same time, for groups that have
    /// one.
    package var groupLimits: [ExactText: Int] = [:] {
        didSet { releaseAll() }
    }

    private var waiting: [ID: Waiting] = [:]
    /// The keys of downloads that may start.
    ///
    /// Keys of an entry's earlier versions stay in the heap, and are skipped when popped.
    private var ready = Heap<ReadyKey>()
    private var dated = Heap<TimeKey<Date>>()
    private var delayed = Heap<TimeKey<Moment>>()
    /// The keys of ready downloads whose group is at its limit.
    private var heldByGroup: [ExactText: Heap<ReadyKey>] = [:]
    /// The keys of ready downloads of which an earlier run has not ended.
    private var heldByRun: [ID: ReadyKey] = [:]
    private var lastVersion: UInt64 = 0

    package private(set) var running: Set<ID> = []
    /// The groups of the running downloads.
    private var groups: [ID: ExactText] = [:]
    private var groupCounts: [ExactText: Int] = [:]
    /// The running downloads that do not need their slot at the moment.
    private var lent: Set<ID> = []

    package init(limit: Int) { self.limit = limit }

    package var waitingCount: Int { waiting.count }
    /// The number of keys in the heaps, including those of earlier versions.
    package var keyCount: Int { ready.count + dated.count + delayed.count }
    package var isEmpty: Bool { waiting.isEmpty }
    /// Whether a download waits or runs.
    package func contains(_ id: ID) -> Bool { waiting[id] != nil || running.contains(id) }

    /// The number of downloads that hold a slot.
    package var slotsTaken: Int { running.count - lent.count }

    /// The date at which `begin` must be called again even if nothing has changed.
    package var nextDate: Date? {
        mutating get {
            while let first = dated.min, !isCurrent(first.id, first.version) { dated.removeMin() }
            return dated.min?.time
        }
    }

    /// The moment of the monotonic clock at which `begin` must be called again even if nothing has
    /// changed.
    package var nextMoment: Moment? {
        mutating get {
            while let first = delayed.min, !isCurrent(first.id, first.version) {
                delayed.removeMin()
            }
            return delayed.min?.time
        }
    }

    // MARK: - Waiting

    /// Adds a download, or changes its entry.
    package mutating func wait(_ entry: Entry) {
        lastVersion += 1
        let before = waiting.updateValue(
            Waiting(entry: entry, version: lastVersion),
            forKey: entry.id
        )
        releaseNext(of: before?.entry.group)
        enqueue(entry, lastVersion)
        compact()
    }

    /// Removes a download; a running one continues until `ended`.
    ///
    /// Returns whether it was waiting.
    @discardableResult
    package mutating func leave(_ id: ID) -> Bool {
        heldByRun[id] = nil
        guard let left = waiting.removeValue(forKey: id) else { return false }
        releaseNext(of: left.entry.group)
        return true
    }

    /// Sets the priority of a waiting download, which keeps its position.
    package mutating func setPriority(_ id: ID, _ priority: DownloadPriority) {
        guard var entry = waiting[id]?.entry, entry.priority != priority else { return }
        entry.priority = priority
        wait(entry)
    }

    /// Ends a download's wait until a moment; it then waits only for its turn.
    package mutating func startNow(_ id: ID) {
        guard var entry = waiting[id]?.entry, entry.notBefore == nil, entry.waitsUntil != nil
        else { return }
        entry.waitsUntil = nil
        wait(entry)
    }

    private mutating func enqueue(_ entry: Entry, _ version: UInt64) {
        if let date = entry.notBefore {
            dated.insert(TimeKey(time: date, id: entry.id, version: version))
        } else if let moment = entry.waitsUntil {
            delayed.insert(TimeKey(time: moment, id: entry.id, version: version))
        } else {
            ready.insert(ReadyKey(entry, version))
        }
    }

    // MARK: - Running

    /// Returns the downloads to start now, in order; their slots are taken until `ended`.
    package mutating func begin(at date: Date = .distantPast, moment: Moment = .zero) -> [ID] {
        while let due = dated.min, due.time <= date {
            dated.removeMin()
            if isCurrent(due.id, due.version) { enqueue(due.id) { $0.notBefore = nil } }
        }
        while let due = delayed.min, due.time <= moment {
            delayed.removeMin()
            if isCurrent(due.id, due.version) { enqueue(due.id) { $0.waitsUntil = nil } }
        }
        var begun: [ID] = []
        while slotsTaken < limit, let key = ready.min {
            guard isCurrent(key.id, key.version) else {
                ready.removeMin()
                continue
            }
            // All downloads behind it are suspect, too.
            if key.isSuspect, !running.isEmpty { break }
            ready.removeMin()
            guard let entry = waiting[key.id]?.entry, mayRun(entry, key) else { continue }
            waiting[key.id] = nil
            running.insert(key.id)
            if let group = entry.group {
                groups[key.id] = group
                groupCounts[group, default: 0] += 1
            }
            begun.append(key.id)
        }
        return begun
    }

    /// Returns whether a download may run; otherwise it is held until the obstacle is gone.
    private mutating func mayRun(_ entry: Entry, _ key: ReadyKey) -> Bool {
        if running.contains(entry.id) {
            heldByRun[entry.id] = key
            releaseNext(of: entry.group)
            return false
        }
        if let group = entry.group, let limit = groupLimits[group],
            groupCounts[group, default: 0] >= limit
        {
            heldByGroup[group, default: Heap()].insert(key)
            return false
        }
        return true
    }

    /// Notes that a run has ended, for whatever reason.
    package mutating func ended(_ id: ID) {
        guard running.remove(id) != nil else { return }
        lent.remove(id)
        if let key = heldByRun.removeValue(forKey: id) { ready.insert(key) }
        guard let group = groups.removeValue(forKey: id) else { return }
        let count = groupCounts[group, default: 1] - 1
        groupCounts[group] = count > 0 ? count : nil
        releaseNext(of: group)
    }

    /// The maximum number of downloads that lend their slots: all of them continue at once when the
    /// network returns.
    package static var mostLent: Int { 100 }

    /// Lends the slot of a running download that can do nothing at the moment: another may start
    /// until `takeBack`.
    ///
    /// Returns `false` if too many downloads lend their slots already.
    package mutating func lend(_ id: ID) -> Bool {
        guard running.contains(id), lent.count < Self.mostLent else { return false }
        return lent.insert(id).inserted
    }

    /// Takes back the slot of a download, which continues: more than `limit` may run for a while.
    package mutating func takeBack(_ id: ID) { lent.remove(id) }

    // MARK: - Keys

    private struct Waiting: Sendable {
        var entry: Entry
        var version: UInt64
    }

    private func isCurrent(_ id: ID, _ version: UInt64) -> Bool { waiting[id]?.version == version }

    /// Drops the keys of earlier versions when they are the majority, so that their number stays
    /// bounded.
    private mutating func compact() {
        let most = 2 * waiting.count + 64
        if ready.count > most {
            ready = Heap(ready.unordered.filter { isCurrent($0.id, $0.version) })
        }
        if dated.count > most {
            dated = Heap(dated.unordered.filter { isCurrent($0.id, $0.version) })
        }
        if delayed.count > most {
            delayed = Heap(delayed.unordered.filter { isCurrent($0.id, $0.version) })
        }
    }

    private mutating func enqueue(_ id: ID, _ change: (inout Entry) -> Void) {
        guard var item = waiting[id] else { return }
        change(&item.entry)
        waiting[id] = item
        enqueue(item.entry, item.version)
    }

    /// Moves a group's next download back to `ready` if the group has room.
    private mutating func releaseNext(of group: ExactText?) {
        guard let group, groupLimits[group].map({ groupCounts[group, default: 0] < $0 }) ?? true
        else { return }
        while let key = heldByGroup[group]?.popMin() {
            guard isCurrent(key.id, key.version) else { continue }
            return ready.insert(key)
        }
        heldByGroup[group] = nil
    }

    private mutating func releaseAll() {
        for held in heldByGroup.values { ready.insert(contentsOf: held.unordered) }
        heldByGroup = [:]
    }

    private struct ReadyKey: Comparable, Sendable {
        var isSuspect: Bool
        var wasRunning: Bool
        var priority: DownloadPriority
        var position: Int64
        var id: ID
        var version: UInt64

        init(_ entry: Entry, _ version: UInt64) {
            isSuspect = entry.isSuspect
            wasRunning = entry.wasRunning
            priority = entry.priority
            position = entry.position
            id = entry.id
            self.version = version
        }

        static func < (left: ReadyKey, right: ReadyKey) -> Bool {
            if left.isSuspect != right.isSuspect { return right.isSuspect }
            if left.priority != right.priority { return left.priority > right.priority }
            if left.wasRunning != right.wasRunning { return left.wasRunning }
            if left.position != right.position { return left.position < right.position }
            return left.id == right.id ? left.version < right.version : left.id < right.id
        }
    }

    private struct TimeKey<Time: Comparable & Sendable>: Comparable, Sendable {
        var time: Time
        var id: ID
        var version: UInt64

        static func < (left: TimeKey, right: TimeKey) -> Bool {
            if left.time != right.time { return left.time < right.time }
            return left.id == right.id ? left.version < right.version : left.id < right.id
        }
    }
}

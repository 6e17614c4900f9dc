package import struct FoundationEssentials.Date
package import PawlCore

/// Which downloads are to begin now: the most urgent first, then in the order of their places, none
/// before its date, and at most so many at a time.
///
/// Reads no clock and touches nothing.
package struct QueuePlanner: Sendable {
    /// A download that waits for its turn.
    package struct Entry: Hashable, Sendable {
        package var id: Int64
        package var priority: DownloadPriority
        package var position: Int64
        /// Not before that; nil is at once.
        package var notBefore: Date?
        /// The earliest start on the monotonic clock; `nil` for immediately.
        package var waitsUntil: Duration?
        /// It ran when the daemon ended, and goes on before others begin.
        package var wasRunning = false
        /// It may have ended the daemon: it waits for all others, and begins alone.
        package var isSuspect = false
        /// Whose limit counts for it, too.
        package var session: String?

        package init(
            id: Int64,
            priority: DownloadPriority,
            position: Int64,
            notBefore: Date? = nil
        ) {
            self.id = id
            self.priority = priority
            self.position = position
            self.notBefore = notBefore
        }
    }

    package var limit: Int
    /// How many of a session run at a time, where it says so.
    package var sessionLimits: [String: Int] = [:]
    private var waiting: [Int64: Entry] = [:]
    private var ready = SortedList<Key>()
    private var dated = SortedList<DatedKey>()
    private var delayed = SortedList<DelayedKey>()
    package private(set) var running: Set<Int64> = []
    /// The sessions of those that run, and how many of each.
    private var sessions: [Int64: String] = [:]
    private var counts: [String: Int] = [:]

    package init(limit: Int) { self.limit = limit }

    package var waitingCount: Int { waiting.count }

    /// When it is to be asked again though nothing has changed.
    package var nextDate: Date? { dated.first?.date }

    /// The same by the clock that nobody sets.
    package var nextTime: Duration? { delayed.first?.time }

    /// Puts a download in line, or changes its place there.
    package mutating func wait(_ entry: Entry) {
        leave(entry.id)
        waiting[entry.id] = entry
        lineUp(entry)
    }

    private mutating func lineUp(_ entry: Entry) {
        if let date = entry.notBefore {
            dated.insert(DatedKey(date: date, id: entry.id))
        } else if let time = entry.waitsUntil {
            delayed.insert(DelayedKey(time: time, id: entry.id))
        } else {
            ready.insert(Key(entry))
        }
    }

    /// What one waits for besides its turn has come.
    package mutating func hurry(_ id: Int64) {
        guard var entry = waiting[id], entry.notBefore == nil, entry.waitsUntil != nil else {
            return
        }
        entry.waitsUntil = nil
        wait(entry)
    }

    /// Takes a download out of the line; one that runs goes on until `ended`.
    package mutating func leave(_ id: Int64) {
        guard let entry = waiting.removeValue(forKey: id) else { return }
        if let date = entry.notBefore {
            dated.remove(DatedKey(date: date, id: id))
        } else if let time = entry.waitsUntil {
            delayed.remove(DelayedKey(time: time, id: id))
        } else {
            ready.remove(Key(entry))
        }
    }

    /// The next to begin; their places are taken until `ended`.
    ///
    /// One that still winds up an earlier run waits for its end.
    ///
    /// `clock`: the time by a clock that nobody sets.
    package mutating func begin(at now: Date, clock: Duration = .zero) -> [Int64] {
        while let due = dated.first, due.date <= now {
            dated.remove(due)
            waiting[due.id]?.notBefore = nil
            if let entry = waiting[due.id] { lineUp(entry) }
        }
        while let due = delayed.first, due.time <= clock {
            delayed.remove(due)
            waiting[due.id]?.waitsUntil = nil
            if let entry = waiting[due.id] { lineUp(entry) }
        }
        var begun: [Int64] = []
        var index = 0
        while running.count < limit, index < ready.count {
            let id = ready[index].id
            let session = waiting[id]?.session
            guard !running.contains(id), hasRoom(session) else {
                index += 1
                continue
            }
            // Behind it there are only others of its kind.
            if ready[index].isSuspect, !running.isEmpty { break }
            ready.remove(at: index)
            waiting[id] = nil
            running.insert(id)
            if let session {
                sessions[id] = session
                counts[session, default: 0] += 1
            }
            begun.append(id)
        }
        return begun
    }

    private func hasRoom(_ session: String?) -> Bool {
        guard let session, let limit = sessionLimits[session] else { return true }
        return counts[session, default: 0] < limit
    }

    /// A run has ended, however.
    package mutating func ended(_ id: Int64) {
        guard running.remove(id) != nil, let session = sessions.removeValue(forKey: id) else {
            return
        }
        let count = counts[session, default: 1] - 1
        counts[session] = count > 0 ? count : nil
    }

    private struct Key: Comparable, Sendable {
        var isSuspect: Bool
        var wasRunning: Bool
        var priority: DownloadPriority
        var position: Int64
        var id: Int64

        init(_ entry: Entry) {
            isSuspect = entry.isSuspect
            wasRunning = entry.wasRunning
            priority = entry.priority
            position = entry.position
            id = entry.id
        }

        static func < (left: Key, right: Key) -> Bool {
            if left.isSuspect != right.isSuspect { return right.isSuspect }
            if left.priority != right.priority { return left.priority > right.priority }
            if left.wasRunning != right.wasRunning { return left.wasRunning }
            return (left.position, left.id) < (right.position, right.id)
        }
    }

    private struct DelayedKey: Comparable, Sendable {
        var time: Duration
        var id: Int64

        static func < (left: DelayedKey, right: DelayedKey) -> Bool {
            (left.time, left.id) < (right.time, right.id)
        }
    }

    private struct DatedKey: Comparable, Sendable {
        var date: Date
        var id: Int64

        static func < (left: DatedKey, right: DatedKey) -> Bool {
            (left.date, left.id) < (right.date, right.id)
        }
    }
}

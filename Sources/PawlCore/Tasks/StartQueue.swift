/// Which task of a session is to begin next: by priority, then in the order in which they were
/// resumed, and none before its date.
///
/// Reads no clock.
package struct StartQueue<ID: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        var id: ID
        var priority: DownloadPriority
        var order: UInt64
    }

    private var ready = Heap()
    private var dated: [(moment: Moment, entry: Entry)] = []
    /// What is in line; an entry whose order is another one is out of date.
    private var live: [ID: Entry] = [:]
    private var nextOrder: UInt64 = 0
    private var running = 0
    private var lent = 0
    private let limit: Int

    package init(limit: Int) { self.limit = max(1, limit) }

    package var isEmpty: Bool { live.isEmpty }

    /// How many of those it gave out have not been given back.
    package var runningCount: Int { running }

    /// When it is to be asked again though nothing has changed.
    package var nextDate: Moment? { dated.last?.moment }

    package mutating func add(
        _ id: ID,
        priority: DownloadPriority = .normal,
        notBefore date: Moment? = nil,
        now: Moment
    ) {
        nextOrder += 1
        let entry = Entry(id: id, priority: priority, order: nextOrder)
        live[id] = entry
        guard let date, date > now else { return ready.insert(entry) }
        // The earliest is the last.
        let index = dated.firstIndex { $0.moment <= date } ?? dated.endIndex
        dated.insert((date, entry), at: index)
    }

    /// Returns whether it was in line.
    @discardableResult
    package mutating func remove(_ id: ID) -> Bool { live.removeValue(forKey: id) != nil }

    /// It keeps its place among those of the new priority.
    package mutating func setPriority(_ id: ID, _ priority: DownloadPriority) {
        guard var entry = live[id], entry.priority != priority else { return }
        entry.priority = priority
        live[id] = entry
        if !dated.contains(where: { $0.entry.order == entry.order }) { ready.insert(entry) }
    }

    /// The next to begin; its place is taken until `gaveBack()`.
    package mutating func next(at now: Moment) -> ID? {
        while let last = dated.last, last.moment <= now {
            dated.removeLast()
            if let entry = live[last.entry.id], entry.order == last.entry.order {
                ready.insert(entry)
            }
        }
        guard running < limit else { return nil }
        while let entry = ready.popFirst() {
            guard let current = live[entry.id], current.order == entry.order,
                current.priority == entry.priority
            else { continue }
            live[entry.id] = nil
            running += 1
            return entry.id
        }
        return nil
    }

    /// One that was given out needs its place no more.
    package mutating func gaveBack() { running = max(0, running - 1) }

    /// More than these do not lend their places: they all go on when the network is back.
    package static var mostLent: Int { 100 }

    /// One that was given out can do nothing for now: another one may begin until `tookBack()`.
    ///
    /// Returns false where too many wait already.
    package mutating func lends() -> Bool {
        guard lent < Self.mostLent else { return false }
        lent += 1
        gaveBack()
        return true
    }

    /// It goes on: there may be more than the limit for a while.
    package mutating func tookBack() {
        lent = max(0, lent - 1)
        running += 1
    }
}

/// How urgent a task is; within a session the most urgent begins first.
public enum DownloadPriority: Int, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// After all others.
    case low
    /// The default.
    case normal
    /// Before all others.
    case high

    /// By urgency.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension StartQueue {
    /// A binary heap: 10,000 tasks may be in line.
    private struct Heap: Sendable {
        private var entries: [Entry] = []

        private func precedes(_ left: Int, _ right: Int) -> Bool {
            let (left, right) = (entries[left], entries[right])
            return left.priority == right.priority
                ? left.order < right.order : left.priority > right.priority
        }

        mutating func insert(_ entry: Entry) {
            entries.append(entry)
            var index = entries.count - 1
            while index > 0, precedes(index, (index - 1) / 2) {
                entries.swapAt(index, (index - 1) / 2)
                index = (index - 1) / 2
            }
        }

        mutating func popFirst() -> Entry? {
            guard let first = entries.first else { return nil }
            let last = entries.removeLast()
            guard !entries.isEmpty else { return first }
            entries[0] = last
            var index = 0
            while true {
                let children = [2 * index + 1, 2 * index + 2].filter { $0 < entries.count }
                guard let least = children.min(by: precedes), precedes(least, index) else { break }
                entries.swapAt(index, least)
                index = least
            }
            return first
        }
    }
}

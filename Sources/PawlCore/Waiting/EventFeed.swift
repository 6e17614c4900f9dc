internal import Synchronization

/// The events that one reader has not read yet.
package final class EventFeed<Event: Sendable>: Sendable {
    /// The rules for a reader that is slower than the events.
    package struct Bounds: Sendable {
        /// The number of unread events at which those that later ones supersede are dropped.
        package var limit = Int.max
        /// Whether an event contains information that no later event of its subject repeats.
        ///
        /// Of other events, only the newest of a subject is kept when there are too many. If there
        /// are still too many, the oldest are lost.
        package var isEssential: @Sendable (Event) -> Bool = { _ in true }
        /// Whether an event is kept in any case; there must be few of them.
        package var isAlwaysKept: @Sendable (Event) -> Bool = { _ in false }
        /// Returns the event in place of the lost ones, whose number it gets; `nil` if none is
        /// ever lost.
        package var lost: (@Sendable (Int) -> Event)?
        /// Returns what an event updates; `nil` if it must be read in any case.
        ///
        /// An update replaces the unread update of the same subject, unless another event of that
        /// subject was added in between.
        package var subject: @Sendable (Event) -> (number: Int, isUpdate: Bool)? = { _ in nil }

        package init() {}
    }

    private enum Item {
        case event(Event)
        /// A receipt; `nil` if nobody was reading any more.
        case receipt(ReadReceipt?)
    }

    private struct State {
        var items: ArraySlice<Item> = []
        /// The position of the first unread item, counted from the first one ever posted.
        var position = 0
        /// The positions of the unread updates that may be replaced, by their subjects.
        ///
        /// Only unread items have a position here.
        var updates: [Int: Int] = [:]
        /// The number of items at which room is made.
        var limit: Int
        /// The number of events that were lost before the first unread item.
        var lostCount = 0
        var isEnded = false
        /// The number of tasks that read.
        var readers = 0
        /// Whether the last of them has stopped reading.
        var isAbandoned = false

        init(_ bounds: Bounds) { limit = bounds.limit }

        mutating func takeFirst(_ bounds: Bounds) -> Item? {
            if lostCount > 0, let lost = bounds.lost {
                defer { lostCount = 0 }
                return .event(lost(lostCount))
            }
            guard let first = items.first else { return nil }
            if case .event(let event) = first, let subject = bounds.subject(event)?.number,
                updates[subject] == position
            {
                updates[subject] = nil
            }
            // The storage of a slice would also keep the items that were removed.
            items[items.startIndex] = .receipt(nil)
            items.removeFirst()
            position += 1
            return first
        }
    }

    private let state: Mutex<State>
    private let wakeup = Wakeup()
    private let bounds: Bounds

    package init(_ bounds: Bounds = Bounds()) {
        self.bounds = bounds
        state = Mutex(State(bounds))
    }

    package func post(_ event: Event) {
        // Releasing a receipt may run any code.
        let dropped = state.withLock { state in
            let dropped = makeRoom(&state)
            add(event, &state)
            return dropped
        }
        withExtendedLifetime(dropped) {}
        wakeup.send()
    }

    /// Drops events if there are too many, and returns all earlier items.
    private func makeRoom(_ state: inout State) -> ArraySlice<Item> {
        guard state.items.count >= state.limit else { return [] }
        let earlier = state.items
        let (kept, lostCount) = condensed(earlier)
        state.position += earlier.count
        state.items = kept[...]
        state.lostCount += lostCount
        state.updates = [:]
        for (index, item) in kept.enumerated() {
            guard case .event(let event) = item, let subject = bounds.subject(event) else {
                continue
            }
            state.updates[subject.number] = subject.isUpdate ? state.position + index : nil
        }
        // Receipts are kept, so that there may still be many items.
        state.limit = max(bounds.limit, 2 * kept.count)
        return earlier
    }

    /// Returns the items without events that later ones supersede, at most half of the limit and
    /// receipts; and the number of lost events.
    private func condensed(_ items: ArraySlice<Item>) -> (kept: [Item], lostCount: Int) {
        var kept: [Item] = []
        var (lostCount, eventCount) = (0, 0)
        var subjects: Set<Int> = []
        for item in items.reversed() {
            guard case .event(let event) = item else {
                kept.append(item)
                continue
            }
            if bounds.isAlwaysKept(event) {
                kept.append(item)
                continue
            }
            let isEssential = bounds.isEssential(event)
            if let subject = bounds.subject(event)?.number {
                let isNewest = subjects.insert(subject).inserted
                guard isEssential || isNewest else { continue }
            }
            if eventCount < bounds.limit / 2 {
                kept.append(item)
                eventCount += 1
            } else if isEssential {
                lostCount += 1
            }
        }
        return (kept.reversed(), lostCount)
    }

    private func add(_ event: Event, _ state: inout State) {
        guard let subject = bounds.subject(event) else { return state.items.append(.event(event)) }
        let earlier = state.updates[subject.number]
        if subject.isUpdate, let earlier {
            state.items[state.items.startIndex + earlier - state.position] = .event(event)
        } else {
            let next = state.position + state.items.count
            state.updates[subject.number] = subject.isUpdate ? next : nil
            state.items.append(.event(event))
        }
    }

    /// Adds a receipt, which is released when the reader asks for the event after those posted
    /// before it.
    package func post(_ receipt: ReadReceipt) {
        state.withLock { state in
            if !state.isAbandoned { state.items.append(.receipt(receipt)) }
        }
        wakeup.send()
    }

    package func end() {
        state.withLock { $0.isEnded = true }
        wakeup.send()
    }

    /// Handles that a task reads no more; after the last one, receipts are released, and events wait
    /// for the next reading.
    func abandon() {
        // Releasing a receipt may run any code.
        let released = state.withLock { state in
            state.readers -= 1
            guard state.readers == 0 else { return [ReadReceipt]() }
            state.isAbandoned = true
            return state.items.indices.compactMap { index -> ReadReceipt? in
                guard case .receipt(let receipt) = state.items[index] else { return nil }
                state.items[index] = .receipt(nil)
                return receipt
            }
        }
        withExtendedLifetime(released) {}
    }

    /// Handles that the sequence is read, perhaps again.
    func resume() {
        state.withLock { state in
            state.readers += 1
            state.isAbandoned = false
        }
    }

    /// Returns the oldest unread event; `nil` after the end, or if the task was cancelled.
    package func next() async -> Event? {
        while !Task.isCancelled {
            let (item, isEnded, hasMore) = state.withLock { state in
                (state.takeFirst(bounds), state.isEnded, state.readers > 1 && !state.items.isEmpty)
            }
            switch item {
            case .event(let event):
                if hasMore { wakeup.send() }
                return event
            case .receipt: continue
            case nil:
                if isEnded { return endReading() }
                await wakeup.wait()
            }
        }
        return endReading()
    }

    /// Passes the wake-up on: another task may read the same sequence.
    private func endReading() -> Event? {
        wakeup.send()
        return nil
    }
}

/// A value that calls a closure when nobody holds it any more.
package final class ReadReceipt: Sendable {
    private let whenReleased: @Sendable () -> Void

    package init(_ whenReleased: @escaping @Sendable () -> Void) {
        self.whenReleased = whenReleased
    }

    deinit { whenReleased() }
}

internal import Synchronization

/// The events that one reader has not read yet.
package final class EventFeed<Event: Sendable>: Sendable {
    /// The rules for a reader that is slower than the events.
    package struct Bounds: Sendable {
        /// The maximum number of unread events; the others are lost.
        package var limit = Int.max
        /// The event in place of all lost ones.
        package var lost: Event?
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
        var isEnded = false
        /// The number of tasks that read.
        var readers = 0
        /// Whether the last of them has stopped reading.
        var isAbandoned = false

        mutating func takeFirst(_ bounds: Bounds) -> Item? {
            guard let first = items.first else { return nil }
            if case .event(let event) = first, let subject = bounds.subject(event)?.number,
                updates[subject] == position
            {
                updates[subject] = nil
            }
            // The storage of a slice would keep what it has lost.
            items[items.startIndex] = .receipt(nil)
            items.removeFirst()
            position += 1
            return first
        }
    }

    private let state = Mutex(State())
    private let wakeup = Wakeup()
    private let bounds: Bounds

    package init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

    package func post(_ event: Event) {
        // A receipt may call anything when it is released.
        let dropped = state.withLock { state in
            let dropped = makeRoom(&state)
            add(event, &state)
            return dropped
        }
        withExtendedLifetime(dropped) {}
        wakeup.send()
    }

    /// Replaces all items if there are too many, and returns them.
    private func makeRoom(_ state: inout State) -> ArraySlice<Item> {
        guard let lost = bounds.lost, state.items.count >= bounds.limit else { return [] }
        defer {
            state.position += state.items.count
            state.items = [.event(lost)]
            state.updates = [:]
        }
        return state.items
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
        // A receipt may call anything when it is released.
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

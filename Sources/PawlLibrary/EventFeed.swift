internal import Pawl
internal import PawlCore
internal import Synchronization

/// The events that one reader has not read yet.
final class EventFeed: Sendable {
    private struct State {
        var events: ArraySlice<LibraryEvent> = []
        var isEnded = false
    }

    private let state = Mutex(State())
    private let wakeup = Wakeup()
    private let limit: Int

    init(limit: Int) { self.limit = max(1, limit) }

    func post(_ event: LibraryEvent) {
        state.withLock { state in
            if state.events.count >= limit { state.events = [.eventsLost] }
            state.events.append(event)
        }
        wakeup.send()
    }

    func end() {
        state.withLock { $0.isEnded = true }
        wakeup.send()
    }

    /// Returns the oldest unread event; `nil` after the end, or if the task was cancelled.
    func next() async -> LibraryEvent? {
        while !Task.isCancelled {
            let (event, isEnded) = state.withLock { ($0.events.popFirst(), $0.isEnded) }
            if let event { return event }
            if isEnded { return nil }
            await wakeup.wait()
        }
        return nil
    }
}

/// A library's events, for one reader, from the moment at which this value was requested.
public struct LibraryEvents: AsyncSequence, Sendable {
    /// An event in the library.
    public typealias Element = LibraryEvent
    /// Events never fail.
    public typealias Failure = Never

    let feed: EventFeed

    /// Continues where the last reading of the same sequence ended.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: feed) }

    /// Waits for events.
    public struct Iterator: AsyncIteratorProtocol {
        let feed: EventFeed

        /// Returns the next event; `nil` when the library was closed.
        public mutating func next() async -> LibraryEvent? { await next(isolation: #isolation) }

        /// Returns the next event; `nil` when the library was closed.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> LibraryEvent? {
            await feed.next()
        }
    }
}

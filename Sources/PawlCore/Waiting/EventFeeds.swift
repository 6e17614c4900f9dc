internal import Synchronization

/// The readers of one source of events.
package final class EventFeeds<Event: Sendable>: Sendable {
    private struct WeakFeed {
        weak var feed: EventFeed<Event>?
    }

    private struct State {
        var feeds: [WeakFeed] = []
        /// The events for the first reader.
        var early: [Event] = []
        var isEnded = false
    }

    private let state = Mutex(State())
    private let bounds: EventFeed<Event>.Bounds

    package init(_ bounds: EventFeed<Event>.Bounds = EventFeed.Bounds()) { self.bounds = bounds }

    /// Adds a reader, who receives the events from now on.
    package func makeSequence() -> EventSequence<Event> {
        let feed = EventFeed(bounds)
        state.withLock { state in
            for event in state.early { feed.post(event) }
            state.early = []
            state.feeds.append(WeakFeed(feed: feed))
            if state.isEnded { feed.end() }
        }
        return EventSequence(feed)
    }

    /// Passes an event to all current readers.
    package func post(_ event: Event) { forEach { $0.post(event) } }

    /// Passes a receipt to all current readers.
    package func post(_ receipt: ReadReceipt) { forEach { $0.post(receipt) } }

    /// Keeps an event for the first reader.
    package func keep(_ event: Event) { state.withLock { $0.early.append(event) } }

    /// Ends all feeds, including those of readers that are added later.
    package func end() {
        state.withLock { $0.isEnded = true }
        forEach { $0.end() }
    }

    private func forEach(_ body: (EventFeed<Event>) -> Void) {
        // A feed, or what it holds, must not be released under the lock.
        let feeds = state.withLock { state in
            state.feeds.removeAll { $0.feed == nil }
            return state.feeds
        }
        for feed in feeds { if let feed = feed.feed { body(feed) } }
    }
}

/// Events for one reader, in order, from the moment at which this value was requested.
///
/// If several tasks read the same value, each event reaches one of them.
///
/// It ends with its source, and when the task that reads it is cancelled.
public struct EventSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// Events never fail.
    public typealias Failure = Never

    private let feed: EventFeed<Element>

    init(_ feed: EventFeed<Element>) { self.feed = feed }

    /// Continues where the last reading of the same sequence ended.
    public func makeAsyncIterator() -> Iterator { Iterator(feed) }

    /// Waits for events.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: Reader

        init(_ feed: EventFeed<Element>) { reader = Reader(feed) }

        /// Returns the next event; `nil` after the last one.
        public mutating func next() async -> Element? { await next(isolation: #isolation) }

        /// Returns the next event; `nil` after the last one.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> Element? {
            await reader.feed.next()
        }
    }

    /// A reading of the sequence, which ends when its iterator is released.
    private final class Reader: Sendable {
        let feed: EventFeed<Element>

        init(_ feed: EventFeed<Element>) {
            self.feed = feed
            feed.resume()
        }

        deinit { feed.abandon() }
    }
}

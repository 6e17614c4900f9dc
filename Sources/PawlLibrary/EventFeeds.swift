internal import PawlCore
internal import Synchronization

/// The readers of a library's events.
final class EventFeeds: Sendable {
    private struct WeakFeed {
        weak var feed: EventFeed?
    }

    private struct State {
        var feeds: [WeakFeed] = []
        /// The events for the first reader, from the opening of the library.
        var early: [LibraryEvent] = []
        var isEnded = false
    }

    private let state = Mutex(State())
    private let limit: Int

    /// Creates the list; `limit` is the maximum number of unread events of one reader.
    init(limit: Int) { self.limit = limit }

    /// Adds a reader.
    func makeFeed() -> EventFeed {
        let feed = EventFeed(limit: limit)
        state.withLock { state in
            for event in state.early { feed.post(event) }
            state.early = []
            state.feeds.append(WeakFeed(feed: feed))
            if state.isEnded { feed.end() }
        }
        return feed
    }

    /// Passes an event to all current readers.
    func post(_ event: LibraryEvent) {
        state.withLock { state in
            for feed in state.feeds { feed.feed?.post(event) }
            state.feeds.removeAll { $0.feed == nil }
        }
    }

    /// Keeps an event for the first reader.
    func keep(_ event: LibraryEvent) { state.withLock { $0.early.append(event) } }

    /// Ends all feeds, also those of readers that are added later.
    func end() {
        state.withLock { state in
            state.isEnded = true
            for feed in state.feeds { feed.feed?.end() }
        }
    }
}

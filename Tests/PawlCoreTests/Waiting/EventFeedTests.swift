import PawlCore
import PawlTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EventFeedTests {
    private enum Event: Sendable, Equatable {
        case update(of: Int, Int)
        case fact(of: Int, String)
        case lost(Int)
    }

    private static func bounds(limit: Int = .max) -> EventFeed<Event>.Bounds {
        var bounds = EventFeed<Event>.Bounds()
        bounds.limit = limit
        bounds.lost = { .lost($0) }
        bounds.subject = { event in
            switch event {
            case .update(let subject, _): (subject, true)
            case .fact(let subject, _): (subject, false)
            case .lost: nil
            }
        }
        return bounds
    }

    private func read(_ sequence: EventSequence<Event>) async -> [Event] {
        var events: [Event] = []
        for await event in sequence { events.append(event) }
        return events
    }

    @Test func `tasks that read the same sequence share its events, and both end`() async {
        let feeds = EventFeeds(Self.bounds())
        let sequence = feeds.makeSequence()
        async let one = read(sequence)
        async let other = read(sequence)
        for number in 0..<100 {
            feeds.post(.fact(of: number, "\(number)"))
            await Task.yield()
        }
        feeds.end()
        let events = await one + other
        #expect(events.count == 100)
        for number in 0..<100 { #expect(events.contains(.fact(of: number, "\(number)"))) }
    }

    @Test func `a cancelled reader leaves the events to another one of its sequence`() async {
        let feeds = EventFeeds(Self.bounds())
        let sequence = feeds.makeSequence()
        let executor = ManualExecutor()
        let cancelled = Task(executorPreference: executor) { await read(sequence) }
        let reader = Task(executorPreference: executor) { await read(sequence) }
        // Now both wait for an event.
        executor.runTasks()
        cancelled.cancel()
        executor.runTasks()
        #expect(await cancelled.value.isEmpty)
        feeds.post(.fact(of: 1, "late"))
        executor.runTasks()
        feeds.end()
        executor.runTasks()
        #expect(await reader.value == [.fact(of: 1, "late")])
    }

    @Test func `an unread update is replaced by a newer one of its subject`() async {
        let feeds = EventFeeds(Self.bounds())
        let sequence = feeds.makeSequence()
        feeds.post(.update(of: 1, 10))
        feeds.post(.update(of: 2, 10))
        feeds.post(.update(of: 1, 20))
        feeds.post(.update(of: 1, 30))
        feeds.end()
        #expect(await read(sequence) == [.update(of: 1, 30), .update(of: 2, 10)])
    }

    @Test func `no update passes another event of its subject`() async {
        let feeds = EventFeeds(Self.bounds())
        let sequence = feeds.makeSequence()
        feeds.post(.update(of: 1, 10))
        feeds.post(.fact(of: 1, "started over"))
        feeds.post(.update(of: 1, 5))
        feeds.post(.fact(of: 2, "ended"))
        feeds.post(.update(of: 1, 6))
        feeds.end()
        #expect(
            await read(sequence) == [
                .update(of: 1, 10), .fact(of: 1, "started over"), .update(of: 1, 6),
                .fact(of: 2, "ended"),
            ]
        )
    }

    @Test func `an update that was read is not replaced`() async {
        let feeds = EventFeeds(Self.bounds())
        let sequence = feeds.makeSequence()
        var iterator = sequence.makeAsyncIterator()
        for number in 1...100 {
            feeds.post(.update(of: 1, number))
            if number.isMultiple(of: 2) {
                feeds.post(.update(of: 1, -number))
                #expect(await iterator.next() == .update(of: 1, -number))
            }
        }
    }

    @Test func `too many unread events are replaced by one that says so`() async {
        let feeds = EventFeeds(Self.bounds(limit: 3))
        let sequence = feeds.makeSequence()
        for number in 1...4 { feeds.post(.fact(of: number, "ended")) }
        feeds.end()
        #expect(
            await read(sequence) == [.lost(2), .fact(of: 3, "ended"), .fact(of: 4, "ended")]
        )
    }

    @Test func `only the newest event of a subject is kept if there are too many`() async {
        var bounds = Self.bounds(limit: 6)
        bounds.isEssential = { if case .fact(_, "ended") = $0 { true } else { false } }
        let feeds = EventFeeds(bounds)
        let sequence = feeds.makeSequence()
        for number in 0..<100 {
            feeds.post(.update(of: 1, number))
            feeds.post(.fact(of: 1, "paused \(number)"))
        }
        feeds.post(.fact(of: 2, "paused"))
        feeds.post(.fact(of: 2, "ended"))
        feeds.post(.update(of: 1, 100))
        feeds.post(.update(of: 1, 101))
        feeds.end()
        let events = await read(sequence)
        #expect(events.count < 6)
        #expect(events.suffix(2) == [.fact(of: 2, "ended"), .update(of: 1, 101)])
    }

    @Test func `an update is replaced even after others were dropped`() async {
        var bounds = Self.bounds(limit: 4)
        bounds.isEssential = { if case .fact = $0 { true } else { false } }
        let feeds = EventFeeds(bounds)
        let sequence = feeds.makeSequence()
        for number in 1...5 { feeds.post(.update(of: number, 0)) }
        // The first ones are lost without a word, because later ones will supersede them.
        for number in 4...5 { feeds.post(.update(of: number, 1)) }
        feeds.end()
        #expect(
            await read(sequence) == [.update(of: 3, 0), .update(of: 4, 1), .update(of: 5, 1)]
        )
    }

    @Test func `a receipt is not lost with events`() async {
        let feeds = EventFeeds(Self.bounds(limit: 2))
        let sequence = feeds.makeSequence()
        var iterator = sequence.makeAsyncIterator()
        let read: Completion<Void>
        do {
            let (receipt, completion) = receipt()
            feeds.post(receipt)
            read = completion
        }
        for number in 1...9 { feeds.post(.fact(of: number, "ended")) }
        #expect(!read.isComplete)
        feeds.end()
        while await iterator.next() != nil {}
        #expect(read.isComplete)
    }

    @Test func `each reader gets all events, from its beginning on`() async {
        let feeds = EventFeeds(Self.bounds())
        let first = feeds.makeSequence()
        feeds.post(.fact(of: 1, "one"))
        let second = feeds.makeSequence()
        feeds.post(.fact(of: 1, "two"))
        feeds.end()
        #expect(await read(first) == [.fact(of: 1, "one"), .fact(of: 1, "two")])
        #expect(await read(second) == [.fact(of: 1, "two")])
        #expect(await read(feeds.makeSequence()) == [])
    }

    // MARK: - Receipts

    private func receipt() -> (ReadReceipt, Completion<Void>) {
        let read = Completion<Void>()
        return (ReadReceipt { read.complete() }, read)
    }

    @Test func `an event is acknowledged when the reader asks for the next one`() async {
        let feeds = EventFeeds(Self.bounds())
        let sequence = feeds.makeSequence()
        var iterator = sequence.makeAsyncIterator()
        feeds.post(.fact(of: 1, "ended"))
        let read: Completion<Void>
        do {
            let (receipt, completion) = receipt()
            feeds.post(receipt)
            read = completion
        }
        #expect(!read.isComplete)
        #expect(await iterator.next() == .fact(of: 1, "ended"))
        #expect(!read.isComplete)
        feeds.post(.fact(of: 2, "ended"))
        #expect(await iterator.next() == .fact(of: 2, "ended"))
        #expect(read.isComplete)
    }

    @Test func `without a reader nothing waits for an acknowledgement`() {
        let feeds = EventFeeds(Self.bounds())
        _ = feeds.makeSequence()
        let read: Completion<Void>
        do {
            let (receipt, completion) = receipt()
            feeds.post(receipt)
            read = completion
        }
        #expect(read.isComplete)
    }

    @Test func `a reader that stops reading acknowledges, and its events stay`() async {
        let feeds = EventFeeds(Self.bounds())
        let sequence = feeds.makeSequence()
        feeds.post(.fact(of: 1, "one"))
        feeds.post(.fact(of: 1, "two"))
        let (first, second): (Completion<Void>, Completion<Void>)
        do {
            let (receipt, completion) = receipt()
            feeds.post(receipt)
            first = completion
        }
        for await event in sequence {
            #expect(event == .fact(of: 1, "one"))
            break
        }
        #expect(first.isComplete)
        do {
            let (receipt, completion) = receipt()
            feeds.post(receipt)
            second = completion
        }
        #expect(second.isComplete)
        feeds.end()
        #expect(await read(sequence) == [.fact(of: 1, "two")])
    }
}

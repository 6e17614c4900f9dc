import PawlDaemon
import PawlPostgres
import PawlTesting
import PawlWire
import Testing

/// What a daemon learns of the changes that others make to what it keeps in memory.
@Suite(.timeLimit(.minutes(5)))
struct ChangeCountTests {
    private func change(_ topic: ChangeTopic, _ transaction: StoreTransaction) throws {
        switch topic {
        // CommandTableTests has a command on another node's download.
        case .downloads: break
        case .feeds: try transaction.feeds.delete(1)
        case .gids: try transaction.gids.set("0123456789abcdef", of: 1)
        case .labels: _ = try transaction.labels.removeSettings("films")
        case .sessions:
            var registration = SessionRegistration(identifier: "s")
            registration.limitBytesPerSecond = 1000
            try transaction.sessions.register(registration, at: transaction.now)
        case .settings: try transaction.settings.set(DaemonSettings())
        case .tokens: try transaction.tokens.setMain(token: "a", cookie: "b")
        }
    }

    @Test(arguments: ChangeTopic.allCases.filter { $0 != .downloads })
    func `a daemon does not take its own changes for those of others`(
        topic: ChangeTopic
    ) async throws {
        let queue = try await PostgresQueue()
        let store = try queue.open()
        let before = try await store.changeCounts()
        #expect(before.byOthers[topic] == 0)
        for _ in 0..<2 { try store.write { try change(topic, $0) } }
        #expect(try await queue.run("SELECT value FROM counter WHERE name = '\(topic)'") == "2\n")
        #expect(try await store.changeCounts().byOthers == before.byOthers)
        try await queue.run("UPDATE counter SET value = value + 1 WHERE name = '\(topic)'")
        var expected = before.byOthers
        expected[topic] = 1
        #expect(try await store.changeCounts().byOthers == expected)
        try store.close()
    }

    @Test func `a change that is rolled back is not counted`() async throws {
        struct Stop: Error {}
        let queue = try await PostgresQueue()
        let store = try queue.open()
        #expect(throws: (any Error).self) {
            try store.write { (transaction) -> Void in
                try change(.labels, transaction)
                throw Stop()
            }
        }
        #expect(try await store.changeCounts().byOthers[.labels] == 0)
        try store.close()
    }

    @Test func `a change without an event has the id of the newest event, and wakes others`()
        async throws
    {
        let queue = try await PostgresQueue()
        let store = try queue.open()
        _ = try StoreScene.add("a", to: store)
        let received = Observed<[String]>([])
        let isListening = Observed(false)
        let listener = PostgresListener(
            try PostgresAddress(queue.address),
            channels: [queue.schema]
        ) { event in
            switch event {
            case .listening: isListening.update { $0 = true }
            case .notified(let notification): received.update { $0.append(notification.payload) }
            case .interrupted, .stopped: break
            }
        }
        await isListening.wait { $0 }
        let committed = try store.write(for: .change) { transaction in
            try change(.labels, transaction)
            try change(.tokens, transaction)
        }
        #expect(committed.lastEvent == 1)
        let both = try store.write(for: .change) { transaction in
            try change(.labels, transaction)
            try transaction.events.append(DaemonSettings(), at: transaction.now)
        }
        #expect(both.lastEvent == 2)
        #expect(await received.wait { $0.count == 3 } == ["t", "t", "e 2"])
        let counts = try await store.changeCounts()
        #expect(counts.lastEvent == 2)
        listener.close()
        try store.close()
    }
}

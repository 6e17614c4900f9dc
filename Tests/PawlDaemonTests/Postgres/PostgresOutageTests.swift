import Dispatch
import PawlCore
import PawlDaemon
import PawlPostgres
import PawlTesting
import PawlWire
import Testing

/// Broken connections, a killed server, conflicts, and commits whose outcome is not known.
@Suite(.timeLimit(.minutes(5)))
struct PostgresOutageTests {
    private func ids(_ store: PostgresStore) async throws -> [Int64] {
        try await store.read { try $0.downloads.ids() }
    }

    @Test func `a write whose session was ended uses a new one`() async throws {
        let cluster = try await PostgresCluster.shared()
        let database = try await cluster.makeDatabase()
        let store = try PostgresStore(cluster.address(database))
        let first = try StoreScene.add("a", to: store)
        // Nothing is read yet: it is the session that writes.
        let ended = try await cluster.run(
            """
            SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
            WHERE datname = '\(database)' AND application_name = 'pawld'
            """
        )
        #expect(ended.contains("t"))
        let second = try StoreScene.add("b", to: store)
        #expect(try await ids(store) == [first, second])
        #expect(store.problem == nil)
    }

    @Test func `while the server is down, calls fail, and later nothing is lost`() async throws {
        var settings = PostgresCluster.Settings()
        settings.isDurable = true
        try await PostgresCluster.run(settings) { cluster in
            let queue = try await PostgresQueue(on: cluster)
            let clock = ManualTimekeeper()
            let store = try queue.open(clock: clock)
            _ = try StoreScene.add("a", to: store)
            let before = try await StoreScene.contents(store)
            await cluster.stop()
            for _ in 0..<2 {
                let failure = #expect(throws: DownloadError.self) {
                    try StoreScene.add("b", to: store)
                }
                #expect(failure?.code == .storeUnavailable)
                #expect(failure?.advice.contains("check that the server runs") == true)
                let unread = await #expect(throws: DownloadError.self) { try await ids(store) }
                #expect(unread?.code == .storeUnavailable)
                // Others look for the database.
                clock.advance(by: .seconds(2))
            }
            #expect(store.problem?.code == .storeUnavailable)
            #expect(store.lastWriteFailure?.code == .storeUnavailable)
            try await cluster.start()
            // Until then, calls fail at once.
            #expect(throws: DownloadError.self) { try StoreScene.add("b", to: store) }
            await store.reconnect()
            try store.checkWrites()
            #expect(store.problem == nil)
            #expect(store.lastWriteFailure == nil)
            #expect(try await StoreScene.contents(store) == before)
        }
    }

    @Test func `a transaction that the database stops because of a deadlock runs again`()
        async throws
    {
        let queue = try await PostgresQueue()
        let store = try queue.open()
        let (first, second) = (
            try StoreScene.add("a", to: store), try StoreScene.add("b", to: store)
        )
        let other = try queue.connect()
        let time = Duration.seconds(60)
        try other.send("SET deadlock_timeout = '60s'")
        try other.send("BEGIN")
        try other.send("UPDATE download SET starts = 7 WHERE id = \(second)")
        _ = try await other.finish(within: time).value
        let (runs, mayContinue) = (Observed(0), DispatchSemaphore(value: 0))
        let isDone = Observed<Bool?>(nil)
        try BlockingThread.start {
            let isWritten: Void? = try? store.write { transaction in
                _ = try transaction.downloads.find(first)
                let isFirst = runs.update { count in
                    count += 1
                    return count == 1
                }
                if isFirst { mayContinue.wait() }
                _ = try transaction.downloads.find(second)
                try transaction.attempts.countStart(of: first)
            }
            isDone.update { $0 = isWritten != nil }
        }
        await runs.wait { $0 == 1 }
        let blocked = other.query(
            "UPDATE download SET starts = 7 WHERE id = \(first)",
            within: time
        )
        // Other tests use the same server.
        let process = try await other.server.value.process
        let waiting = "SELECT cardinality(pg_blocking_pids(\(process)))"
        while try await queue.run(waiting) == "0\n" {}
        mayContinue.signal()
        _ = try await blocked.value
        _ = try await other.query("COMMIT", within: time).value
        #expect(await isDone.wait { $0 != nil } == true)
        #expect(runs.value == 2)
        let suspects = try await store.read { try $0.attempts.suspects(starts: 8) }
        #expect(suspects == [first])
    }

    /// The end of the message that commits, and of no other one (`READ COMMITTED`).
    private let commit = "COMMIT\u{0}"

    /// The store reaches the server through a relay.
    private func relayed(
        _ queue: PostgresQueue,
        clock: any Timekeeper = SystemTimekeeper()
    ) throws -> (relay: TCPRelay, store: PostgresStore) {
        let relay = try TCPRelay(to: .port(queue.cluster.port))
        let address =
            "host=127.0.0.1 port=\(relay.port) user=\(PostgresCluster.user) dbname=postgres "
            + "options=-csearch_path=\(queue.schema)"
        return (relay, try PostgresStore(address, clock: clock))
    }

    @Test(arguments: [true, false])
    func `a commit whose answer was lost is not done twice`(hasEvent: Bool) async throws {
        let queue = try await PostgresQueue()
        let (relay, store) = try relayed(queue)
        let id = try StoreScene.add("a", to: store)
        relay.cut(.answer(to: commit, bytes: 0))
        let runs = Observed(0)
        let committed = try store.write(for: .change) { transaction in
            runs.update { $0 += 1 }
            try transaction.attempts.countStart(of: id)
            guard hasEvent, let row = try transaction.downloads.find(id) else { return }
            try transaction.events.append(.changed, row, at: StoreScene.noon)
        }
        #expect(runs.value == 1)
        let (last, suspects) = try await store.read { transaction in
            (
                try transaction.events.last(),
                try [1, 2].map { try transaction.attempts.suspects(starts: $0) }
            )
        }
        #expect(committed.lastEvent == last)
        #expect(last == (hasEvent ? 2 : 1))
        #expect(suspects == [[id], []])
    }

    @Test func `a commit that did not reach the server is done again`() async throws {
        let queue = try await PostgresQueue()
        let (relay, store) = try relayed(queue)
        let id = try StoreScene.add("a", to: store)
        relay.cut(.text(commit, .toServer, isForwarded: false))
        let runs = Observed(0)
        let committed = try store.write(for: .change) { transaction in
            runs.update { $0 += 1 }
            try transaction.attempts.countStart(of: id)
            guard let row = try transaction.downloads.find(id) else { return }
            try transaction.events.append(.changed, row, at: StoreScene.noon)
        }
        #expect(runs.value == 2)
        let events = try await store.read { try $0.events.list(after: 0, limit: 9) }
        #expect(events.map(\.id) == [1, 2])
        #expect(committed.lastEvent == 2)
        let suspects = try await store.read { try $0.attempts.suspects(starts: 2) }
        #expect(suspects.isEmpty)
    }

    @Test func `a commit whose outcome cannot be found out is an error, and runs once`()
        async throws
    {
        let queue = try await PostgresQueue()
        let (relay, store) = try relayed(queue)
        let id = try StoreScene.add("a", to: store)
        relay.cut(.answer(to: commit, bytes: 0))
        relay.refuse()
        let runs = Observed(0)
        let failure = #expect(throws: DownloadError.self) {
            try store.write { transaction in
                runs.update { $0 += 1 }
                try transaction.attempts.countStart(of: id)
            }
        }
        #expect(failure?.code == .storeUnavailable)
        #expect(failure?.message.contains("not known whether") == true)
        #expect(runs.value == 1)
        // What the daemon knows may be wrong, even when the database is back.
        let message = failure?.message
        #expect(store.reasonToReopen?.message == message)
        #expect(store.problem?.message == message)
        relay.accept()
        let refusal = #expect(throws: DownloadError.self) { try StoreScene.add("b", to: store) }
        #expect(refusal?.message == message)
        try store.close()
        let next = try queue.open()
        #expect(try await ids(next) == [id])
        #expect(try await next.read { try $0.attempts.suspects(starts: 1) } == [id])
        #expect(next.reasonToReopen == nil)
    }

    @Test func `the outcome of a commit is found out although all readers are in use`()
        async throws
    {
        let queue = try await PostgresQueue()
        let (relay, store) = try relayed(queue)
        let id = try StoreScene.add("a", to: store)
        let (reading, mayContinue) = (Observed(0), DispatchSemaphore(value: 0))
        defer { for _ in 0..<2 { mayContinue.signal() } }
        for _ in 0..<2 {
            try BlockingThread.start {
                try? store.readBlocking { _ in
                    reading.update { $0 += 1 }
                    mayContinue.wait()
                }
            }
        }
        await reading.wait { $0 == 2 }
        relay.cut(.answer(to: commit, bytes: 0))
        let runs = Observed(0)
        try store.write { transaction in
            runs.update { $0 += 1 }
            try transaction.attempts.countStart(of: id)
        }
        #expect(runs.value == 1)
        #expect(store.reasonToReopen == nil)
    }

    @Test(arguments: [WritePurpose.check, .repeatable, .repeatableEnd])
    func `a write that can be repeated has no consequences if its outcome is not known`(
        purpose: WritePurpose
    ) async throws {
        let queue = try await PostgresQueue()
        let (relay, store) = try relayed(queue)
        let id = try StoreScene.add("a", to: store)
        relay.cut(.answer(to: commit, bytes: 0))
        relay.refuse()
        #expect(throws: DownloadError.self) {
            try store.write(for: purpose) { try $0.attempts.countStart(of: id) }
        }
        #expect(store.problem?.code == .storeUnavailable)
        #expect(store.reasonToReopen == nil)
        relay.accept()
        await store.reconnect()
        #expect(store.problem == nil)
        try store.write { try $0.attempts.countStart(of: id) }
    }

    @Test func `a transaction that changes nothing runs again after a commit without an answer`()
        async throws
    {
        let queue = try await PostgresQueue()
        let (relay, store) = try relayed(queue)
        let id = try StoreScene.add("a", to: store)
        relay.cut(.answer(to: commit, bytes: 0))
        let runs = Observed(0)
        let row = try store.write { transaction in
            runs.update { $0 += 1 }
            return try transaction.downloads.find(id)
        }
        #expect(row?.name == "a")
        #expect(runs.value == 2)
    }

    @Test func `while the server does not answer, calls fail at once, and others look for it`()
        async throws
    {
        let queue = try await PostgresQueue()
        let clock = ManualTimekeeper()
        let (relay, store) = try relayed(queue, clock: clock)
        let first = try StoreScene.add("a", to: store)
        relay.hold()
        relay.cutAll()
        let failure = #expect(throws: DownloadError.self) { try StoreScene.add("b", to: store) }
        #expect(failure?.code == .storeUnavailable)
        #expect(store.problem?.code == .storeUnavailable)
        let connections = relay.snapshot.connections
        clock.advance(by: .seconds(14))
        for _ in 0..<3 {
            let refusal = #expect(throws: DownloadError.self) { try StoreScene.add("b", to: store) }
            #expect(refusal?.code == .storeUnavailable)
            await #expect(throws: DownloadError.self) { try await ids(store) }
        }
        #expect(relay.snapshot.connections == connections)
        relay.resume()
        // Connections that were made meanwhile would be answered now.
        relay.cutAll()
        await store.reconnect()
        #expect(store.problem == nil)
        let second = try StoreScene.add("b", to: store)
        #expect(try await ids(store) == [first, second])
    }

    @Test func `a read that fails is no failed write`() async throws {
        let queue = try await PostgresQueue()
        let (relay, store) = try relayed(queue)
        _ = try StoreScene.add("a", to: store)
        relay.refuse()
        await #expect(throws: DownloadError.self) { try await ids(store) }
        #expect(store.problem?.code == .storeUnavailable)
        #expect(store.lastWriteFailure == nil)
    }

    @Test func `other sessions learn of events, in the order of the commits`() async throws {
        let queue = try await PostgresQueue()
        let store = try queue.open()
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
        for name in ["a", "b"] { _ = try StoreScene.add(name, to: store) }
        #expect(await received.wait { $0.count == 2 } == ["e 1", "e 2"])
        // The event gets its number before the end of the transaction.
        let last = try store.write { transaction in
            if let row = try transaction.downloads.find(1) {
                try transaction.events.append(.changed, row, at: StoreScene.noon)
            }
            return try transaction.events.last()
        }
        #expect(last == 3)
        #expect(await received.wait { $0.count == 3 }.last == "e 3")
        listener.close()
    }
}

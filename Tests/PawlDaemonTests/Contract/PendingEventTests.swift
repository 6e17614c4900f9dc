import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// Events get their numbers at the end of their transaction.
@Suite(.timeLimit(.minutes(5)))
struct PendingEventTests {
    /// A store and what the tests add to it.
    private struct Book {
        let scene: ContractScene
        let noon = ContractScene.noon

        init(_ kind: StoreKind) async throws {
            scene = try await ContractScene(kind)
        }

        var store: any QueueStore { scene.store }

        /// Adds a download of a registered session.
        func add(_ session: String) throws -> WireDownload {
            let id = try scene.add()
            return try store.write { transaction in
                let registration = SessionRegistration(identifier: session)
                try transaction.sessions.register(registration, at: noon)
                var row = try #require(try transaction.downloads.find(id))
                row.session = session
                return row
            }
        }

        func refusal() throws -> ErrorResponse {
            let url = try #require(URL(string: "http://a.test/"))
            let head = ResponseHead(url: url, status: 410, protocolVersion: "1.1", fields: [])
            return ErrorResponse(DownloadResponse(head, redirects: []), body: [1], isWhole: true)
        }
    }

    private let noon = ContractScene.noon

    @Test(arguments: StoreKind.allCases)
    func `a transaction returns the number of its last event`(kind: StoreKind) async throws {
        let book = try await Book(kind)
        let first = try book.scene.add()
        let committed = try book.store.write(for: .change) { transaction in
            let row = try #require(try transaction.downloads.find(first))
            for kind in [WireEvent.Kind.started, .paused, .changed] {
                try transaction.events.append(kind, row, at: noon)
            }
            return row.id
        }
        #expect(committed.value == first)
        let events = try book.store.write { try $0.events.list(after: 0, limit: 9) }
        #expect(events.map(\.kind) == [.added, .started, .paused, .changed])
        #expect(events.map(\.id) == Array(committed.lastEvent - 3...committed.lastEvent))
        // Without a change, it is the newest event of earlier ones.
        let unchanged = try book.store.write(for: .endsSomething) { try $0.downloads.ids() }
        #expect(unchanged.lastEvent == committed.lastEvent)
    }

    @Test(arguments: StoreKind.allCases)
    func `a statement of the same transaction sees the events before it`(kind: StoreKind)
        async throws
    {
        let book = try await Book(kind)
        let id = try book.scene.add()
        try book.store.write { transaction in
            let row = try #require(try transaction.downloads.find(id))
            let before = try transaction.events.last()
            try transaction.events.append(.paused, row, at: noon)
            #expect(try transaction.events.last() == before + 1)
            try transaction.events.append(.changed, row, at: noon)
            let events = try transaction.events.list(after: before, limit: 9)
            #expect(events.map(\.kind) == [.paused, .changed])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a statement about the ends of downloads sees those of its own transaction`(
        kind: StoreKind
    ) async throws {
        let book = try await Book(kind)
        try book.store.write { transaction in
            let registration = SessionRegistration(identifier: "films")
            try transaction.sessions.register(registration, at: noon)
            var row = WireDownload(id: 0, state: .waiting, name: "a", url: "b", createdAt: noon)
            row.session = "films"
            row.id = try transaction.downloads.insert(row, request: .init(body: []))
            (row.state, row.endedAt) = (.finished, noon)
            try transaction.downloads.save(row)
            try transaction.events.append(.finished, row, at: noon)
            var query = ListQuery()
            (query.session, query.isPending) = ("films", true)
            #expect(try transaction.search.list(query).downloads.map(\.id) == [row.id])
            try transaction.events.append(.changed, row, at: noon)
            // It is kept until its session has acknowledged its end.
            func expired() throws -> [Int64] {
                try transaction.downloads.expired(
                    keeping: 0,
                    endedSince: .distantFuture,
                    limit: 9
                ).map(\.id)
            }
            #expect(try expired().isEmpty)
            let last = try transaction.events.last()
            let acknowledgement = Acknowledgement(session: "films", event: last)
            try transaction.sessions.acknowledge(acknowledgement, at: noon)
            #expect(try expired() == [row.id])
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func `a response is kept with the event of its failure`(kind: StoreKind, readsEvents: Bool)
        async throws
    {
        let book = try await Book(kind)
        let row = try book.add("films")
        let refusal = try book.refusal()
        let committed = try book.store.write(for: .change) { transaction in
            let event = try transaction.events.append(.failed, row, at: noon)
            // Then the event has its number already.
            if readsEvents { _ = try transaction.events.last() }
            try transaction.errorResponses.keep(refusal, of: row, at: event)
            try transaction.events.append(.changed, row, at: noon)
        }
        func acknowledge(_ event: Int64) throws -> WireErrorResponse? {
            try book.store.write { transaction in
                let acknowledgement = Acknowledgement(session: "films", event: event)
                try transaction.sessions.acknowledge(acknowledgement, at: noon)
                return try transaction.errorResponses.find(row.id)
            }
        }
        #expect(try acknowledge(committed.lastEvent - 2) != nil)
        #expect(try acknowledge(committed.lastEvent - 1) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a download that is removed after its failure keeps no response`(kind: StoreKind)
        async throws
    {
        let book = try await Book(kind)
        let row = try book.add("films")
        let refusal = try book.refusal()
        try book.store.write { transaction in
            let event = try transaction.events.append(.failed, row, at: noon)
            try transaction.errorResponses.keep(refusal, of: row, at: event)
            try transaction.downloads.delete(row.id)
            try transaction.events.append(.removed, row, at: noon)
        }
        let response = try book.store.write { try $0.errorResponses.find(row.id) }
        #expect(response == nil)
        let events = try book.store.write { try $0.events.list(after: 0, limit: 9) }
        #expect(events.map(\.kind) == [.added, .failed, .removed])
    }

    @Test(arguments: StoreKind.allCases)
    func `a removal includes a download that ends in the same transaction`(kind: StoreKind)
        async throws
    {
        let book = try await Book(kind)
        var row = try book.add("films")
        (row.state, row.endedAt) = (.cancelled, noon)
        let ended = row
        try book.store.write { transaction in
            try transaction.events.append(.cancelled, ended, at: noon)
            try transaction.events.append(.removed, ended, at: noon)
        }
        let events = try book.store.write { try $0.events.list(after: 0, limit: 9) }
        #expect(events.last?.removed?.id == row.id)
    }
}

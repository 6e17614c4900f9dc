import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// Events get their numbers at the end of their transaction.
@Suite(.timeLimit(.minutes(5)))
struct PendingEventTests {
    private let scene: StoreScene
    private let noon = StoreScene.noon

    init() throws { scene = try StoreScene() }

    /// Adds a download of a registered session.
    private func add(_ session: String) throws -> WireDownload {
        let id = try scene.add()
        return try scene.store.write { transaction in
            let registration = SessionRegistration(identifier: session)
            try transaction.sessions.register(registration, at: noon)
            var row = try #require(try transaction.downloads.find(id))
            row.session = session
            return row
        }
    }

    private func refusal() throws -> ErrorResponse {
        let url = try #require(URL(string: "http://a.test/"))
        let head = ResponseHead(url: url, status: 410, protocolVersion: "1.1", fields: [])
        return ErrorResponse(DownloadResponse(head, redirects: []), body: [1], isWhole: true)
    }

    @Test func `a transaction returns the number of its last event`() throws {
        let first = try scene.add()
        let committed = try scene.store.write(for: .change) { transaction in
            let row = try #require(try transaction.downloads.find(first))
            for kind in [WireEvent.Kind.started, .paused, .changed] {
                try transaction.events.append(kind, row, at: noon)
            }
            return row.id
        }
        #expect(committed.value == first)
        let events = try scene.store.write { try $0.events.list(after: 0, limit: 9) }
        #expect(events.map(\.kind) == [.added, .started, .paused, .changed])
        #expect(events.map(\.id) == Array(committed.lastEvent - 3...committed.lastEvent))
        // Without a change, it is the newest event of earlier ones.
        let unchanged = try scene.store.write(for: .endsSomething) { try $0.downloads.ids() }
        #expect(unchanged.lastEvent == committed.lastEvent)
    }

    @Test func `a statement of the same transaction sees the events before it`() throws {
        let id = try scene.add()
        try scene.store.write { transaction in
            let row = try #require(try transaction.downloads.find(id))
            let before = try transaction.events.last()
            try transaction.events.append(.paused, row, at: noon)
            #expect(try transaction.events.last() == before + 1)
            try transaction.events.append(.changed, row, at: noon)
            let events = try transaction.events.list(after: before, limit: 9)
            #expect(events.map(\.kind) == [.paused, .changed])
        }
    }

    @Test func `a statement about the ends of downloads sees those of its own transaction`() throws
    {
        try scene.store.write { transaction in
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

    @Test(arguments: [false, true])
    func `a response is kept with the event of its failure`(readsEvents: Bool) throws {
        let row = try add("films")
        let refusal = try refusal()
        let committed = try scene.store.write(for: .change) { transaction in
            let event = try transaction.events.append(.failed, row, at: noon)
            // Then the event has its number already.
            if readsEvents { _ = try transaction.events.last() }
            try transaction.errorResponses.keep(refusal, of: row, at: event)
            try transaction.events.append(.changed, row, at: noon)
        }
        func acknowledge(_ event: Int64) throws -> WireErrorResponse? {
            try scene.store.write { transaction in
                let acknowledgement = Acknowledgement(session: "films", event: event)
                try transaction.sessions.acknowledge(acknowledgement, at: noon)
                return try transaction.errorResponses.find(row.id)
            }
        }
        #expect(try acknowledge(committed.lastEvent - 2) != nil)
        #expect(try acknowledge(committed.lastEvent - 1) == nil)
    }

    @Test func `a download that is removed after its failure keeps no response`() throws {
        let row = try add("films")
        let refusal = try refusal()
        try scene.store.write { transaction in
            let event = try transaction.events.append(.failed, row, at: noon)
            try transaction.errorResponses.keep(refusal, of: row, at: event)
            try transaction.downloads.delete(row.id)
            try transaction.events.append(.removed, row, at: noon)
        }
        let response = try scene.store.write { try $0.errorResponses.find(row.id) }
        #expect(response == nil)
        let events = try scene.store.write { try $0.events.list(after: 0, limit: 9) }
        #expect(events.map(\.kind) == [.added, .failed, .removed])
    }

    @Test func `a removal includes a download that ends in the same transaction`() throws {
        var row = try add("films")
        (row.state, row.endedAt) = (.cancelled, noon)
        let ended = row
        try scene.store.write { transaction in
            try transaction.events.append(.cancelled, ended, at: noon)
            try transaction.events.append(.removed, ended, at: noon)
        }
        let events = try scene.store.write { try $0.events.list(after: 0, limit: 9) }
        #expect(events.last?.removed?.id == row.id)
    }
}

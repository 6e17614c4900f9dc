import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// What is stored for sessions, and for how long.
@Suite(.timeLimit(.minutes(5)))
struct SessionEventTests {
    /// A store and what the tests add to it.
    private struct Book {
        let scene: ContractScene
        let noon = ContractScene.noon

        init(_ kind: StoreKind) async throws {
            scene = try await ContractScene(kind)
            try store.write { transaction in
                let registration = SessionRegistration(identifier: "films")
                try transaction.sessions.register(registration, at: noon)
            }
        }

        var store: any QueueStore { scene.store }

        func add(_ session: String?, ended: Bool = false) throws -> WireDownload {
            try store.write { transaction in
                var row = WireDownload(id: 0, state: .waiting, name: "a", url: "b", createdAt: noon)
                row.session = session
                row.id = try transaction.downloads.insert(row, request: .init(body: []))
                try transaction.events.append(.added, row, at: noon)
                guard ended else { return row }
                (row.state, row.endedAt) = (.finished, noon)
                try transaction.downloads.save(row)
                try transaction.events.append(.finished, row, at: noon)
                return row
            }
        }

        func events() throws -> [WireEvent] {
            try store.write { try $0.events.list(after: 0, limit: 1000) }
        }

        func removal(of row: WireDownload) throws -> WireEvent? {
            try store.write { transaction in
                guard let row = try transaction.downloads.find(row.id) else { return }
                try transaction.downloads.delete(row.id)
                try transaction.events.append(.removed, row, at: noon)
            }
            return try events().last
        }

        func refuse(_ session: String?, count: Int = 1) throws -> WireDownload {
            let url = try #require(URL(string: "http://a.test/"))
            let head = ResponseHead(url: url, status: 410, protocolVersion: "1.1", fields: [])
            let refusal = ErrorResponse(
                DownloadResponse(head, redirects: []),
                body: Array("gone".utf8),
                isWhole: true
            )
            var row = try add(session)
            for number in 0..<count {
                if number > 0 { row = try add(session) }
                try store.write { transaction in
                    let event = try transaction.events.append(.failed, row, at: noon)
                    try transaction.errorResponses.keep(refusal, of: row, at: event)
                }
            }
            return row
        }

        func refusal(of row: WireDownload) throws -> WireErrorResponse? {
            try store.write { try $0.errorResponses.find(row.id) }
        }
    }

    private let noon = ContractScene.noon

    @Test(arguments: StoreKind.allCases)
    func `unacknowledged events survive pruning while their session is in use`(kind: StoreKind)
        async throws
    {
        let book = try await Book(kind)
        _ = try book.add("films")
        _ = try book.add(nil)
        try book.store.write { try $0.events.prune(keeping: 0, seenSince: noon) }
        #expect(try book.events().map(\.session) == ["films"])
        let later = noon.addingTimeInterval(1)
        try book.store.write { try $0.events.prune(keeping: 0, seenSince: later) }
        #expect(try book.events().isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `the store records which events were pruned`(kind: StoreKind) async throws {
        let book = try await Book(kind)
        let own = try book.add("films")
        _ = try book.add(nil)
        try book.store.write { transaction in
            #expect(try transaction.events.newestMissed() == 0)
            try transaction.events.prune(keeping: 0, seenSince: noon)
            #expect(try transaction.events.newestMissed() == transaction.events.last())
            // All of the session's own events are there.
            #expect(try transaction.events.newestMissed(of: "films") == 0)
            try transaction.events.prune(keeping: 0, seenSince: noon.addingTimeInterval(1))
            #expect(try transaction.events.newestMissed(of: "films") == 1)
        }
        #expect(own.id == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a process that returns keeps its events`(kind: StoreKind) async throws {
        let book = try await Book(kind)
        _ = try book.add("films")
        let later = noon.addingTimeInterval(1)
        try book.store.write { transaction in
            try transaction.sessions.register(SessionRegistration(identifier: "films"), at: later)
            try transaction.events.prune(keeping: 0, seenSince: later)
        }
        #expect(try book.events().count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `the number of unacknowledged events is limited`(kind: StoreKind) async throws {
        let book = try await Book(kind)
        for _ in 0..<5 { _ = try book.add("films") }
        try book.store.write { try $0.events.prune(keeping: 0, seenSince: noon, most: 2) }
        #expect(try book.events().count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `old events are deleted part by part, and others stay`(kind: StoreKind) async throws {
        let book = try await Book(kind)
        for session in [nil, "films", nil, nil] { _ = try book.add(session) }
        var after: Int64? = 0
        var kept: [[Int64]] = []
        while let id = after {
            after = try book.store.write {
                try $0.events.prune(keeping: 0, seenSince: noon, after: id, limit: 2)
            }
            kept.append(try book.events().map(\.id))
        }
        #expect(kept == [[2, 4], [2]])
    }

    @Test(arguments: StoreKind.allCases)
    func `a removal includes the download if its session has not seen its end`(kind: StoreKind)
        async throws
    {
        let book = try await Book(kind)
        let open = try book.add("films")
        #expect(try book.removal(of: open)?.removed?.id == open.id)
        let ended = try book.add("films", ended: true)
        #expect(try book.removal(of: ended)?.removed?.state == .finished)
        let heard = try book.add("films", ended: true)
        try book.store.write { transaction in
            let last = try transaction.events.last()
            let acknowledgement = Acknowledgement(session: "films", event: last)
            try transaction.sessions.acknowledge(acknowledgement, at: noon)
        }
        #expect(try book.removal(of: heard)?.removed == nil)
        let others = try book.add("songs")
        #expect(try book.removal(of: others)?.removed == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a server's response is kept until its session has acknowledged the failure`(
        kind: StoreKind
    ) async throws {
        let book = try await Book(kind)
        let row = try book.refuse("films")
        #expect(try book.refusal(of: row)?.body == Data("gone".utf8))
        #expect(try book.refusal(of: row)?.response.status == 410)
        let ofNoSession = try book.refuse(nil)
        #expect(try book.refusal(of: ofNoSession) == nil)
        let other = try book.refuse("songs")
        try book.store.write { transaction in
            let last = try transaction.events.last()
            let before = Acknowledgement(session: "films", event: 1)
            try transaction.sessions.acknowledge(before, at: noon)
            #expect(try transaction.errorResponses.find(row.id) != nil)
            let acknowledgement = Acknowledgement(session: "films", event: last)
            try transaction.sessions.acknowledge(acknowledgement, at: noon)
        }
        #expect(try book.refusal(of: row) == nil)
        #expect(try book.refusal(of: other) != nil)
        try book.store.write { try $0.downloads.delete(other.id) }
        #expect(try book.refusal(of: other) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `the newest responses of servers are kept`(kind: StoreKind) async throws {
        let book = try await Book(kind)
        let first = try book.refuse("films")
        let second = try book.refuse("films")
        _ = try book.refuse("films", count: ErrorResponseTable.mostKept - 1)
        #expect(try book.refusal(of: first) == nil)
        #expect(try book.refusal(of: second) != nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `changed settings are an event without a download`(kind: StoreKind) async throws {
        let book = try await Book(kind)
        var settings = DaemonSettings()
        settings.limitBytesPerSecond = 7
        try book.store.write { try $0.events.append(settings, at: noon) }
        let event = try #require(try book.events().last)
        #expect(event.kind == .settings)
        #expect(event.download == nil)
        #expect(event.settings == settings)
        let json = String(decoding: try WireJSON.encode(event), as: UTF8.self)
        #expect(!json.contains("download\""))
    }

    @Test(arguments: StoreKind.allCases)
    func `a session's limits stay until it sets others`(kind: StoreKind) async throws {
        let book = try await Book(kind)
        var registration = SessionRegistration(identifier: "films")
        registration.maximumConcurrentDownloads = 2
        try book.store.write { transaction in
            try transaction.sessions.register(registration, at: noon)
            try transaction.sessions.register(SessionRegistration(identifier: "films"), at: noon)
        }
        var limits = SessionTable.Limits(concurrentDownloads: 2)
        #expect(try book.store.write { try $0.sessions.limits() } == ["films": limits])
        registration.limitBytesPerSecond = 5000
        try book.store.write { try $0.sessions.register(registration, at: noon) }
        limits.bytesPerSecond = 5000
        #expect(try book.store.write { try $0.sessions.limits() } == ["films": limits])
        #expect(try book.store.write { try $0.sessions.find("films") }.limitBytesPerSecond == 5000)
        registration.limitBytesPerSecond = 0
        try book.store.write { try $0.sessions.register(registration, at: noon) }
        limits.bytesPerSecond = nil
        #expect(try book.store.write { try $0.sessions.limits() } == ["films": limits])
        for wrong in [(0, 1), (2, -1)] as [(Int, Int64)] {
            (registration.maximumConcurrentDownloads, registration.limitBytesPerSecond) = wrong
            #expect(throws: DownloadError.self) { try registration.check() }
        }
    }
}

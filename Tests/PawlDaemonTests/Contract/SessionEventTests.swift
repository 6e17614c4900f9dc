import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// What is stored for sessions, and for how long.
@Suite(.timeLimit(.minutes(5)))
struct SessionEventTests {
    private let scene: StoreScene
    private let noon = StoreScene.noon

    init() throws {
        scene = try StoreScene()
        try scene.store.write { transaction in
            try transaction.sessions.register(SessionRegistration(identifier: "films"), at: noon)
        }
    }

    private func add(_ session: String?, ended: Bool = false) throws -> WireDownload {
        try scene.store.write { transaction in
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

    private func events() throws -> [WireEvent] {
        try scene.store.write { try $0.events.list(after: 0, limit: 1000) }
    }

    @Test func `unacknowledged events survive pruning while their session is in use`() throws {
        _ = try add("films")
        _ = try add(nil)
        try scene.store.write { try $0.events.prune(keeping: 0, seenSince: noon) }
        #expect(try events().map(\.session) == ["films"])
        let later = noon.addingTimeInterval(1)
        try scene.store.write { try $0.events.prune(keeping: 0, seenSince: later) }
        #expect(try events().isEmpty)
    }

    @Test func `the store records which events were pruned`() throws {
        let own = try add("films")
        _ = try add(nil)
        try scene.store.write { transaction in
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

    @Test func `a process that returns keeps its events`() throws {
        _ = try add("films")
        let later = noon.addingTimeInterval(1)
        try scene.store.write { transaction in
            try transaction.sessions.register(SessionRegistration(identifier: "films"), at: later)
            try transaction.events.prune(keeping: 0, seenSince: later)
        }
        #expect(try events().count == 1)
    }

    @Test func `the number of unacknowledged events is limited`() throws {
        for _ in 0..<5 { _ = try add("films") }
        try scene.store.write { try $0.events.prune(keeping: 0, seenSince: noon, most: 2) }
        #expect(try events().count == 2)
    }

    private func removal(of row: WireDownload) throws -> WireEvent? {
        try scene.store.write { transaction in
            guard let row = try transaction.downloads.find(row.id) else { return }
            try transaction.downloads.delete(row.id)
            try transaction.events.append(.removed, row, at: noon)
        }
        return try events().last
    }

    @Test func `a removal includes the download if its session has not seen its end`() throws {
        let open = try add("films")
        #expect(try removal(of: open)?.removed?.id == open.id)
        let ended = try add("films", ended: true)
        #expect(try removal(of: ended)?.removed?.state == .finished)
        let heard = try add("films", ended: true)
        try scene.store.write { transaction in
            let last = try transaction.events.last()
            let acknowledgement = Acknowledgement(session: "films", event: last)
            try transaction.sessions.acknowledge(acknowledgement, at: noon)
        }
        #expect(try removal(of: heard)?.removed == nil)
        let others = try add("songs")
        #expect(try removal(of: others)?.removed == nil)
    }

    private func refuse(_ session: String?, count: Int = 1) throws -> WireDownload {
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
            try scene.store.write { transaction in
                let event = try transaction.events.append(.failed, row, at: noon)
                try transaction.errorResponses.keep(refusal, of: row, at: event)
            }
        }
        return row
    }

    private func refusal(of row: WireDownload) throws -> WireErrorResponse? {
        try scene.store.write { try $0.errorResponses.find(row.id) }
    }

    @Test func `a server's response is kept until its session has acknowledged the failure`()
        throws
    {
        let row = try refuse("films")
        #expect(try refusal(of: row)?.body == Data("gone".utf8))
        #expect(try refusal(of: row)?.response.status == 410)
        #expect(try refusal(of: refuse(nil)) == nil)
        let other = try refuse("songs")
        try scene.store.write { transaction in
            let last = try transaction.events.last()
            let before = Acknowledgement(session: "films", event: 1)
            try transaction.sessions.acknowledge(before, at: noon)
            #expect(try transaction.errorResponses.find(row.id) != nil)
            let acknowledgement = Acknowledgement(session: "films", event: last)
            try transaction.sessions.acknowledge(acknowledgement, at: noon)
        }
        #expect(try refusal(of: row) == nil)
        #expect(try refusal(of: other) != nil)
        try scene.store.write { try $0.downloads.delete(other.id) }
        #expect(try refusal(of: other) == nil)
    }

    @Test func `the newest responses of servers are kept`() throws {
        let first = try refuse("films")
        let second = try refuse("films")
        _ = try refuse("films", count: ErrorResponseTable.mostKept - 1)
        #expect(try refusal(of: first) == nil)
        #expect(try refusal(of: second) != nil)
    }

    @Test func `changed settings are an event without a download`() throws {
        var settings = DaemonSettings()
        settings.limitBytesPerSecond = 7
        try scene.store.write { try $0.events.append(settings, at: noon) }
        let event = try #require(try events().last)
        #expect(event.kind == .settings)
        #expect(event.download == nil)
        #expect(event.settings == settings)
        let json = String(decoding: try WireJSON.encode(event), as: UTF8.self)
        #expect(!json.contains("download\""))
    }

    @Test func `a session's limits stay until it sets others`() throws {
        var registration = SessionRegistration(identifier: "films")
        registration.maximumConcurrentDownloads = 2
        try scene.store.write { transaction in
            try transaction.sessions.register(registration, at: noon)
            try transaction.sessions.register(SessionRegistration(identifier: "films"), at: noon)
        }
        var limits = SessionTable.Limits(concurrentDownloads: 2)
        #expect(try scene.store.write { try $0.sessions.limits() } == ["films": limits])
        registration.limitBytesPerSecond = 5000
        try scene.store.write { try $0.sessions.register(registration, at: noon) }
        limits.bytesPerSecond = 5000
        #expect(try scene.store.write { try $0.sessions.limits() } == ["films": limits])
        #expect(try scene.store.write { try $0.sessions.find("films") }.limitBytesPerSecond == 5000)
        registration.limitBytesPerSecond = 0
        try scene.store.write { try $0.sessions.register(registration, at: noon) }
        limits.bytesPerSecond = nil
        #expect(try scene.store.write { try $0.sessions.limits() } == ["films": limits])
        for wrong in [(0, 1), (2, -1)] as [(Int, Int64)] {
            (registration.maximumConcurrentDownloads, registration.limitBytesPerSecond) = wrong
            #expect(throws: DownloadError.self) { try registration.check() }
        }
    }
}

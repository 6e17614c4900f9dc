import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// What holds for the store in each database.
@Suite(.timeLimit(.minutes(5)))
struct StoreContractTests {
    @Test(arguments: StoreKind.allCases)
    func `a reopened store contains what was written`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let id = try scene.add()
        try scene.put(id, into: .paused, .paused)
        let before = try await StoreScene.contents(scene.store)
        let again = try scene.reopened()
        #expect(try await StoreScene.contents(again) == before)
        #expect(before.downloads.map(\.state) == [.paused])
        #expect(before.events.map(\.kind) == [.added, .paused])
    }

    @Test(arguments: StoreKind.allCases)
    func `a change and its event are stored together or not at all`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let id = try scene.add()
        let before = try await StoreScene.contents(scene.store)
        struct Stop: Error {}
        #expect(throws: DownloadError.self) {
            try scene.store.write { transaction in
                guard var row = try transaction.downloads.find(id) else { return }
                row.state = .finished
                try transaction.downloads.save(row)
                try transaction.events.append(.finished, row, at: ContractScene.noon)
                throw Stop()
            }
        }
        #expect(try await StoreScene.contents(scene.store) == before)
    }

    @Test(arguments: StoreKind.allCases)
    func `ids of downloads and events are never reused`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let first = try scene.add()
        let last = try await scene.store.read { try $0.events.last() }
        try scene.store.write { transaction in
            try transaction.downloads.delete(first)
            try transaction.events.prune(keeping: 0)
        }
        #expect(try await scene.store.read { try $0.events.last() } == last)
        #expect(try scene.add() > first)
        let events = try await scene.store.read { try $0.events.list(after: 0, limit: 9) }
        #expect(events.map(\.id) == [last + 1])
    }

    @Test(arguments: StoreKind.allCases)
    func `the unfinished downloads are read part by part`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let ids = try (0..<5).map { _ in try scene.add() }
        try scene.store.write { transaction in
            guard var row = try transaction.downloads.find(ids[1]) else { return }
            (row.state, row.endedAt) = (.finished, ContractScene.noon)
            try transaction.downloads.save(row)
        }
        let pages = try await scene.store.read { transaction in
            try [.min, ids[2], ids[4]].map { id in
                try transaction.downloads.unfinished(after: id, limit: 2).map(\.id)
            }
        }
        #expect(pages == [[ids[0], ids[2]], [ids[3], ids[4]], []])
    }

    @Test(arguments: StoreKind.allCases)
    func `a download whose starts never end becomes a suspect`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let (first, second) = (try scene.add(), try scene.add())
        let suspects = try scene.store.write { transaction in
            for _ in 0..<3 {
                try transaction.attempts.countStart(of: first)
                try transaction.attempts.countStart(of: second)
            }
            try transaction.attempts.forgetStarts(of: second)
            return try transaction.attempts.suspects(starts: 3)
        }
        #expect(suspects == [first])
    }

    @Test(arguments: StoreKind.allCases)
    func `a read sees one state, and what was written before it`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let id = try scene.add()
        let (before, after) = try scene.store.readBlocking { transaction in
            let before = try transaction.downloads.find(id)?.state
            try scene.put(id, into: .paused, .paused)
            return (before, try transaction.downloads.find(id)?.state)
        }
        #expect(before == .waiting)
        #expect(after == .waiting)
        #expect(try await scene.store.read { try $0.downloads.find(id) }?.state == .paused)
    }

    @Test(arguments: StoreKind.allCases)
    func `downloads are counted by their states`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        for name in ["a", "b", "c", "d"] { try scene.add(name) }
        try scene.put(1, into: .finished, .finished)
        try scene.put(2, into: .finished, .finished)
        try scene.put(2, into: .waiting, .changed)
        try scene.store.write { try $0.downloads.delete(3) }
        let counts = try await scene.store.read { try $0.downloads.counts() }
        #expect(counts == ["finished": 1, "waiting": 2])
        try scene.store.write { try $0.downloads.delete(1) }
        #expect(try await scene.store.read { try $0.downloads.counts() } == ["waiting": 2])
    }

    @Test(arguments: StoreKind.allCases)
    func `texts and bytes are stored as they are`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let name = "it's \\ \"a\" ? $1 \u{e4}\u{1f600}\u{7}"
        let body = (0...255).map { UInt8($0) }
        let id = try scene.store.write { transaction in
            var row = WireDownload(
                id: 0,
                state: .waiting,
                name: name,
                url: "https://host/",
                createdAt: ContractScene.noon
            )
            row.id = try transaction.downloads.insert(row, request: .init(body: body))
            try transaction.events.append(.added, row, at: ContractScene.noon)
            return row.id
        }
        let (found, request, events) = try await scene.store.read { transaction in
            (
                try transaction.downloads.find(id), try transaction.requests.request(of: id),
                try transaction.events.list(after: 0, limit: 9)
            )
        }
        #expect(found?.name == name)
        #expect(found?.createdAt == ContractScene.noon)
        #expect(request == body)
        #expect(events.map(\.name) == [name])
    }

    @Test(arguments: StoreKind.allCases)
    func `writes from several threads come one after the other`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let id = try scene.add()
        let store = scene.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { try store.write { try $0.attempts.countStart(of: id) } }
            }
            try await group.waitForAll()
        }
        let suspects = try await store.read { transaction in
            try [8, 9].map { try transaction.attempts.suspects(starts: $0) }
        }
        #expect(suspects == [[id], []])
    }

    @Test(arguments: StoreKind.allCases)
    func `the time of a transaction does not change`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let (before, times) = try scene.store.write { ($0.now, [$0.now, $0.now]) }
        #expect(times == [before, before])
        #expect(abs(before.timeIntervalSinceNow) < 3600)
    }
}

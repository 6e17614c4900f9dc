import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlWire
import Testing

/// Which ended downloads the list does not keep.
@Suite(.timeLimit(.minutes(5)))
struct HistoryTests {
    /// Five finished downloads, one per day, of which the last ended at this time.
    private let end = Date(timeIntervalSince1970: 1_000_000_000)

    private func scene(_ kind: StoreKind) async throws -> ContractScene {
        let scene = try await ContractScene(kind)
        for name in ["a", "b", "c", "d", "e", "waiting"] { try scene.add(name) }
        try scene.store.write { transaction in
            for id: Int64 in 1...5 {
                guard var row = try transaction.downloads.find(id) else { continue }
                row.state = id == 2 ? .failed : .finished
                row.endedAt = end.addingTimeInterval(Double(id - 5) * 86_400)
                try transaction.downloads.save(row)
            }
        }
        return scene
    }

    private func expired(
        _ scene: ContractScene,
        keeping count: Int,
        days: Double,
        limit: Int = 100
    ) async throws -> [Int64] {
        try await scene.store.read { transaction in
            try transaction.downloads.expired(
                keeping: count,
                endedSince: end.addingTimeInterval(-days * 86_400),
                limit: limit
            ).map(\.id)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the newest are kept, up to their number and their age`(kind: StoreKind) async throws {
        let scene = try await scene(kind)
        #expect(try await expired(scene, keeping: 10, days: 10) == [])
        #expect(try await expired(scene, keeping: 5, days: 10) == [])
        #expect(try await expired(scene, keeping: 3, days: 10) == [1, 2])
        #expect(try await expired(scene, keeping: 10, days: 2) == [1, 2])
        #expect(try await expired(scene, keeping: 4, days: 1.5) == [1, 2, 3])
        #expect(try await expired(scene, keeping: 0, days: 10) == [1, 2, 3, 4, 5])
        #expect(try await expired(scene, keeping: 0, days: 10, limit: 2) == [1, 2])
        let old = try await scene.store.read { transaction in
            try transaction.downloads.expired(
                keeping: 0,
                endedSince: end,
                endedBefore: end.addingTimeInterval(-86_400),
                limit: 100
            ).map(\.id)
        }
        #expect(old == [1, 2, 3])
    }

    @Test(arguments: StoreKind.allCases)
    func `downloads that ended at the same time count one by one`(kind: StoreKind) async throws {
        let scene = try await scene(kind)
        try scene.store.write { transaction in
            for id: Int64 in 1...5 {
                guard var row = try transaction.downloads.find(id) else { continue }
                row.endedAt = end
                try transaction.downloads.save(row)
            }
        }
        #expect(try await expired(scene, keeping: 3, days: 10) == [1, 2])
    }

    @Test(arguments: StoreKind.allCases)
    func `an end that its session has not acknowledged is kept`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        try scene.store.write { transaction in
            try transaction.sessions.register(SessionRegistration(identifier: "app"), at: end)
            for session in ["app", nil] {
                var row = WireDownload(
                    id: 0,
                    state: .finished,
                    name: "a",
                    url: "https://host/a",
                    createdAt: end
                )
                (row.destination, row.session, row.endedAt) = ("/nowhere/", session, end)
                row.id = try transaction.downloads.insert(
                    row,
                    request: .init(body: Array("{}".utf8))
                )
                try transaction.downloads.save(row)
                try transaction.events.append(.finished, row, at: end)
            }
        }
        #expect(try await expired(scene, keeping: 0, days: 1) == [2])
        let last = try await scene.store.read { try $0.events.last() }
        try scene.store.write { transaction in
            try transaction.sessions.acknowledge(
                Acknowledgement(session: "app", event: last),
                at: end
            )
        }
        #expect(try await expired(scene, keeping: 0, days: 1) == [1, 2])
    }
}

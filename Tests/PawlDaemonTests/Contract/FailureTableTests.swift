import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FailureTableTests {
    private func fail(_ id: Int64, _ error: DownloadError?, in scene: ContractScene) throws {
        try scene.store.write { transaction in
            var row = try #require(try transaction.downloads.find(id))
            row.state = .failed
            row.endedAt = ContractScene.noon
            row.problem = error.map { Problem($0) }
            try transaction.downloads.save(row)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `failures come in pages by the IDs of the downloads`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        for name in ["a", "b", "c", "d", "e"] { try scene.add(name) }
        try fail(2, DownloadError(.notFound, "gone"), in: scene)
        try fail(4, DownloadError(.network, "no route"), in: scene)
        // A newer version may have written a problem that this one cannot read.
        try fail(5, nil, in: scene)
        try scene.put(3, into: .finished, .finished)
        func page(_ after: Int64) async throws -> [FailureTable.Failure] {
            try await scene.store.read { try $0.failures.page(after: after, limit: 2) }
        }
        #expect(
            try await page(0) == [
                .init(download: 2, kind: .notFound, host: "host", title: "gone"),
                .init(download: 4, kind: .network, host: "host", title: "no route"),
            ]
        )
        let rest = try await page(4)
        #expect(rest == [.init(download: 5, kind: .unknown, host: "host", title: "")])
        #expect(try await page(5) == [])
    }
}

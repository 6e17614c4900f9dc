import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DownloadHostsTests {
    private func add(
        _ url: String,
        _ count: Int,
        _ state: TaskState = .waiting,
        to scene: ContractScene
    ) throws {
        for number in 0..<count {
            let id = try scene.add("\(number)")
            try scene.store.write { transaction in
                var row = try #require(try transaction.downloads.find(id))
                row.url = "\(url)/\(number)"
                row.state = state
                row.endedAt = state.isEnd ? ContractScene.noon : nil
                try transaction.downloads.save(row)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `unfinished downloads are counted by host, and the rest together`(kind: StoreKind)
        async throws
    {
        let scene = try await ContractScene(kind)
        try add("https://a.example", 2, to: scene)
        try add("https://B.example", 3, to: scene)
        try add("https://b.example:8080", 1, .paused, to: scene)
        try add("https://c.example", 1, to: scene)
        try add("https://a.example", 4, .finished, to: scene)
        func counts(_ rows: Int, _ hosts: Int) async throws -> [WireHostQueue] {
            try await scene.store.read { transaction in
                try transaction.hosts.counts(
                    readingAtMost: rows,
                    hosts: hosts,
                    of: try transaction.downloads.counts()
                )
            }
        }
        let all = try await counts(100, 10)
        #expect(
            all == [
                WireHostQueue("b.example", counts: ["waiting": 3, "paused": 1]),
                WireHostQueue("a.example", counts: ["waiting": 2]),
                WireHostQueue("c.example", counts: ["waiting": 1]),
            ]
        )
        let one = try await counts(100, 1)
        #expect(one == [all[0], WireHostQueue(nil, counts: ["waiting": 3])])
        // Only the first two are looked at.
        let few = try await counts(2, 10)
        #expect(few == [all[1], WireHostQueue(nil, counts: ["waiting": 4, "paused": 1])])
    }
}

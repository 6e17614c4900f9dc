import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// The ids of downloads that several daemons add at the same time.
@Suite(.timeLimit(.minutes(5)))
struct NewDownloadTests {
    @Test func `what is added at once has ids without a gap`() async throws {
        let queue = try await PostgresQueue()
        let added = try await withThrowingTaskGroup(of: [[Int64]].self) { group in
            for node in 1...4 {
                let store = try PostgresStore(queue.address)
                group.addTask {
                    defer { try? store.close() }
                    return try (1...20).map { try Self.add($0 * node, to: store) }
                }
            }
            var all: [[Int64]] = []
            for try await some in group { all += some }
            return all
        }
        for ids in added {
            let first = try #require(ids.first)
            let end = first + Int64(ids.count)
            #expect(ids == Array(first..<end))
        }
        let all = added.flatMap(\.self)
        #expect(Set(all).count == all.count)
    }

    private static func add(_ count: Int, to store: PostgresStore) throws -> [Int64] {
        let row = WireDownload(
            id: 0,
            state: .waiting,
            name: "a",
            url: "https://host/a",
            createdAt: ContractScene.noon
        )
        return try store.write { transaction in
            try transaction.downloads.insert(
                Array(repeating: (row, RequestTable.Entry(body: [])), count: count)
            )
        }
    }
}

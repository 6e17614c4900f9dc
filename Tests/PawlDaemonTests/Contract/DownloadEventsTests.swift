import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DownloadEventsTests {
    @Test(arguments: StoreKind.allCases)
    func `the events of one download are listed in order, newest last`(kind: StoreKind) async throws
    {
        let scene = try await ContractScene(kind)
        let ids = try ["a", "b"].map { try scene.add($0) }
        for id in ids {
            try scene.put(id, into: .running, .started)
            try scene.put(id, into: .finished, .finished)
        }
        try scene.store.write { try $0.events.append(DaemonSettings(), at: ContractScene.noon) }
        let (own, newest, none) = try await scene.store.read { transaction in
            (
                try transaction.events.list(ofDownload: ids[1], limit: 10),
                try transaction.events.list(ofDownload: ids[1], limit: 2),
                // Events of no download have no number.
                try transaction.events.list(ofDownload: 0, limit: 10)
            )
        }
        #expect(own.events.map(\.kind) == [.added, .started, .finished])
        #expect(own.events.allSatisfy { $0.name == "b" })
        #expect(own.next == nil)
        #expect(newest.events == own.events.suffix(2))
        #expect(none.events.isEmpty)
        let rest = try await scene.store.read { transaction in
            try transaction.events.list(ofDownload: ids[1], before: newest.next, limit: 2)
        }
        #expect(rest == WireEvents([own.events[0]]))
    }

    @Test(arguments: StoreKind.allCases)
    func `a range of the queue contains active downloads of one priority`(kind: StoreKind)
        async throws
    {
        let scene = try await ContractScene(kind)
        for (index, name) in ["a", "b", "c", "d"].enumerated() {
            let id = try scene.add(name)
            try scene.store.write { transaction in
                guard var row = try transaction.downloads.find(id) else { return }
                row.position = Int64(10 - index)
                row.priority = name == "b" ? .high : .normal
                try transaction.downloads.save(row)
            }
        }
        try scene.put(3, into: .finished, .finished)
        let names = try await scene.store.read { transaction in
            guard let first = try transaction.downloads.find(1),
                let last = try transaction.downloads.find(4)
            else { return [String]() }
            return try transaction.downloads.queue(.normal, from: first, to: last).map(\.name)
        }
        #expect(names == ["d", "a"])
    }
}

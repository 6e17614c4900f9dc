import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlPostgres
import PawlTesting
import PawlWire
import Testing

/// Which downloads a node takes, and what happens with those of a node that ends.
@Suite(.timeLimit(.minutes(5)))
struct OwnershipTests {
    @Test func `no two nodes take one download, and the order is that of the queue`() async throws {
        let scene = try await FleetScene()
        let ids = try (1...6).map { number in
            try scene.add("\(number)") { $0.position = Int64(number) }
        }
        let urgent = try scene.add("7") { ($0.position, $0.priority) = (7, .high) }
        let mine = try scene.take(3, as: scene.first)
        #expect(mine.map(\.row.id) == [urgent] + ids.prefix(2))
        let theirs = try scene.take(10, as: scene.second)
        #expect(theirs.map(\.row.id) == Array(ids.dropFirst(2)))
        #expect(Set((mine + theirs).map(\.ownership.epoch)).count == 7)
        let owner = try scene.store.write { try $0.ownership.node(of: urgent) }
        #expect(owner == scene.first)
    }

    @Test func `connections that take at the same time never take one row`() async throws {
        let scene = try await FleetScene()
        let ids = try (1...100).map { try scene.add("\($0)") }
        let stores = try ["a", "b", "c"].map { name in
            let store = try PostgresStore(scene.queue.address)
            try store.join(as: FleetNode.Identity(name: name, machine: name, version: "1"))
            return store
        }
        let taken = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for store in stores { group.addTask { try Self.takeAll(from: store) } }
            var all: [Int64] = []
            for try await some in group { all += some }
            return all
        }
        #expect(taken.sorted() == ids)
        for store in stores { try store.close() }
    }

    /// Takes a few downloads at a time until there are none.
    private static func takeAll(from store: PostgresStore) throws -> [Int64] {
        var all: [Int64] = []
        while true {
            let some = try store.write { try $0.ownership.take(3, known: all) }
            guard !some.isEmpty else { return all }
            all += some.map(\.row.id)
        }
    }

    @Test func `rows that a transaction has locked are left to it`() async throws {
        let scene = try await FleetScene()
        let (first, second) = (try scene.add("a"), try scene.add("b"))
        let session = try scene.queue.connect()
        try session.send("BEGIN")
        _ = try session.query(
            "SELECT id FROM download WHERE id = $1 FOR UPDATE",
            [.integer(first)],
            within: .seconds(10)
        ).wait()
        #expect(try scene.take(10, as: scene.first).map(\.row.id) == [second])
        _ = try session.query("ROLLBACK", within: .seconds(10)).wait()
        #expect(try scene.take(10, as: scene.second).map(\.row.id) == [first])
        session.close()
    }

    @Test func `only its home takes a download that becomes a file`() async throws {
        let scene = try await FleetScene()
        let file = try scene.add("file", home: scene.first)
        let object = try scene.add("object")
        #expect(try scene.take(10, as: scene.second).map(\.row.id) == [object])
        #expect(try scene.take(10, as: scene.first).map(\.row.id) == [file])
    }

    @Test func `a download with a date, or in a session at its maximum, is not taken`() async throws
    {
        let scene = try await FleetScene()
        try scene.store.write { transaction in
            var session = SessionRegistration(identifier: "s")
            session.maximumConcurrentDownloads = 2
            try transaction.sessions.register(session, by: .user, at: transaction.now)
        }
        let early = try scene.add("early") { $0.notBefore = .distantPast }
        try scene.add("late") { $0.notBefore = .distantFuture }
        let ofSession = try (1...4).map { number in
            try scene.add("\(number)") { ($0.session, $0.position) = ("s", Int64(number)) }
        }
        let last = try scene.add("last") { $0.position = 9 }
        let taken = try scene.take(4, as: scene.first).map(\.row.id)
        #expect(taken == [early] + ofSession.prefix(2) + [last])
        #expect(try scene.take(4, as: scene.second).isEmpty)
        try scene.write(as: scene.first) { try $0.ownership.giveBack([ofSession[0]]) }
        #expect(try scene.take(4, as: scene.second).map(\.row.id) == [ofSession[0]])
    }

    @Test func `what a node has without knowing is taken again with a new epoch`() async throws {
        let scene = try await FleetScene()
        let (known, lost) = (try scene.add("known"), try scene.add("lost"))
        let paused = try scene.add("paused")
        let taken = try scene.take(3, as: scene.first)
        try scene.write(as: scene.first) { transaction in
            for (id, state) in [(lost, TaskState.running), (paused, .paused)] {
                var row = try #require(try transaction.downloads.find(id))
                row.state = state
                try transaction.downloads.save(row)
            }
        }
        let again = try scene.take(0, as: scene.first, known: [known])
        #expect(again.map(\.row.id) == [lost])
        #expect(again.first?.row.state == .waiting)
        #expect(again.first?.wasRunning == true)
        let before = taken.first { $0.row.id == lost }?.ownership.epoch ?? 0
        #expect(again.first.map { $0.ownership.epoch > before } == true)
        #expect(try scene.store.write { try $0.ownership.node(of: paused) } == nil)
    }

    // MARK: - The fence

    @Test func `an old epoch is stale, and a download that was removed is not`() async throws {
        let scene = try await FleetScene()
        let (id, removed) = (try scene.add("a"), try scene.add("b"))
        let taken = try scene.take(2, as: scene.first).map(\.ownership)
        try scene.store.write { transaction in
            #expect(try transaction.ownership.check(taken).isEmpty)
            for ownership in taken { try transaction.ownership.require(ownership) }
            try transaction.ownership.giveBack([id])
            try transaction.downloads.delete(removed)
        }
        try scene.store.write { transaction in
            #expect(try transaction.ownership.check(taken) == [id])
            for ownership in taken where ownership.download == id {
                #expect(throws: StaleOwnership(id)) {
                    try transaction.ownership.require(ownership)
                }
            }
            for ownership in taken where ownership.download == removed {
                try transaction.ownership.require(ownership)
            }
        }
    }

    @Test func `with a file as the queue, everything belongs to its daemon`() async throws {
        let scene = try await ContractScene(.sqlite)
        let id = try scene.add()
        try scene.store.write { transaction in
            let ownership = Ownership(download: id, epoch: 9)
            #expect(try transaction.ownership.check([ownership]).isEmpty)
            try transaction.ownership.require(ownership)
            try transaction.ownership.giveBack([id])
            #expect(try transaction.ownership.take(9, known: []).isEmpty)
            #expect(try transaction.ownership.node(of: id) == nil)
            #expect(try transaction.nodes.list().isEmpty)
        }
    }

    // MARK: - Ends of nodes

    @Test func `the downloads of a lost node are taken by another, those that ran first`()
        async throws
    {
        let scene = try await FleetScene()
        let (waiting, ran) = (try scene.add("waiting"), try scene.add("ran"))
        let taken = try scene.take(2, as: scene.first).map(\.ownership)
        try scene.write(as: scene.first) { transaction in
            var row = try #require(try transaction.downloads.find(ran))
            row.state = .running
            try transaction.downloads.save(row)
            for _ in 1...OwnershipTable.suspectStarts {
                try transaction.attempts.countStart(of: waiting)
            }
        }
        #expect(try scene.take(2, as: scene.second).isEmpty)
        try await scene.queue.run("UPDATE node SET state = 'lost' WHERE id = \(scene.first.id)")
        #expect(try scene.take(2, as: scene.first).isEmpty)
        #expect(try scene.store.write { try $0.nodes.releaseLost() })
        #expect(try !scene.store.write { try $0.nodes.releaseLost() })
        let others = try scene.take(2, as: scene.second)
        #expect(others.map(\.row.id) == [ran, waiting])
        #expect(others.map(\.wasRunning) == [true, false])
        #expect(others.map(\.isSuspect) == [false, true])
        #expect(try scene.store.write { try $0.ownership.check(taken) } == [waiting, ran])
    }

    @Test func `a node that ends in order gives everything back at once`() async throws {
        let scene = try await FleetScene()
        let id = try scene.add("a")
        _ = try scene.take(1, as: scene.first)
        try scene.store.write { try $0.nodes.gone(scene.first.id) }
        #expect(try scene.take(1, as: scene.second).map(\.row.id) == [id])
        #expect(try scene.take(1, as: scene.first).isEmpty)
        #expect(try scene.store.write { try $0.nodes.list() }.map(\.state) == [.gone, .alive])
    }

    @Test func `a removed download keeps its home and its node, unless this is lost`() async throws
    {
        let scene = try await FleetScene()
        let (kept, other) = (try scene.add("kept", home: scene.first), try scene.add("other"))
        let taken = try scene.take(2, as: scene.first).map(\.ownership)
        func removeAndRestore() throws {
            try scene.write(as: scene.second) { transaction in
                for id in [kept, other] {
                    try transaction.removed.keep(id, removal: 1, by: .user, at: transaction.now)
                    try transaction.downloads.delete(id)
                }
            }
        }
        try removeAndRestore()
        try scene.store.write { transaction in
            for id in [kept, other] { _ = try transaction.removed.restore(id) }
            #expect(try transaction.ownership.check(taken).isEmpty)
        }
        try removeAndRestore()
        try scene.store.write { try $0.nodes.gone(scene.first.id) }
        try scene.store.write { transaction in
            for id in [kept, other] { _ = try transaction.removed.restore(id) }
            #expect(try transaction.ownership.check(taken) == [kept, other])
        }
        #expect(try scene.take(2, as: scene.second).map(\.row.id) == [other])
    }

    @Test func `operations on files belong to the home of the download`() async throws {
        let scene = try await FleetScene()
        let id = try scene.add("a", home: scene.first)
        func operations(_ node: StoreNode) throws -> [Int64] {
            try scene.write(as: node) {
                try $0.intentions.page(limit: 10).intentions.map(\.download)
            }
        }
        try scene.write(as: scene.second) { transaction in
            for download in [id, id + 1] {
                _ = try transaction.intentions.add(.remove(Removal()), for: download, root: nil)
            }
        }
        #expect(try operations(scene.first) == [id])
        #expect(try operations(scene.second) == [id + 1])
    }
}

import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlWire
import Testing

/// Downloads that are added together, and the records of imported lists.
@Suite(.timeLimit(.minutes(5)))
struct ImportContractTests {
    /// A download with values of all kinds, which COPY writes in another form than a statement.
    private func download(_ number: Int) -> WireDownload {
        var row = WireDownload(
            id: 0,
            state: number.isMultiple(of: 2) ? .waiting : .paused,
            name: "tab\t \(number) \\N back\\slash ünïcode 🦆",
            url: "https://host/\(number)",
            createdAt: ContractScene.noon
        )
        row.destination = number.isMultiple(of: 3) ? "" : "/new\nline\r/"
        row.position = Int64(number) - 50
        row.owner = number.isMultiple(of: 5) ? .token("tool") : .user
        if number.isMultiple(of: 2) {
            (row.session, row.label) = ("films", "a 'label'")
            row.notBefore = Date(timeIntervalSince1970: 1_900_000_000.5)
            (row.taskIdentifier, row.taskDescription) = (Int64(number), "")
            (row.mirrors, row.limitBytesPerSecond) = (["https://other/"], 1000)
        }
        return row
    }

    private func add(_ numbers: Range<Int>, to store: any QueueStore) throws -> [Int64] {
        try store.write { transaction in
            let new = numbers.map { number in
                (download(number), RequestTable.Entry(body: [0, 0xFF, UInt8(number & 0x7F)]))
            }
            return try transaction.downloads.insert(new)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `many downloads are stored as single ones are`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        // More than a COPY needs.
        let ids = try add(0..<250, to: scene.store)
        #expect(ids == ids.sorted())
        #expect(Set(ids).count == 250)
        try scene.store.write { transaction in
            for (number, id) in ids.enumerated() {
                let single = try transaction.downloads.insert(
                    download(number),
                    request: RequestTable.Entry(body: [0, 0xFF, UInt8(number & 0x7F)])
                )
                #expect(single > ids[249])
                var other = try #require(try transaction.downloads.find(single))
                other.id = id
                #expect(try transaction.downloads.find(id) == other)
                let requests = try [id, single].map { try transaction.requests.request(of: $0) }
                #expect(requests[0] == [0, 0xFF, UInt8(number & 0x7F)])
                #expect(requests[0] == requests[1])
            }
        }
        let counts = try await scene.store.read { try $0.downloads.counts() }
        #expect(counts == ["waiting": 250, "paused": 250])
    }

    @Test(arguments: StoreKind.allCases)
    func `no id is given twice`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let first = try scene.add()
        let ids = try add(0..<200, to: scene.store)
        #expect(ids.allSatisfy { $0 > first })
        try scene.store.write { transaction in
            for id in ids { try transaction.downloads.delete(id) }
        }
        let single = try scene.add("later")
        let more = try add(0..<3, to: scene.store)
        #expect(single > ids[199])
        #expect(more.allSatisfy { $0 > single })
        #expect(try scene.store.write { try $0.downloads.insert([]) }.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a part of a list and the line that it reaches are written together`(kind: StoreKind)
        async throws
    {
        struct Stopped: Error {}
        let scene = try await ContractScene(kind)
        #expect(throws: (any Error).self) {
            try scene.store.write { transaction in
                var entry = try transaction.imports.begin("list", at: transaction.now)
                let new = (0..<150).map { (download($0), RequestTable.Entry(body: [])) }
                _ = try transaction.downloads.insert(new)
                (entry.line, entry.firstLine) = (150, 1)
                try transaction.imports.save(entry, for: "list", at: transaction.now)
                throw Stopped()
            }
        }
        let (counts, entry) = try await scene.store.read { transaction in
            (try transaction.downloads.counts(), try transaction.imports.find("list"))
        }
        #expect(counts.isEmpty)
        #expect(entry == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `the record of a list is kept for a day after its last part`(kind: StoreKind)
        async throws
    {
        let scene = try await ContractScene(kind)
        func save(_ key: String, line: Int64, at time: Date) throws {
            try scene.store.write { transaction in
                var entry = try transaction.imports.begin(key, at: time)
                entry.firstLine = entry.line + 1
                entry.line = line
                (entry.fingerprint, entry.added, entry.refused) = (.min, line - 1, 1)
                try transaction.imports.save(entry, for: key, at: time)
            }
        }
        let noon = ContractScene.noon
        try save("a", line: 10, at: noon)
        try save("b", line: 7, at: noon)
        try save("a", line: 30, at: noon + 80_000)
        var expected = ImportTable.Entry()
        (expected.line, expected.firstLine, expected.fingerprint) = (30, 11, .min)
        (expected.added, expected.refused) = (29, 1)
        #expect(try await scene.store.read { try $0.imports.find("a") } == expected)
        try save("c", line: 1, at: noon + 90_000)
        let store = try scene.reopened()
        let found = try await store.read { transaction in
            try ["a", "b", "c"].map { try transaction.imports.find($0)?.line }
        }
        #expect(found == [30, nil, 1])
        try store.close()
    }
}

import FoundationEssentials
import Glibc
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// A log that is damaged or missing after a kill: SQLite reports no error.
@Suite(.timeLimit(.minutes(5)))
struct LostCommitTests {
    private static let name = StoreScene.name
    private static let marker = StoreScene.name + ".open"

    /// The files that a kill leaves, and what the store contained.
    private struct Remains {
        var folder: ScratchFolder
        var contents: StoreScene.Contents

        var path: String { folder.path(LostCommitTests.name) }

        func flipBit(at offset: Int) throws {
            let name = LostCommitTests.name + "-wal"
            var log = try folder.read(name)
            log[offset] ^= 1 << UInt8(offset % 8)
            try folder.write(name, log)
        }
    }

    /// A store that only its log contains.
    private func remains(of scene: StoreScene) async throws -> Remains {
        let copy = try StoreScene.makeFolder()
        for file in [Self.name, Self.name + "-wal", Self.marker] {
            try copy.write(file, scene.folder.read(file))
        }
        return Remains(folder: copy, contents: try await StoreScene.contents(scene.store))
    }

    private func rebuild(_ remains: Remains, _ store: SQLiteStore) throws -> String? {
        try QueueRebuild(path: remains.path, store: store, identity: "0").run()
    }

    /// SQLite crashes if a log is written with a closed connection.
    @Test func `a store may be closed before its log is written`() throws {
        let folder = try StoreScene.makeFolder()
        let stores = try (0..<50).map { number in
            let path = folder.path("\(number).sqlite")
            return try SQLiteStore(path: path, checkpointDelay: .zero)
        }
        for store in stores { try store.close() }
        // The second connection reads what the first has written before it was closed.
        for number in stores.indices {
            try SQLiteStore(path: folder.path("\(number).sqlite")).close()
        }
    }

    @Test func `a log with one flipped bit is noticed, wherever the bit is`() async throws {
        var random = TestSeed.generator("flipped bits of a log")
        let scene = try StoreScene()
        for number in 0..<8 { try scene.add("file-\(number)") }
        let size = try scene.folder.read(Self.name + "-wal").count
        for round in 0..<12 {
            let remains = try await remains(of: scene)
            let last = try #require(remains.contents.events.last?.id)
            try remains.flipBit(at: round == 0 ? 100 : Int.random(in: 0..<size, using: &random))
            let store = try SQLiteStore(path: remains.path)
            #expect(store.note?.contains("its last changes are missing") == true)
            #expect(remains.folder.exists(Self.name + ".damaged.1"))
            #expect(try remains.folder.read(Self.name + ".damaged.1-wal").count == size)
            let note = try rebuild(remains, store)
            #expect(note?.contains("unknown") == true, "\(note ?? "")")
            // What is left continues under its own id, and no id is used again.
            let rows = try await StoreScene.contents(store).downloads
            #expect(rows.allSatisfy { $0.name == "file-\($0.id - 1)" })
            #expect(try StoreScene.add("new", to: store) == 9)
            #expect(try await store.read { try $0.events.last() } > last)
        }
    }

    @Test func `a missing log is noticed`() async throws {
        let scene = try StoreScene()
        for number in 0..<3 { try scene.add("file-\(number)") }
        let remains = try await remains(of: scene)
        unlink(remains.folder.path(Self.name + "-wal"))
        let store = try SQLiteStore(path: remains.path)
        #expect(store.note?.contains("its last changes are missing: 3") == true)
        _ = try rebuild(remains, store)
        #expect(try StoreScene.add("new", to: store) == 4)
        try store.close()
        let again = try SQLiteStore(path: remains.path)
        #expect(again.note == nil)
        #expect(again.damaged == 1)
    }

    @Test func `an undamaged log is applied, and its commits are counted further`() async throws {
        let scene = try StoreScene()
        try scene.add("file-0")
        var remains = try await remains(of: scene)
        for number in 1..<4 {
            let store = try SQLiteStore(path: remains.path, checkpointDelay: .seconds(3600))
            #expect(store.note == nil)
            #expect(try await StoreScene.contents(store) == remains.contents)
            _ = try StoreScene.add("file-\(number)", to: store)
            remains = try await self.remains(of: StoreScene(remains.folder, store))
        }
        #expect(remains.contents.downloads.count == 4)
    }

    @Test func `a log that the database does not need is removed if it is damaged`() async throws {
        let scene = try StoreScene(checkpointDelay: .zero)
        for number in 0..<5 { try scene.add("file-\(number)") }
        // The number of commits, and that of those which need no log.
        var counts: [Substring] = []
        while counts.count < 2 || counts[0] != counts[1] {
            try Task.checkCancellation()
            await Task.yield()
            counts = try scene.folder.readText(Self.marker).split(separator: " ")
        }
        let size = try scene.folder.read(Self.name + "-wal").count
        for offset in [16, 100, size / 2, size - 1] {
            let remains = try await remains(of: scene)
            try remains.flipBit(at: offset)
            let store = try SQLiteStore(path: remains.path)
            #expect(try await StoreScene.contents(store) == remains.contents)
            #expect(!remains.folder.exists(Self.name + ".damaged.1"))
        }
        let remains = try await remains(of: scene)
        unlink(remains.folder.path(Self.name + "-wal"))
        let store = try SQLiteStore(path: remains.path)
        #expect(store.note == nil)
        #expect(try await StoreScene.contents(store) == remains.contents)
    }

    @Test func `setting a database aside continues after a crash`() async throws {
        let scene = try StoreScene()
        for number in 0..<5 { try scene.add("file-\(number)") }
        let remains = try await remains(of: scene)
        let aside = Self.name + ".damaged.1"
        #expect(rename(remains.folder.path(Self.marker), remains.folder.path(aside + ".open")) == 0)
        let store = try SQLiteStore(path: remains.path)
        #expect(store.damaged == 1)
        #expect(remains.folder.exists(aside + "-wal"))
        let note = try rebuild(remains, store)
        #expect(note?.contains("that continue: 0, downloads paused") == true, "\(note ?? "")")
        #expect(try await StoreScene.contents(store).downloads.map(\.id) == [1, 2, 3, 4, 5])
    }

    @Test func `a store of an earlier version, which counted no commits, is opened`() async throws {
        let scene = try StoreScene()
        try scene.add()
        let remains = try await remains(of: scene)
        try remains.folder.write(Self.marker, [])
        let store = try SQLiteStore(path: remains.path)
        #expect(store.note == nil)
        #expect(try await StoreScene.contents(store) == remains.contents)
    }
}

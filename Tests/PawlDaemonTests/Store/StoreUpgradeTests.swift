import GRDB
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// What the upgrade to the tables of a fleet keeps: numbers that are never given twice, and columns
/// for what was read from JSON.
@Suite(.timeLimit(.minutes(5)))
struct StoreUpgradeTests {
    /// Turns the store into one of the version before, and opens it.
    private func upgraded(_ scene: StoreScene) async throws -> SQLiteStore {
        try scene.store.close()
        let path = scene.folder.path(StoreScene.name)
        let queue = try DatabaseQueue(path: path)
        try await queue.write { database in
            try database.execute(
                sql: """
                    DROP TABLE counter;
                    DROP INDEX writtenByInode;
                    ALTER TABLE written DROP COLUMN inode;
                    ALTER TABLE written DROP COLUMN kind;
                    CREATE INDEX writtenByInode ON written (file ->> '$.stamp.inode');
                    UPDATE removed SET
                        columns = json_set(columns, '$.session', session, '$.owner', owner);
                    ALTER TABLE removed DROP COLUMN session;
                    ALTER TABLE removed DROP COLUMN owner;
                    ALTER TABLE request DROP COLUMN confinedTo;
                    DELETE FROM grdb_migrations
                        WHERE identifier IN ('counters', 'fleet-columns')
                    """
            )
        }
        try queue.close()
        let store = try SQLiteStore(path: path)
        #expect(store.note == nil)
        return store
    }

    @Test func `no number is given twice, even if all rows were deleted`() async throws {
        let scene = try StoreScene()
        let first = try scene.add()
        try scene.put(first, into: .finished, .finished)
        try scene.store.write { transaction in
            try transaction.removed.keep(first, removal: 700, by: .user, at: StoreScene.noon)
            try transaction.downloads.delete(first)
            try transaction.events.prune(keeping: 0)
        }
        let store = try await upgraded(scene)
        #expect(try await store.read { try $0.events.last() } == 2)
        #expect(try StoreScene.add("b", to: store) > first)
        let events = try await store.read { try $0.events.list(after: 0, limit: 9) }
        #expect(events.map(\.id) == [3])
        #expect(try store.write { try $0.removed.nextNumber() } == 701)
        try store.close()
    }

    @Test func `files are found by their numbers, even by one above those of Int64`() async throws {
        let scene = try StoreScene()
        let (own, other) = (try scene.add("a"), try scene.add("b"))
        let stamps = [7, UInt64.max - 7].map { inode in
            FileStamp(device: 1, inode: inode, size: 3, modified: 4)
        }
        try scene.store.write { transaction in
            let files = transaction.writtenFiles
            try files.record(WrittenFile(.partial, at: "/a.part", stamps[0]), of: own)
            try files.record(WrittenFile(.finished, at: "/a", stamps[1]), of: own)
        }
        let store = try await upgraded(scene)
        try store.write { transaction in
            let files = transaction.writtenFiles
            for stamp in stamps {
                #expect(try files.isRecorded(stamp, besides: other))
                #expect(try !files.isRecorded(stamp, besides: own))
            }
            try files.forgetPartialFiles(of: own)
            #expect(try files.files(of: own).map(\.kind) == [.finished])
            // A later record replaces the upgraded one.
            try files.record(WrittenFile(.finished, at: "/c", stamps[1]), of: own)
            #expect(try files.files(of: own).map(\.path) == ["/c"])
        }
        try store.close()
    }

    @Test func `removed downloads keep their owners and their sessions`() async throws {
        let scene = try StoreScene()
        let ids = try scene.store.write { transaction in
            try ["films", "music", nil].map { session in
                var row = WireDownload(
                    id: 0,
                    state: .paused,
                    name: "a",
                    url: "https://host/a",
                    createdAt: StoreScene.noon
                )
                (row.owner, row.session) = (.token("tool"), session)
                row.id = try transaction.downloads.insert(row, request: .init(body: []))
                try transaction.removed.keep(row.id, removal: 1, by: .user, at: StoreScene.noon)
                try transaction.downloads.delete(row.id)
                return row.id
            }
        }
        let store = try await upgraded(scene)
        try store.write { transaction in
            try transaction.sessions.forget("films")
            for id in ids {
                #expect(try transaction.removed.owner(of: id) == .token("tool"))
            }
            let restored = try ids.map { try transaction.removed.restore($0) }
            #expect(restored.map { $0?.session } == [nil, "music", nil])
            #expect(restored.map { $0?.owner } == ids.map { _ in .token("tool") })
        }
        try store.close()
    }

    @Test func `downloads stay confined to their folders`() async throws {
        let scene = try StoreScene()
        let confined = #"{"url":"https://host/a","destination":"/d/","confinedTo":"/d"}"#
        let requests = [confined, "{}", "{", confined]
        let ids = try requests.map { try scene.add("a", secret: $0) }
        let expected = ["/d", nil, nil, "/d"]
        func folders(_ store: SQLiteStore) throws -> [String?] {
            try store.write { transaction in
                try ids.map { try transaction.requests.confiningFolder(of: $0) }
            }
        }
        // The last download has ended.
        try scene.store.write { try $0.requests.forget(ids[3]) }
        #expect(try folders(scene.store) == expected)
        let store = try await upgraded(scene)
        #expect(try folders(store) == expected)
        // A request that was removed and restored keeps its folder, and so does its end.
        try store.write { transaction in
            try transaction.removed.keep(ids[0], removal: 1, by: .user, at: StoreScene.noon)
            try transaction.downloads.delete(ids[0])
            #expect(try transaction.removed.restore(ids[0]) != nil)
        }
        #expect(try folders(store) == expected)
        try store.write { try $0.requests.forget(ids[0]) }
        #expect(try folders(store) == expected)
        try store.close()
    }

    @Test(arguments: [
        "DELETE FROM counter WHERE name = 'event'", "DELETE FROM counter WHERE name = 'removal'",
        "UPDATE counter SET value = 0 WHERE name = 'event'",
    ])
    func `a store that would give a number twice is set aside after a crash`(
        damage: String
    ) async throws {
        let scene = try StoreScene()
        try scene.add()
        try scene.store.close()
        let path = scene.folder.path(StoreScene.name)
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: damage) }
        try queue.close()
        // The state that a kill leaves.
        try scene.folder.write(StoreScene.name + ".open", [])
        let store = try SQLiteStore(path: path)
        #expect(store.note?.contains("its counters are wrong") == true)
        #expect(scene.folder.exists(StoreScene.name + ".damaged.1"))
        try store.close()
    }
}

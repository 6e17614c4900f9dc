import FoundationEssentials
import GRDB
import Glibc
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SQLiteStoreTests {
    @Test func `commits are synced, even after reopening`() throws {
        let scene = try StoreScene()
        #expect(try scene.store.write { try $0.waitsForTheDisk() })
        try scene.store.close()
        let again = try SQLiteStore(path: scene.folder.path(StoreScene.name))
        #expect(try again.write { try $0.waitsForTheDisk() })
    }

    @Test func `a removed download is kept with all of its columns`() async throws {
        let scene = try StoreScene()
        try scene.store.close()
        let queue = try DatabaseQueue(path: scene.folder.path(StoreScene.name))
        let columns = try await queue.read { database in
            try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info('download')")
        }
        #expect(columns.sorted() == DownloadRows.columns.sorted())
    }

    @Test func `a forgotten secret is on no disk`() async throws {
        let scene = try StoreScene()
        let secret = "hunter2-" + String(repeating: "s3cret", count: 300)
        let id = try scene.add(secret: secret)
        for number in 0..<20 { try scene.add("\(number)") }
        try scene.store.write { try $0.requests.forget(id) }
        // A reader is still open when the store is closed.
        #expect(try await scene.store.read { try $0.requests.request(of: id) } == nil)
        try scene.store.close()
        for name in scene.folder.list() {
            let text = String(decoding: try scene.folder.read(name), as: UTF8.self)
            #expect(!text.contains("s3cret"), "\(name)")
        }
    }

    @Test func `only the user can read the store`() throws {
        let scene = try StoreScene()
        try scene.add()
        for name in scene.folder.list() {
            var status = stat()
            #expect(stat(scene.folder.path(name), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
    }

    @Test(arguments: ["no database at all", ""])
    func `an invalid store is set aside, an empty one is filled`(text: String) async throws {
        let folder = try ScratchFolder()
        try folder.write(StoreScene.name, text)
        let store = try SQLiteStore(path: folder.path(StoreScene.name))
        _ = try StoreScene.add("a", to: store)
        #expect(try await StoreScene.contents(store).downloads.count == 1)
        #expect((store.note == nil) == text.isEmpty)
        let aside = StoreScene.name + ".damaged.1"
        #expect(folder.exists(aside) == !text.isEmpty)
        if !text.isEmpty { #expect(try folder.readText(aside) == text) }
    }

    @Test func `a store with damaged pages is set aside, and a new one works`() async throws {
        let scene = try StoreScene()
        for number in 0..<300 { try scene.add("name-\(number)") }
        try scene.store.close()
        var bytes = try scene.folder.read(StoreScene.name)
        var random = TestSeed.generator("damage")
        for index in 4096..<bytes.count where index % 4096 < 200 {
            bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
        try scene.folder.write(StoreScene.name, bytes)
        // The state that a kill leaves.
        try scene.folder.write(StoreScene.name + ".open", [])
        let store = try SQLiteStore(path: scene.folder.path(StoreScene.name))
        #expect(store.note?.contains("damaged") == true)
        #expect(try await StoreScene.contents(store).downloads.isEmpty)
        #expect(try scene.folder.read(StoreScene.name + ".damaged.1").count == bytes.count)
    }

    @Test func `a store of a newer version is left as it is`() async throws {
        let scene = try StoreScene()
        try scene.add()
        try scene.store.close()
        let path = scene.folder.path(StoreScene.name)
        let queue = try DatabaseQueue(path: path)
        try await queue.write { database in
            try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('tomorrow')")
        }
        try queue.close()
        let bytes = try scene.folder.read(StoreScene.name)
        let error = #expect(throws: DownloadError.self) { try SQLiteStore(path: path) }
        #expect(error?.code == .directoryNotUsable)
        #expect(error?.message.contains("newer version") == true)
        #expect(!scene.folder.exists(StoreScene.name + ".open"))
        #expect(try scene.folder.read(StoreScene.name) == bytes)
        #expect(!scene.folder.exists(StoreScene.name + ".damaged.1"))
    }

    /// Turns the store into one of the previous version and returns its path.
    private func age(_ scene: StoreScene, alsoDropping tables: [String]) async throws -> String {
        let path = scene.folder.path(StoreScene.name)
        try scene.store.close()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { database in
            try database.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = 'intentions'")
            for table in tables { try database.execute(sql: "DROP TABLE \(table)") }
            for column in ["wasThere", "retryWait", "outages"] {
                try database.execute(sql: "ALTER TABLE download DROP COLUMN \(column)")
            }
            try database.execute(sql: "ALTER TABLE session DROP COLUMN missedUpTo")
        }
        try queue.close()
        return path
    }

    @Test func `a queue of an earlier version is opened, and a copy of it remains`() async throws {
        let scene = try StoreScene()
        let id = try scene.add()
        let before = try await StoreScene.contents(scene.store)
        let path = try await age(scene, alsoDropping: ["intention", "written"])
        let store = try SQLiteStore(path: path)
        #expect(store.note == nil)
        #expect(try await StoreScene.contents(store) == before)
        #expect(try await store.read { try $0.writtenFiles.files(of: id) }.isEmpty)
        #expect(try store.write { try $0.waitsForTheDisk() })
        let backup = try DatabaseQueue(path: StoreFiles.backup(of: path))
        let names = try await backup.read { database in
            try String.fetchAll(database, sql: "SELECT name FROM download")
        }
        #expect(names == ["disk.iso"])
        #expect(!scene.folder.list().contains { $0.contains("upgrading") })
    }

    @Test func `an upgrade overwrites the files of an earlier one`() async throws {
        let scene = try StoreScene()
        try scene.add()
        let path = try await age(scene, alsoDropping: ["intention", "written"])
        for suffix in ["before-upgrade", "upgrading"] {
            try scene.folder.write("\(StoreScene.name).\(suffix)", "Authorization: s3cret")
            // Another link to the file shows that it was overwritten.
            #expect(link("\(path).\(suffix)", scene.folder.path("copy-\(suffix)")) == 0)
        }
        let store = try SQLiteStore(path: path)
        for suffix in ["before-upgrade", "upgrading"] {
            #expect(try scene.folder.read("copy-\(suffix)").allSatisfy { $0 == 0 })
        }
        #expect(access(StoreFiles.backup(of: path), F_OK) == 0)
        try store.close()
    }

    @Test func `a failed upgrade changes nothing and reports the error`() async throws {
        let scene = try StoreScene()
        try scene.add()
        let path = try await age(scene, alsoDropping: ["written"])
        let bytes = try scene.folder.read(StoreScene.name)
        let error = #expect(throws: DownloadError.self) { try SQLiteStore(path: path) }
        #expect(error?.code == .directoryNotUsable)
        #expect(error?.message.contains("already exists") == true)
        #expect(error?.advice.contains("the queue was not changed") == true)
        #expect(try scene.folder.read(StoreScene.name) == bytes)
        #expect(scene.folder.list().contains(StoreScene.name + ".damaged.1") == false)
        #expect(!scene.folder.list().contains { $0.contains("upgrad") })
    }

    @Test func `locks are always taken in the same order`() throws {
        for (first, second) in [("/run/user/1", "/home/me/state"), ("/a", "/z"), ("/z", "/a")] {
            let surroundings = PlaceSurroundings(
                variables: ["XDG_RUNTIME_DIR": first, "XDG_STATE_HOME": second],
                homeOfUser: nil,
                user: 1
            )
            let folders = Daemon.lockFolders(try DaemonPaths(surroundings))
            #expect(folders == folders.sorted())
            #expect(folders.count == 2)
        }
    }
}

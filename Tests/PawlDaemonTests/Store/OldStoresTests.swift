import FoundationEssentials
import Glibc
import PawlDaemon
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct OldStoresTests {
    private let folder: ScratchFolder
    private let stores: OldStores

    init() throws {
        folder = try StoreScene.makeFolder()
        stores = OldStores(path: folder.path(StoreScene.name))
    }

    private func later(_ seconds: Double) -> Date { Date().addingTimeInterval(seconds) }

    @Test(arguments: ["damaged.1", "before-upgrade"])
    func `damaged stores and backups are removed later with their side files`(kind: String) throws {
        let name = StoreScene.name
        for suffix in ["", "-wal", "-shm"] {
            try folder.write("\(name).\(kind)\(suffix)", "Authorization: s3cret")
        }
        try folder.write(name, "the one that is used")
        try folder.write("\(name).damaged.x", "somebody else's")
        #expect(stores.numbers == (kind == "damaged.1" ? [1] : []))
        let removal = try #require(stores.nextRemoval(after: Date()))
        #expect(abs(removal.timeIntervalSinceNow - OldStores.retention) < 60)
        #expect(stores.removeOld(at: later(OldStores.retention - 60)) == OldStores.RemovalResult())
        #expect(folder.list().count == 5)
        // Another link to the file shows that it was overwritten.
        #expect(link(folder.path("\(name).\(kind)"), folder.path("copy")) == 0)
        let removed = stores.removeOld(at: later(OldStores.retention + 60))
        #expect(removed == OldStores.RemovalResult(removed: [folder.path("\(name).\(kind)")]))
        #expect(folder.list().sorted() == ["copy", name, "\(name).damaged.x"])
        #expect(try folder.read("copy").allSatisfy { $0 == 0 })
        #expect(stores.nextRemoval(after: Date()) == nil)
    }

    @Test func `the draft of an interrupted upgrade is removed at once`() throws {
        let draft = "\(StoreScene.name).upgrading"
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try folder.write(draft + suffix, "Authorization: s3cret")
        }
        #expect(link(folder.path(draft), folder.path("copy")) == 0)
        let removed = stores.removeOld(at: Date())
        #expect(removed == OldStores.RemovalResult(removed: [folder.path(draft)]))
        #expect(folder.list() == ["copy"])
        #expect(try folder.read("copy").allSatisfy { $0 == 0 })
    }

    /// An interrupted upgrade has linked the backup and has not replaced the database yet.
    @Test func `a backup that is the database itself is not overwritten`() throws {
        let (name, backup) = (StoreScene.name, "\(StoreScene.name).before-upgrade")
        try folder.write(name, "the one that is used")
        #expect(link(folder.path(name), folder.path(backup)) == 0)
        let removed = stores.removeOld(at: later(OldStores.retention + 60))
        #expect(removed == OldStores.RemovalResult(removed: [folder.path(backup)]))
        #expect(folder.list() == [name])
        #expect(try folder.readText(name) == "the one that is used")
    }

    @Test func `a failed removal is reported and retried a day later`() throws {
        // Even root cannot remove a folder with unlink.
        try folder.makeFolder("\(StoreScene.name).damaged.1")
        let now = later(OldStores.retention + 60)
        let removal = stores.removeOld(at: now)
        #expect(
            removal
                == OldStores.RemovalResult(failed: [folder.path("\(StoreScene.name).damaged.1")])
        )
        let next = try #require(stores.nextRemoval(after: now))
        #expect(next.timeIntervalSince(now) == 86_400)
    }

    /// Otherwise the next damaged store would get a lower number than an existing one.
    @Test func `numbering continues when an older damaged store is gone`() throws {
        for number in [2, 3, 11] { try folder.write("\(StoreScene.name).damaged.\(number)", "x") }
        #expect(stores.numbers == [2, 3, 11])
        try folder.write(StoreScene.name, "this is no database")
        let store = try SQLiteStore(path: folder.path(StoreScene.name))
        #expect(store.damaged == 12)
        #expect(stores.numbers == [2, 3, 11, 12])
        try store.close()
    }
}

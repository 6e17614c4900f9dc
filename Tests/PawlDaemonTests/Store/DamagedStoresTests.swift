import FoundationEssentials
import Glibc
import PawlDaemon
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DamagedStoresTests {
    private let folder: ScratchFolder
    private let stores: DamagedStores

    init() throws {
        folder = try StoreScene.makeFolder()
        stores = DamagedStores(path: folder.path(StoreScene.name))
    }

    private func later(_ seconds: Double) -> Date { Date().addingTimeInterval(seconds) }

    @Test func `one that was set aside goes after a while, with what is beside it`() throws {
        let name = StoreScene.name
        for suffix in ["", "-wal", "-shm"] {
            try folder.write("\(name).damaged.1\(suffix)", "Authorization: s3cret")
        }
        try folder.write(name, "the one that is used")
        try folder.write("\(name).damaged.x", "somebody else's")
        #expect(stores.numbers == [1])
        let removal = try #require(stores.nextRemoval)
        #expect(abs(removal.timeIntervalSinceNow - DamagedStores.patience) < 60)
        #expect(stores.removeOld(at: later(DamagedStores.patience - 60)).isEmpty)
        #expect(folder.list().count == 5)
        // Whoever has another name of it sees that it was overwritten.
        #expect(link(folder.path("\(name).damaged.1"), folder.path("copy")) == 0)
        let removed = stores.removeOld(at: later(DamagedStores.patience + 60))
        #expect(removed == [folder.path("\(name).damaged.1")])
        #expect(folder.list().sorted() == ["copy", name, "\(name).damaged.x"])
        #expect(try folder.read("copy").allSatisfy { $0 == 0 })
        #expect(stores.nextRemoval == nil)
    }

    /// Else the next damaged one would be given a lower number than one that is there.
    @Test func `numbers go on where an older one is gone`() throws {
        for number in [2, 3, 11] { try folder.write("\(StoreScene.name).damaged.\(number)", "x") }
        #expect(stores.numbers == [2, 3, 11])
        try folder.write(StoreScene.name, "this is no database")
        let store = try DaemonStore(path: folder.path(StoreScene.name))
        #expect(store.damaged == 12)
        #expect(stores.numbers == [2, 3, 11, 12])
        try store.close()
    }
}

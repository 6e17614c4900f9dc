import PawlDaemon
import PawlWire
import Testing

/// The GIDs that clients of aria2 have chosen.
@Suite(.timeLimit(.minutes(5)))
struct GIDTests {
    private let gid = "00000000000000aa"

    private func remove(_ id: Int64, from scene: ContractScene) throws {
        try scene.store.write { transaction in
            try transaction.removed.keep(id, removal: 1, by: .user, at: ContractScene.noon)
            try transaction.downloads.delete(id)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a chosen GID is kept with the download, even after an undone removal`(kind: StoreKind)
        async throws
    {
        let scene = try await ContractScene(kind)
        for name in ["a", "b"] { try scene.add(name) }
        try scene.store.write { try $0.gids.set(gid, of: 1) }
        #expect(try scene.store.write { try $0.gids.all() } == [1: gid])
        #expect(try scene.store.write { try $0.gids.download(of: gid) } == 1)
        try remove(1, from: scene)
        #expect(try scene.store.write { try $0.gids.download(of: gid) } == nil)
        try scene.store.write { _ = try $0.removed.restore(1) }
        #expect(try scene.store.write { try $0.gids.all() } == [1: gid])
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed download returns without a GID that another one has taken`(kind: StoreKind)
        async throws
    {
        let scene = try await ContractScene(kind)
        for name in ["a", "b"] { try scene.add(name) }
        try scene.store.write { try $0.gids.set(gid, of: 1) }
        try remove(1, from: scene)
        try scene.store.write { try $0.gids.set(gid, of: 2) }
        #expect(try scene.store.write { try $0.removed.restore(1) }?.id == 1)
        #expect(try scene.store.write { try $0.gids.all() } == [2: gid])
    }
}

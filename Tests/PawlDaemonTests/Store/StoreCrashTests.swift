import Glibc
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// A copy of the store's files at some moment is what a daemon finds that was killed then.
@Suite(.timeLimit(.minutes(5)))
struct StoreCrashTests {
    @Test func `after a kill at any time everything acknowledged is stored`() async throws {
        var random = TestSeed.generator("store kills")
        for _ in 0..<6 {
            let scene = try StoreScene()
            for _ in 0..<25 {
                try Self.act(scene, &random)
                try await Self.expectTally(of: scene)
                guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
                let copy = try Self.copy(scene, cutLogAt: 1)
                #expect(copy.store.note == nil)
                #expect(
                    try await StoreScene.contents(copy.store)
                        == StoreScene.contents(scene.store)
                )
            }
        }
    }

    /// A power cut may leave only the beginning of a log that was not synced.
    @Test func `a log cut anywhere gives a state that existed`() async throws {
        var random = TestSeed.generator("store cuts")
        let scene = try StoreScene()
        var states: Set<StoreScene.Contents> = [try await StoreScene.contents(scene.store)]
        for _ in 0..<30 {
            try Self.act(scene, &random)
            states.insert(try await StoreScene.contents(scene.store))
        }
        for _ in 0..<40 {
            let part = Double.random(in: 0...1, using: &random)
            let copy = try Self.copy(scene, cutLogAt: part)
            #expect(copy.store.note == nil)
            #expect(states.contains(try await StoreScene.contents(copy.store)))
        }
    }

    private static func expectTally(of scene: StoreScene) async throws {
        let states = try await StoreScene.contents(scene.store).downloads.map(\.state.rawValue)
        let counts = Dictionary(grouping: states) { $0 }.mapValues(\.count)
        #expect(try await scene.store.read { try $0.downloads.counts() } == counts)
    }

    private static func act(_ scene: StoreScene, _ random: inout SplitMix64) throws {
        let id = Int64.random(in: 1...8, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: try scene.add("file-\(Int.random(in: 0..<100, using: &random))")
        case 2: try scene.put(id, into: .running, .started)
        case 3: try scene.put(id, into: .finished, .finished)
        default: try scene.store.write { try $0.downloads.delete(id) }
        }
    }

    private struct Copy {
        let folder: ScratchFolder
        let store: SQLiteStore
    }

    private static func copy(_ scene: StoreScene, cutLogAt part: Double) throws -> Copy {
        let folder = try StoreScene.makeFolder()
        let name = StoreScene.name
        try folder.write(name, scene.folder.read(name))
        let log = try scene.folder.read("\(name)-wal")
        try folder.write("\(name)-wal", Array(log.prefix(Int(Double(log.count) * part))))
        // A power cut that shortens the log comes before the commit's mark.
        if part == 1 { try folder.write("\(name).open", scene.folder.read("\(name).open")) }
        return Copy(folder: folder, store: try SQLiteStore(path: folder.path(name)))
    }
}

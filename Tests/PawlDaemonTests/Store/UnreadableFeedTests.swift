import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// A feed of a newer version, in the file of the store.
@Suite(.timeLimit(.minutes(5)))
struct UnreadableFeedTests {
    private func feed(_ name: String) -> FeedTable.Row {
        FeedTable.Row(
            name: name,
            owner: .token("t"),
            request: NewFeed(NewDownload(url: "https://host/\(name)", destination: "/nowhere/")),
            at: StoreScene.noon
        )
    }

    @Test func `a feed that cannot be decoded is listed as such, and can be removed`()
        async throws
    {
        let scene = try StoreScene()
        try scene.store.write { transaction in
            for name in ["a", "broken", "c"] { _ = try transaction.feeds.insert(feed(name)) }
        }
        try scene.store.close()
        // A newer version may have written such a request.
        let (old, new) = (Array(#""url":"https://host/broken""#.utf8), Array(#""uri""#.utf8))
        var bytes = try scene.folder.read(StoreScene.name)
        let offset = try #require(
            (0..<bytes.count - old.count).first {
                bytes[$0] == old[0] && bytes[$0...].starts(with: old)
            }
        )
        bytes.replaceSubrange(offset..<offset + new.count, with: new)
        try scene.folder.write(StoreScene.name, bytes)
        let store = try SQLiteStore(path: scene.folder.path(StoreScene.name))
        let list = try await store.read { try $0.feeds.list() }
        #expect(list.feeds.map(\.name) == ["a", "c"])
        #expect(list.unreadable.map(\.name) == ["broken"])
        let id = try #require(list.unreadable.first?.id)
        #expect(try await store.read { try $0.feeds.find(id) } == nil)
        #expect(try await store.read { try $0.feeds.owner(of: id) } == .token("t"))
        #expect(try await store.read { try $0.feeds.owner(of: 99) } == nil)
        try store.write { try $0.feeds.delete(id) }
        #expect(try await store.read { try $0.feeds.list() }.unreadable.isEmpty)
    }
}

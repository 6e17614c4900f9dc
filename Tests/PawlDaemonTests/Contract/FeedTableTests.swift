import FoundationEssentials
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// The feeds in the store.
@Suite(.timeLimit(.minutes(5)))
struct FeedTableTests {
    private func feed(_ name: String, session: String? = nil) -> FeedTable.Row {
        var download = NewDownload(url: "https://host/\(name)", destination: "/nowhere/")
        download.session = session
        return FeedTable.Row(
            name: name,
            owner: .token("t"),
            request: NewFeed(download),
            at: ContractScene.noon
        )
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed feed is restored with its items, under a free name`(kind: StoreKind)
        async throws
    {
        let scene = try await ContractScene(kind)
        try scene.store.write { transaction in
            let items: [ExactText] = ["x", "y"]
            let id = try transaction.feeds.insert(feed("a"))
            try transaction.feeds.see(items, of: id, at: ContractScene.noon)
            let number = try transaction.removed.nextNumber()
            try transaction.removed.keep(
                feed: id,
                removal: number,
                by: .user,
                at: ContractScene.noon
            )
            try transaction.feeds.delete(id)
            _ = try transaction.feeds.insert(feed("a"))
            // Without an event, each removal has a number of its own.
            #expect(try transaction.removed.nextNumber() > number)
            #expect(try transaction.removed.newest(of: .of(.user)) == number)
            #expect(try transaction.removed.newest(of: .of(.page)) == nil)
            #expect(try transaction.removed.feeds(of: number) == [id])
            #expect(try transaction.removed.owner(ofFeed: id) == .token("t"))
            #expect(try transaction.removed.restore(feed: id))
            #expect(try transaction.feeds.find(id)?.name == "a-2")
            #expect(try Set(transaction.feeds.items(of: id).keys) == Set(items))
            #expect(try !transaction.removed.restore(feed: id))
            #expect(try transaction.removed.newest() == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed feed is forgotten after its time`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        try scene.store.write { transaction in
            let (removed, noon) = (transaction.removed, ContractScene.noon)
            let id = try transaction.feeds.insert(feed("a"))
            try removed.keep(feed: id, removal: 1, by: .user, at: noon)
            #expect(try removed.expire(before: noon.addingTimeInterval(-1)) == noon)
            #expect(try removed.expire(before: noon.addingTimeInterval(1)) == nil)
            #expect(try !removed.restore(feed: id))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a session that is forgotten has no feeds any more`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        try scene.store.write { transaction in
            try transaction.sessions.register(
                SessionRegistration(identifier: "app"),
                by: .token("t"),
                at: ContractScene.noon
            )
            for (name, session) in [("a", "app"), ("b", "other"), ("c", nil)] {
                _ = try transaction.feeds.insert(feed(name, session: session))
            }
            try transaction.sessions.forget("app")
        }
        let feeds = try await scene.store.read { try $0.feeds.all() }
        #expect(feeds.map(\.request.download.session) == [nil, "other", nil])
    }

    @Test(arguments: StoreKind.allCases)
    func `what was removed does not come back into a session that was forgotten`(kind: StoreKind)
        async throws
    {
        let scene = try await ContractScene(kind)
        let other = try scene.add()
        try scene.store.write { transaction in
            var row = try #require(try transaction.downloads.find(other))
            row.session = "app"
            let added = try transaction.downloads.insert(
                row,
                request: .init(body: Array("{}".utf8))
            )
            let feeds = try ["app", "other"].map { name in
                try transaction.feeds.insert(feed(name, session: name))
            }
            let noon = ContractScene.noon
            try transaction.removed.keep(added, removal: 1, by: .user, at: noon)
            try transaction.downloads.delete(added)
            for id in feeds {
                try transaction.removed.keep(feed: id, removal: 2, by: .user, at: noon)
                try transaction.feeds.delete(id)
            }
            try transaction.sessions.forget("app")
            for id in feeds { #expect(try transaction.removed.restore(feed: id)) }
            let found = try feeds.map { try transaction.feeds.find($0)?.request.download.session }
            #expect(found == [nil, "other"])
            let restored = try #require(try transaction.removed.restore(added))
            #expect(restored.session == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the items that a feed knows are found by their keys`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        try scene.store.write { transaction in
            let id = try transaction.feeds.insert(feed("a"))
            let other = try transaction.feeds.insert(feed("b"))
            let keys: [ExactText] = ["x", "y"]
            try transaction.feeds.see(keys, of: id, at: ContractScene.noon)
            #expect(try transaction.feeds.known(["y", "z"], of: id) == ["y"])
            #expect(try transaction.feeds.known(keys, of: other).isEmpty)
        }
    }
}

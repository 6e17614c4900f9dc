import GRDB
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// The owners of downloads in a store of a version that did not record owners.
@Suite(.timeLimit(.minutes(5)))
struct OldOwnerTests {
    /// As left by a version that did not record owners.
    @Test func `old downloads added over TCP belong to a program, all others to the user`()
        async throws
    {
        let folder = try StoreScene.makeFolder()
        let path = folder.path(StoreScene.name)
        let store = try SQLiteStore(path: path)
        let own = try StoreScene.add("own", to: store)
        let confined = #"{"url":"https://host/a","destination":"/d/","confinedTo":"/d"}"#
        let foreign = try StoreScene.add("foreign", secret: confined, to: store)
        let ended = try StoreScene.add("ended", secret: confined, to: store)
        let broken = try StoreScene.add("broken", secret: "{", to: store)
        try store.write { transaction in
            try transaction.requests.forget(ended)
            try transaction.sessions.register(
                SessionRegistration(identifier: "s"),
                at: StoreScene.noon
            )
        }
        try store.close()
        let database = try DatabaseQueue(path: path)
        try await database.write { database in
            try database.execute(
                sql: """
                    ALTER TABLE download DROP COLUMN owner;
                    ALTER TABLE session DROP COLUMN owner;
                    DELETE FROM grdb_migrations WHERE identifier = '9-owners'
                    """
            )
        }
        try database.close()
        let next = try SQLiteStore(path: path)
        #expect(next.note == nil)
        let owners = try await next.read { transaction in
            try [own, foreign, ended, broken].map { try transaction.downloads.find($0)?.owner }
        }
        #expect(owners == [.user, .unnamedProgram, .unnamedProgram, .user])
        #expect(try await next.read { try $0.sessions.owner(of: "s") } == .user)
        try next.close()
    }
}

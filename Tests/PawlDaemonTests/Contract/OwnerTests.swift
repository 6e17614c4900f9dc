import FoundationEssentials
import GRDB
import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// Who has added what, as recorded in the store.
@Suite(.timeLimit(.minutes(5)))
struct OwnerTests {
    @Test func `owners of downloads and sessions are stored`() throws {
        let scene = try StoreScene()
        try scene.store.write { transaction in
            for (owner, name) in [(DownloadOwner.page, "a"), (.token("tool"), "b"), (.user, "c")] {
                var row = WireDownload(
                    id: 0,
                    state: .paused,
                    name: name,
                    url: "https://host/\(name)",
                    createdAt: StoreScene.noon
                )
                row.owner = owner
                row.session = "of-\(name)"
                row.id = try transaction.downloads.insert(row, request: .init(body: []))
                #expect(try transaction.downloads.find(row.id)?.owner == owner)
            }
            // A session that only a download names may belong to a program that has not started
            // yet.
            #expect(try transaction.sessions.owner(of: "of-b") == .user)
            #expect(try transaction.sessions.owner(of: "none") == nil)
            let session = SessionRegistration(identifier: "s")
            try transaction.sessions.register(session, by: .token("tool"), at: StoreScene.noon)
            try transaction.sessions.register(session, by: .page, at: StoreScene.noon)
            #expect(try transaction.sessions.owner(of: "s") == .token("tool"))
        }
    }

    /// The numbers of a deleted file become those of another one, and a restore from a backup gives
    /// the same file other numbers.
    @Test func `a partial file is recognized by its mark, and without one by its numbers`() throws {
        let scene = try StoreScene()
        let (own, other, old) = (try scene.add("a"), try scene.add("b"), try scene.add("c"))
        let stamp = FileStamp(device: 1, inode: 2, size: 3, modified: 4)
        let restored = FileStamp(device: 1, inode: 9, size: 3, modified: 4)
        let oldStamp = FileStamp(device: 1, inode: 5, size: 3, modified: 4)
        try scene.store.write { transaction in
            let files = transaction.writtenFiles
            try files.record(WrittenFile(.partial, at: "/a.part", stamp, mark: "m"), of: own)
            try files.record(WrittenFile(.partial, at: "/c.part", oldStamp), of: old)
        }
        func owner(
            _ id: Int64,
            _ owner: DownloadOwner,
            _ stamp: FileStamp,
            _ mark: String?
        ) -> PartialFileOwner {
            scene.store.ownerOfPartialFile(
                FoundPartialFile(stamp, mark: mark),
                for: id,
                of: owner
            )
        }
        let tool = DownloadOwner.token("tool")
        #expect(owner(own, tool, stamp, "m") == .thisDownload)
        #expect(owner(own, tool, restored, "m") == .thisDownload)
        #expect(owner(own, tool, stamp, nil) == .thisDownload)
        // Another file has taken the numbers.
        #expect(owner(own, tool, stamp, "another") == .somebodyElse)
        #expect(owner(own, .user, stamp, "another") == .anybody)
        #expect(owner(own, tool, restored, nil) == .somebodyElse)
        #expect(owner(other, tool, restored, "m") == .somebodyElse)
        #expect(owner(other, .user, stamp, "m") == .anybody)
        #expect(owner(other, tool, stamp, "m") == .somebodyElse)
        // The record is of a version that did not record the mark.
        #expect(owner(old, tool, oldStamp, "any") == .thisDownload)
    }

    /// As left by a version that did not record owners.
    @Test func `old downloads added over TCP belong to a program, all others to the user`()
        async throws
    {
        let folder = try StoreScene.makeFolder()
        let path = folder.path(StoreScene.name)
        let store = try DaemonStore(path: path)
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
        let next = try DaemonStore(path: path)
        #expect(next.note == nil)
        let owners = try await next.read { transaction in
            try [own, foreign, ended, broken].map { try transaction.downloads.find($0)?.owner }
        }
        #expect(owners == [.user, .unnamedProgram, .unnamedProgram, .user])
        #expect(try await next.read { try $0.sessions.owner(of: "s") } == .user)
        try next.close()
    }
}

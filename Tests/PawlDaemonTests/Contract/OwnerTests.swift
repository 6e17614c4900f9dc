import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// Who has added what, as recorded in the store.
@Suite(.timeLimit(.minutes(5)))
struct OwnerTests {
    @Test(arguments: StoreKind.allCases)
    func `owners of downloads and sessions are stored`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        try scene.store.write { transaction in
            for (owner, name) in [(DownloadOwner.page, "a"), (.token("tool"), "b"), (.user, "c")] {
                var row = WireDownload(
                    id: 0,
                    state: .paused,
                    name: name,
                    url: "https://host/\(name)",
                    createdAt: ContractScene.noon
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
            try transaction.sessions.register(session, by: .token("tool"), at: ContractScene.noon)
            try transaction.sessions.register(session, by: .page, at: ContractScene.noon)
            #expect(try transaction.sessions.owner(of: "s") == .token("tool"))
        }
    }

    /// The numbers of a deleted file become those of another one, and a restore from a backup gives
    /// the same file other numbers.
    @Test(arguments: StoreKind.allCases)
    func `a partial file is recognized by its mark, and without one by its numbers`(kind: StoreKind)
        async throws
    {
        let scene = try await ContractScene(kind)
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
}

import PawlCore
import PawlDaemon
import PawlTesting
import PawlWire
import Testing

/// What the store keeps of files that are being moved.
@Suite(.timeLimit(.minutes(5)))
struct MoveRecordTests {
    private let file = WrittenFile(
        .finished,
        at: "/near/a",
        FileStamp(device: 1, inode: 2, size: 3, modified: 4)
    )
    private let copy = FileStamp(device: 5, inode: 6, size: 3, modified: 4)

    @Test(arguments: StoreKind.allCases)
    func `a move keeps the stamp of its copy`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let id = try scene.add()
        let all = try scene.store.write { transaction in
            for download in [id, id + 1] {
                _ = try transaction.intentions.add(
                    .move(file, to: "/far/", copy: nil),
                    for: download,
                    root: nil
                )
            }
            try transaction.intentions.noteCopy(copy, of: id)
            return try transaction.intentions.page(limit: 9).intentions.map(\.operation)
        }
        #expect(all == [.move(file, to: "/far/", copy: copy), .move(file, to: "/far/", copy: nil)])
    }

    @Test(arguments: StoreKind.allCases)
    func `file operations are read part by part`(kind: StoreKind) async throws {
        let scene = try await ContractScene(kind)
        let id = try scene.add()
        let downloads = try scene.store.write { transaction in
            for download in id...(id + 2) {
                _ = try transaction.intentions.add(.finish(file), for: download, root: nil)
            }
            var (pages, last): ([[Int64]], Int64?) = ([], .min)
            while let after = last {
                let page = try transaction.intentions.page(after: after, limit: 2)
                pages.append(page.intentions.map(\.download))
                last = page.last
            }
            return pages
        }
        #expect(downloads == [[id, id + 1], [id + 2], []])
    }

    @Test(arguments: StoreKind.allCases)
    func `a file that another download has recorded is known as its file`(kind: StoreKind)
        async throws
    {
        let scene = try await ContractScene(kind)
        let (id, other) = (try scene.add("a"), try scene.add("b"))
        try scene.store.write { transaction in
            try transaction.writtenFiles.record(file, of: other)
            #expect(try transaction.writtenFiles.isRecorded(file.stamp, besides: id))
            #expect(try !transaction.writtenFiles.isRecorded(file.stamp, besides: other))
            #expect(try !transaction.writtenFiles.isRecorded(copy, besides: id))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a download that ends after its removal has ended when the removal is undone`(
        kind: StoreKind
    ) async throws {
        let scene = try await ContractScene(kind)
        let id = try scene.add()
        try scene.put(id, into: .running, .started)
        let restored = try scene.store.write { transaction in
            try transaction.removed.keep(id, removal: 7, by: .user, at: ContractScene.noon)
            try transaction.downloads.delete(id)
            try transaction.removed.update(id) { row in
                row.state = .finished
                row.path = file.path
                try transaction.writtenFiles.record(file, of: id)
            }
            #expect(try transaction.downloads.find(id) == nil)
            #expect(try transaction.removed.newest(of: .of(.user)) == 7)
            return try transaction.removed.restore(id)
        }
        #expect(restored?.state == .finished)
        #expect(restored?.path == file.path)
        #expect(try scene.store.write { try $0.writtenFiles.files(of: id) } == [file])
        // Nothing is kept about other files.
        try scene.store.write { try $0.removed.update(99) { $0.state = .finished } }
    }
}

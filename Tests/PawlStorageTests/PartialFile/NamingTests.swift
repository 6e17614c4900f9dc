import struct FoundationEssentials.URL
import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import Synchronization
import SystemPackage
import Testing

/// The names of a partial file and its checkpoint, which nobody else takes away.
@Suite(.timeLimit(.minutes(5)))
struct NamingTests {
    private func numbered(_ folder: StorageFolder) -> NextName {
        let path = folder.path
        return { taken in
            let number = taken.number + 1
            let stem = path.appending("disk.\(number).iso")
            return DownloadPaths(stem, partial: stem, wanted: taken.wanted, number: number)
        }
    }

    private func create(
        _ folder: StorageFolder,
        _ settings: StoreSettings = StoreSettings(),
        next: NextName? = nil
    ) throws -> PartialStore {
        try PartialCreation.create(
            folder.paths(),
            source: "https://example.com/disk.iso",
            representation: .sample(10),
            settings: settings,
            next: next
        )
    }

    @Test func `if the name was taken meanwhile, the next one is used`() throws {
        let folder = try StorageFolder()
        let first = try create(folder)
        let second = try create(folder, next: numbered(folder))
        let told = Mutex<[FilePath]>([])
        second.onRename { store in told.withLock { $0.append(store.paths.partial) } }
        try first.saveCheckpoint(written: RangeSet())
        try second.write(pattern(10), at: 0)
        try second.saveCheckpoint(written: RangeSet((0, 10)))
        #expect(second.paths.final == folder.path.appending("disk.1.iso"))
        #expect(told.withLock { $0 } == [folder.path.appending("disk.1.iso.part")])
        #expect(
            folder.names
                == [
                    "disk.1.iso.part", "disk.1.iso.part.pawl", "disk.iso.part",
                    "disk.iso.part.pawl",
                ]
        )
        let summary = try CheckpointSummary.read(second.paths.partial)
        #expect(summary.checkpoint.targetName == Array("disk.1.iso".utf8))
        #expect(try second.finish(total: 10, policy: .fail).path == second.paths.final)
    }

    @Test func `another tool's file under the name leaves no checkpoint behind`() throws {
        let folder = try StorageFolder()
        let store = try create(folder, next: numbered(folder))
        try folder.put(pattern(3), "disk.iso.part")
        try store.saveCheckpoint(written: RangeSet())
        #expect(
            folder.names == ["disk.1.iso.part", "disk.1.iso.part.pawl", "disk.iso.part"]
        )
    }

    @Test func `a directory under the name is not reported as another process`() throws {
        let folder = try StorageFolder()
        let store = try create(folder)
        try #require(mkdir(folder.paths().partial.string, 0o700) == 0)
        let error = #expect(throws: DownloadError.self) {
            try store.saveCheckpoint(written: RangeSet())
        }
        #expect(error?.code == .fileNotCreatable)
        #expect(error?.message.contains("already exists, and is not a file") == true)
        #expect(error?.message.contains("process") == false)
    }

    /// One process creates its checkpoint while another keeps checking what is there.
    @Test(arguments: [true, false])
    func `checking a checkpoint while it is created does not remove it`(
        startsUnnamed: Bool
    ) async throws {
        let folder = try StorageFolder()
        var settings = StoreSettings()
        settings.startsUnnamed = startsUnnamed
        let isDone = Atomic(false)
        // How often the checking process found something.
        let meetings = Atomic(0)
        var checks = 0
        let pool = BlockingPool(threads: 1, name: "looks")
        let hasBegun = Observed(false)
        let paths = folder.paths()
        async let looking: Void = pool.run { () throws(DownloadError) in
            hasBegun.update { $0 = true }
            while !isDone.load(ordering: .acquiring) {
                do throws(DownloadError) {
                    guard case .resumable(let store, _) = try PartialRecovery.recover(paths) else {
                        continue
                    }
                    store.close()
                } catch {
                    // The other process holds the file.
                    #expect(error.code == .alreadyRunning)
                }
                meetings.add(1, ordering: .relaxed)
            }
        }
        // After `async let`, so that it is done before an error waits for the end of `looking`.
        defer { isDone.store(true, ordering: .releasing) }
        // From here the checking process needs none of Swift's few threads.
        await hasBegun.wait { $0 }
        var breath = Breath()
        // Rounds are not counted, because in some of them the two blocked or missed each other.
        while checks < 150 || meetings.load(ordering: .relaxed) < 30 {
            try Task.checkCancellation()
            await breath.take()
            let store: PartialStore
            do throws(DownloadError) {
                store = try PartialCreation.create(
                    paths,
                    source: "",
                    representation: .sample(10),
                    settings: settings
                )
                try store.saveCheckpoint(written: RangeSet())
            } catch {
                // The other process held the file that it was checking.
                #expect(error.code == .alreadyRunning)
                continue
            }
            #expect(folder.names == ["disk.iso.part", "disk.iso.part.pawl"])
            checks += 1
            try store.discard()
        }
        isDone.store(true, ordering: .releasing)
        try await looking
    }

    // MARK: - Ownership

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func `a mark matches its URL, and none with another hidden part`() throws {
        let mark = SourceMark(try url("https://anna:secret@example.com/a?token=1#part"))
        #expect(mark.matches(try url("https://example.com/a?token=1")))
        #expect(!mark.matches(try url("https://example.com/a?token=2")))
        #expect(!mark.matches(try url("http://example.com/a?token=1")))
        #expect(mark != SourceMark(try url("https://example.com/a?token=1")), "no salt")
        #expect(!mark.belongs(toQueue: "queue"))
        let kept = SourceMark(try url("https://example.com/a?token=1"), queueIdentity: "queue")
        #expect(kept.matches(try url("https://example.com/a?token=1")))
        #expect(kept.belongs(toQueue: "queue") && !kept.belongs(toQueue: "another"))
        #expect(
            kept.text.prefix(8)
                != SourceMark(try url("https://a/"), queueIdentity: "queue").text.prefix(8)
        )
        #expect(!mark.text.contains("token"))
    }

    @Test func `a checkpoint without a mark is matched by its redacted URL`() throws {
        var checkpoint = Checkpoint()
        checkpoint.source = "https://example.com/a?token=REDACTED\nhttps://mirror.example/a"
        #expect(checkpoint.isOf([try url("https://example.com/a?token=1")]))
        #expect(checkpoint.isOf([try url("https://mirror.example/a")]))
        #expect(!checkpoint.isOf([try url("https://example.com/b")]))
        checkpoint.mark = SourceMark(try url("https://example.com/a?token=1"))
        #expect(!checkpoint.isOf([try url("https://example.com/a?token=2")]))
    }

    @Test func `validators prove only a file at one path of a server, a digest any file`() throws {
        var known = Representation(total: 10)
        known.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        var checkpoint = Checkpoint()
        checkpoint.source = "https://example.com/a?sign=1"
        checkpoint.representation = known
        #expect(checkpoint.isProvenSame(known, at: try url("https://example.com/a?sign=2")))
        #expect(checkpoint.isProvenSame(known, at: try url("https://example.com:443/a")))
        for other in ["https://cdn.example/a", "http://example.com/a", "https://example.com:8/a"] {
            #expect(!checkpoint.isProvenSame(known, at: try url(other)))
            #expect(checkpoint.isProvenSame(known, at: try url(other), isVouched: true))
        }
        #expect(!checkpoint.isProvenSame(known, at: try url("https://example.com/b")))
        #expect(!checkpoint.isProvenSame(known, at: try url("https://example.com/a?id=2&sign=1")))
        var dated = known
        dated.entityTag = EntityTag(isWeak: false, opaque: "\"b\"")
        (dated.lastModified, dated.lastModifiedIsOld) = ("Tue, 02 Jan 2024 03:04:05 GMT", true)
        (known.lastModified, known.lastModifiedIsOld) = (dated.lastModified, true)
        checkpoint.representation = known
        let elsewhere = try url("https://cdn.example/a")
        #expect(checkpoint.isProvenSame(dated, at: elsewhere, isVouched: true))
        #expect(!checkpoint.isProvenSame(dated, at: elsewhere))
        #expect(!checkpoint.isProvenSame(dated, at: try url("https://example.com/a")))
        let digest = try #require(
            ContentDigest(parsing: "sha256=" + String(repeating: "0", count: 64))
        )
        known.digest = digest
        checkpoint.representation = known
        var other = Representation(total: 10)
        other.digest = digest
        #expect(checkpoint.isProvenSame(other, at: try url("https://example.org/z")))
        other.total = 11
        #expect(!checkpoint.isProvenSame(other, at: try url("https://example.org/z")))
    }
}

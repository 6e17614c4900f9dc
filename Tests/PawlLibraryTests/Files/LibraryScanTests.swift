import struct FoundationEssentials.URL
import Glibc
import PawlCore
import PawlLibrary
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LibraryScanTests {
    /// A file with its final name, left by a process that died before it wrote the record.
    private func finish(
        _ name: String,
        of key: String? = "the key",
        in folder: ScratchFolder
    ) throws -> [UInt8] {
        let bytes = pattern(5000)
        let path = folder.file(name)
        let store = try PartialStore.sample(path, total: Int64(bytes.count))
        if let key { store.mark(key: key) }
        try store.write(bytes)
        _ = try store.finish(total: Int64(bytes.count), policy: .fail)
        return bytes
    }

    private func leaveNote(_ key: StorageKey, _ name: ExactText, in folder: FilePath) throws {
        let url = URL(string: "http://example.org/\(name)")
        let pending = PendingDownload(key: key, name: name, url: url)
        try PendingNote.acquire(pending, in: folder).release()
    }

    @Test func `a file finished just before a crash gets its record`() throws {
        let folder = try ScratchFolder()
        guard try folder.hasAttributes() else { return }
        let bytes = try finish("a.bin", in: folder)
        try leaveNote("the key", "a.bin", in: folder.root)
        let scan = LibraryScan(folder.root)
        let content = scan.content(try scan.stamps())
        #expect(content.notes.isEmpty)
        let record = try #require(content.files["a.bin"]?.fittingRecord)
        #expect(record.key == "the key")
        #expect(record.byteCount == Int64(bytes.count))
        #expect(record.source == "http://example.org/a.bin")
        #expect(record.entityTag?.description == "\"v1\"")
        #expect(folder.list() == ["a.bin"])
    }

    @Test func `a file that is not the download's own gets no record`() throws {
        let folder = try ScratchFolder()
        guard try folder.hasAttributes() else { return }
        // A file of the user, an edited one, and one that another process is about to record.
        try folder.write("mine", [1, 2, 3])
        try leaveNote("mine", "mine", in: folder.root)
        _ = try finish("edited", of: "edited", in: folder)
        try leaveNote("edited", "edited", in: folder.root)
        try folder.write("edited", [1])
        _ = try finish("held", of: "held", in: folder)
        let held = try PendingNote.acquire(
            PendingDownload(key: "held", name: "held", url: nil),
            in: folder.root
        )
        let scan = LibraryScan(folder.root)
        let content = scan.content(try scan.stamps())
        #expect(content.files.values.allSatisfy { $0.record == .absent })
        #expect(content.notes.count == 3)
        try held.remove()
    }

    @Test func `a file of another key, or of no library, gets no record`() throws {
        let folder = try ScratchFolder()
        guard try folder.hasAttributes() else { return }
        // One was fetched by something else; the other is another key's, renamed to the noted name.
        _ = try finish("plain", of: nil, in: folder)
        try leaveNote("the key", "plain", in: folder.root)
        _ = try finish("renamed", of: "other", in: folder)
        try leaveNote("another", "renamed", in: folder.root)
        let scan = LibraryScan(folder.root)
        let content = scan.content(try scan.stamps())
        #expect(content.files.values.allSatisfy { $0.record == .absent })
        #expect(content.notes.count == 2)
    }

    @Test func `an existing record stays, whoever owns it`() throws {
        let folder = try ScratchFolder()
        guard try folder.hasAttributes() else { return }
        _ = try finish("a", in: folder)
        let files = LibraryFiles(folder.root)
        let record = FileRecord(key: "the key", byteCount: 0, modified: 0, finishedAt: 7)
        let file = try files.note(record, on: "a", digests: true)
        // The file is damaged and about to be fetched again.
        #expect(try files.noteDamage(file))
        try leaveNote("the key", "a", in: folder.root)
        let scan = LibraryScan(folder.root)
        let content = scan.content(try scan.stamps())
        #expect(content.files["a"]?.fittingRecord == nil)
        #expect(content.notes.count == 1)
        guard case .found(let kept)? = content.files["a"]?.record else {
            Issue.record("\(content.files)")
            return
        }
        #expect(kept.digest == file.record.digest)
    }

    @Test func `a partial file stores its key`() throws {
        let folder = try ScratchFolder()
        guard try folder.hasAttributes() else { return }
        let path = folder.file("a.bin")
        let store = try PartialStore.sample(path, total: 5000)
        let key = String(repeating: "κ", count: 500)
        store.mark(key: key)
        try store.write(pattern(1000))
        try store.saveCheckpoint(written: RangeSet([ByteRange(0, 1000)]))
        store.close()
        let content = LibraryScan(folder.root).content(try LibraryScan(folder.root).stamps())
        #expect(content.partials.map(\.key) == [StorageKey(key)])
        #expect(content.partials.map(\.name) == ["a.bin"])
        let left = CheckpointSummary.byteCounts(at: folder.file("a.bin"))
        #expect(left?.bytes == 1000)
        #expect(left?.total == 5000)
    }

    @Test func `a writer of a file is detected`() throws {
        let folder = try ScratchFolder()
        let drop = DropFolder(folder.root)
        try folder.write("a.txt", [1, 2])
        func check() -> DropSettling.Check? { drop.check(["a.txt"])["a.txt"] ?? nil }
        // Other file systems do not report it.
        guard check()?.hasWriter != nil else { return }
        #expect(check()?.hasWriter == false)
        let file = open(folder.path("a.txt"), O_WRONLY | O_APPEND)
        #expect(check()?.hasWriter == true)
        close(file)
        #expect(check()?.hasWriter == false)
        let reader = open(folder.path("a.txt"), O_RDONLY)
        #expect(check()?.hasWriter == false)
        close(reader)
        #expect(drop.check(["none"]) == ["none": DropSettling.Check?.none])
    }
}

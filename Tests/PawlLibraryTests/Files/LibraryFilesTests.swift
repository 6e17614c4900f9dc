import PawlCore
import PawlLibrary
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// A library's files on disk are changed only while they are the known ones.
@Suite(.timeLimit(.minutes(5)))
struct LibraryFilesTests {
    private func known(_ name: ExactText, in folder: ScratchFolder) throws -> KnownFile {
        let record = FileRecord(key: "k", byteCount: 0, modified: 0, finishedAt: 0)
        return try LibraryFiles(folder.root).note(record, on: name, digests: true)
    }

    @Test func `a file that has changed is neither replaced nor removed`() throws {
        let folder = try ScratchFolder()
        let files = LibraryFiles(folder.root)
        try folder.write("a", [1, 2, 3])
        let file = try known("a", in: folder)
        #expect(try files.write([4], to: "a", replacing: file) == "a")
        // The file has just been replaced.
        #expect(try files.write([5], to: "a", replacing: file) == "a.1")
        #expect(try files.write([6], to: "a", replacing: nil) == "a.2")
        #expect(failure { _ = try files.remove(file) }?.code == .fileExists)
        #expect(try files.read(file, limit: 100) == nil)
        let now = try known("a", in: folder)
        #expect(try files.read(now, limit: 100) == [4])
        #expect(try files.remove(now))
        #expect(try !files.remove(now))
        #expect(folder.list() == ["a.1", "a.2"])
    }

    @Test func `nothing is recorded on a file that appeared meanwhile`() throws {
        let folder = try ScratchFolder()
        let files = LibraryFiles(folder.root)
        try folder.write("a", [1, 2, 3])
        let old = try known("a", in: folder)
        _ = try files.write([4, 5, 6], to: "a", replacing: old)
        let now = try known("a", in: folder)
        #expect(try !files.noteDamage(old))
        #expect(try !files.renew(old))
        #expect(try files.known("a") == now)
        #expect(try files.noteDamage(now))
        #expect(try files.known("a") == nil)
    }

    @Test func `a file that changes while it is read is not reported as damaged`() throws {
        let folder = try ScratchFolder()
        let files = LibraryFiles(folder.root)
        try folder.write("a", pattern(1000))
        let file = try known("a", in: folder)
        var isFirst = true
        let result = try LibraryCheck(file, in: folder.root).run(reads: true) {
            () throws(DownloadError) in
            guard isFirst else { return }
            isFirst = false
            _ = try files.write([1], to: "a", replacing: file)
        }
        guard case .unsettled = result else {
            Issue.record("\(result)")
            return
        }
        let again = try LibraryCheck(file, in: folder.root).run(reads: true) {}
        guard case .fault(.changed, let stamp) = again else {
            Issue.record("\(again)")
            return
        }
        #expect(stamp == (try files.stamp("a")))
    }

    @Test func `a name used by a file or another's partial file is not free`() throws {
        let folder = try ScratchFolder()
        guard try folder.hasAttributes() else { return }
        let files = LibraryFiles(folder.root)
        try folder.write("a", [1])
        try folder.write("b.part", [1])
        let store = try PartialStore.sample(folder.file("c"), total: 5000)
        store.mark(key: "k")
        try store.write(pattern(1000))
        try store.saveCheckpoint(written: RangeSet([ByteRange(0, 1000)]))
        store.close()
        #expect(try !files.isFree("a", for: "k"))
        #expect(try !files.isFree("b", for: "k"))
        #expect(try files.isFree("c", for: "k"))
        #expect(try !files.isFree("c", for: "other"))
        #expect(try files.isFree("d", for: "k"))
    }

    @Test(arguments: [false, true])
    func `a file is replaced only if it is the intended one`(isEdited: Bool) throws {
        let folder = try ScratchFolder()
        try folder.write("disk.iso", [1, 2, 3])
        let stamp = try #require(try LibraryFiles(folder.root).stamp("disk.iso"))
        let bytes = pattern(5000)
        let store = try PartialStore.sample(folder.file("disk.iso"), total: Int64(bytes.count))
        try store.write(bytes)
        if isEdited { try folder.write("disk.iso", [4, 5]) }
        let other = folder.file("disk.1.iso")
        let path = try store.finish(
            total: Int64(bytes.count),
            policy: .replace(stamp) { _ in other }
        ).path
        #expect(path.lastComponent?.string == (isEdited ? "disk.1.iso" : "disk.iso"))
        #expect(folder.list() == (isEdited ? ["disk.1.iso", "disk.iso"] : ["disk.iso"]))
    }
}

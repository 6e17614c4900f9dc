import struct FoundationEssentials.URL
import Glibc
import PawlCore
import PawlLibrary
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Contract: "the key is in the files' extended attributes, so that the index can be rebuilt".
@Suite(.timeLimit(.minutes(5)))
struct RecordStoreTests {
    private static func record(_ key: String, for path: FilePath) throws -> FileRecord {
        var status = stat()
        try #require(lstat(path.string, &status) == 0)
        return FileRecord(
            key: StorageKey(key),
            source: try #require(URL(string: "https://example.com/a")),
            byteCount: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec),
            finishedAt: 7
        )
    }

    /// A key that fits into an attribute, and one that is too long.
    private static let keys = ["short", String(repeating: "long", count: 10_000)]

    @Test(arguments: keys)
    func `a record is read as written, and a new one replaces it`(key: String) throws {
        let folder = try ScratchFolder()
        let path = FilePath(try folder.write("a", [1, 2, 3]))
        #expect(try RecordStore.read(of: path) == nil)
        let record = try Self.record(key, for: path)
        let home = try RecordStore.write(record, for: path)
        #expect(try RecordStore.read(of: path) == record)
        #expect(folder.list() == (home == .attribute ? ["a"] : [".a.pawl-record", "a"]))
        if key.count > 10_000 { #expect(home == .sideFile) }
        let other = try Self.record("other", for: path)
        try RecordStore.write(other, for: path)
        #expect(try RecordStore.read(of: path) == other)
        try RecordStore.write(record, for: path)
        #expect(try RecordStore.read(of: path) == record)
        try RecordStore.remove(of: path)
        #expect(try RecordStore.read(of: path) == nil)
        #expect(folder.list() == ["a"])
    }

    @Test(arguments: keys)
    func `a file changed since then has no matching record`(key: String) throws {
        let folder = try ScratchFolder()
        let path = FilePath(try folder.write("a", [1, 2, 3]))
        let record = try Self.record(key, for: path)
        try RecordStore.write(record, for: path)
        try folder.write("a", [1, 2, 3, 4])
        #expect(try RecordStore.read(of: path) == nil)
        #expect(RecordStore.stored(for: path) == record)
        unlink(folder.path("a"))
        #expect(try RecordStore.read(of: path) == nil)
    }

    @Test func `data written by others are not a record`() throws {
        let folder = try ScratchFolder()
        let path = FilePath(try folder.write("a", [1, 2, 3]))
        try? ExtendedAttributes.write([0xFF, 0], RecordStore.attribute, on: path)
        try folder.write(".a.pawl-record", "{}")
        #expect(try RecordStore.read(of: path) == nil)
        symlink("/etc/passwd", folder.path(".b.pawl-record"))
        #expect(RecordStore.stored(for: FilePath(folder.path("b"))) == nil)
    }

    @Test func `a side file leads to its file`() {
        let path: FilePath = "/x/disk.iso"
        #expect(RecordStore.sideFile(of: path) == "/x/.disk.iso.pawl-record")
        #expect(RecordStore.file(ofSideFile: "/x/.disk.iso.pawl-record") == path)
        for other in [
            "/x/disk.iso", "/x/disk.iso.pawl-record", "/x/.pawl-record", "/x/..pawl-record",
        ] {
            #expect(RecordStore.file(ofSideFile: FilePath(other)) == nil)
        }
        let long = FilePath("/x/" + String(repeating: "é", count: 127))
        let name = RecordStore.sideFile(of: long).lastComponent?.string.utf8.count ?? 999
        #expect(name <= 255)
    }

    @Test func `missing support for attributes is reported clearly`() throws {
        let read = Result { () throws(AttributeFailure) in
            try ExtendedAttributes.read("user.pawl.test", of: "/proc/self/status")
        }
        #expect(read == .failure(.notSupportedHere))
        let folder = try ScratchFolder()
        let path = FilePath(try folder.write("a", []))
        guard (try? ExtendedAttributes.write([1], "user.pawl.test", on: path)) != nil else {
            return
        }
        #expect(try ExtendedAttributes.names(of: path) == ["user.pawl.test"])
        #expect(throws: AttributeFailure.absent) {
            try ExtendedAttributes.read("user.pawl.other", of: path)
        }
        #expect(throws: AttributeFailure.tooLarge) {
            try ExtendedAttributes.write([UInt8](repeating: 1, count: 65_537), "user.a", on: path)
        }
        #expect(throws: AttributeFailure.failed(.noSuchFileOrDirectory)) {
            try ExtendedAttributes.names(of: FilePath(folder.path("absent")))
        }
        try ExtendedAttributes.remove("user.pawl.test", of: path)
        #expect(try ExtendedAttributes.names(of: path) == [])
    }
}

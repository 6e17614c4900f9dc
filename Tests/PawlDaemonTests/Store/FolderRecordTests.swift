import PawlCore
import PawlDaemon
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FolderRecordTests {
    private let name = "queue.sqlite.folders"

    @Test func `folders are recorded once and found again`() throws {
        let folder = try ScratchFolder()
        let path = folder.path(name)
        let record = try FolderRecord(path: path, destinations: ["/a/x.iso"])
        try record.note(["/b/", "/a/y.iso", "/c d/100%/z", "/line\nbreak/z"])
        let size = try folder.read(name).count
        try record.note(["/b/z", "/a/"])
        #expect(try folder.read(name).count == size)
        #expect(FolderRecord.read(path) == ["/a/", "/b/", "/c d/100%/", "/line\nbreak/"])
        let second = try FolderRecord(path: path, destinations: [])
        try second.note(["/e/"])
        #expect(FolderRecord.read(path).count == 5)
    }

    @Test func `a truncated line damages no other`() throws {
        let folder = try ScratchFolder()
        let path = try folder.write(name, Array("/a/\n/b/cut".utf8))
        #expect(FolderRecord.read(path) == ["/a/"])
        let record = try FolderRecord(path: path, destinations: [])
        try record.note(["/c/"])
        #expect(FolderRecord.read(path).isSuperset(of: ["/a/", "/c/"]))
    }

    @Test func `a line that is not a path is skipped`() throws {
        let folder = try ScratchFolder()
        let path = try folder.write(name, [0, 1, 255, 10] + Array("relative/\n\n/a/\n".utf8))
        #expect(FolderRecord.read(path) == ["/a/"])
        #expect(FolderRecord.read(folder.path("nothing")).isEmpty)
    }

    @Test func `folders whose names only look the same are both kept`() throws {
        let folder = try ScratchFolder()
        let path = folder.path(name)
        let record = try FolderRecord(path: path, destinations: ["/\u{E9}/x"])
        try record.note(["/e\u{301}/x", "/a/\u{301}x"])
        #expect(FolderRecord.read(path) == ["/\u{E9}/", "/e\u{301}/", "/a/"])
    }

    @Test func `old folders are removed once there are many`() throws {
        let folder = try ScratchFolder()
        let path = folder.path(name)
        let record = try FolderRecord(path: path, destinations: [])
        try record.note((0..<300).map { "/old/\($0)/x" })
        _ = try FolderRecord(path: path, destinations: (0..<150).map { "/old/\($0)/y" })
        #expect(FolderRecord.read(path).count == 300)
        _ = try FolderRecord(path: path, destinations: ["/old/7/y"])
        #expect(FolderRecord.read(path) == ["/old/7/"])
    }
}

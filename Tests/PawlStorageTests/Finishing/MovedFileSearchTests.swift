import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Which file of a folder is the one that was moved there.
@Suite(.timeLimit(.minutes(5)))
struct MovedFileSearchTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        try folder.makeFolder("near")
        try folder.makeFolder("far")
    }

    /// Writes a file with a fixed time.
    private func write(_ name: String) throws -> WrittenFile {
        try folder.write(name, [1, 2, 3])
        let times = [timespec(tv_sec: 7, tv_nsec: 0), timespec(tv_sec: 7, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, folder.path(name), times, 0) == 0)
        let status = try #require(try folder.file(name).status())
        return WrittenFile(.finished, at: folder.path(name), FileStamp(status))
    }

    private func find(
        _ file: WrittenFile,
        copy: FileStamp? = nil,
        or others: [String] = [],
        isForeign: (FileStamp) -> Bool = { _ in false }
    ) -> String? {
        WrittenFiles.findMoved(
            file,
            copy: copy,
            in: folder.file("far"),
            or: others,
            isForeign: isForeign
        )?.path
    }

    @Test func `a renamed file is found under its numbered and its new name`() throws {
        let file = try write("near/a")
        _ = try write("far/a")
        #expect(rename(file.path, folder.path("far/a.1")) == 0)
        #expect(find(file) == folder.path("far/a.1"))
        #expect(rename(folder.path("far/a.1"), folder.path("far/b")) == 0)
        #expect(find(file) == nil)
        #expect(find(file, or: ["b"]) == folder.path("far/b"))
    }

    @Test func `another file of the same size and time is not the moved one`() throws {
        let file = try write("near/a")
        _ = try write("far/a")
        #expect(unlink(file.path) == 0)
        #expect(find(file) == nil)
    }

    @Test func `a copy in the same file system is found by its recorded stamp`() throws {
        let file = try write("near/a")
        _ = try write("far/a")
        let copy = try write("far/a.1")
        #expect(find(file, copy: copy.stamp) == copy.path)
    }

    @Test func `a copy with another inode is found unless it may be another file`() throws {
        let file = try write("near/a")
        var stamp = try write("far/a").stamp
        stamp.inode += 1_000_000
        #expect(find(file, copy: stamp) == folder.path("far/a"))
        #expect(find(file, copy: stamp, isForeign: { _ in true }) == nil)
        _ = try write("far/a.1")
        #expect(find(file, copy: stamp) == nil)
    }
}

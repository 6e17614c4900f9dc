import Glibc
import PawlCore
import PawlStorage
import SystemPackage
import PawlTesting
import Testing

/// Contract: "create directory / file, write, read, size, delete, exists".
@Suite(.timeLimit(.minutes(5)))
struct FileFolderTests {
    @Test func `creating a directory returns whether it was missing`() throws {
        let folder = try StorageFolder()
        let files = FileFolder(folder.path)
        #expect(try files.createDirectory("a/b"))
        #expect(try !files.createDirectory("a/b"))
        #expect(try !files.createDirectory("a"))
        try folder.put([1], "file")
        #expect(failure { _ = try files.createDirectory("file") }?.code == .directoryNotUsable)
        #expect(failure { _ = try files.createDirectory("file/x") }?.code == .directoryNotUsable)
        #expect(try FileFolder(folder.path).size(of: "a") == 0)
    }

    @Test func `only the user can access Pawl's own folders`() throws {
        let folder = try StorageFolder()
        _ = try FileFolder(folder.path).createDirectory("a/b")
        for name in ["a", "a/b"] {
            var status = stat()
            #expect(lstat(folder.path.appending(name).string, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o700)
        }
    }

    @Test func `creating a file never replaces one`() throws {
        let folder = try StorageFolder()
        let files = FileFolder(folder.path)
        try files.createFile("a/new", [1, 2, 3])
        #expect(try folder.bytes("a/new") == [1, 2, 3])
        #expect(failure { try files.createFile("a/new", [4]) }?.code == .fileExists)
        #expect(try folder.bytes("a/new") == [1, 2, 3])
        #expect(try files.names() == ["a"])
    }

    @Test func `writing replaces old bytes with new ones, and leaves nothing else`() throws {
        let folder = try StorageFolder()
        let files = FileFolder(folder.path)
        try files.write(pattern(100_000), to: "data")
        try files.write([7], to: "data")
        #expect(try files.read("data", limit: 10) == [7])
        #expect(try files.names() == ["data"])
        try folder.makeFolder("d")
        #expect(failure { try files.write([1], to: "d") }?.code == .fileNotCreatable)
    }

    @Test func `reading has a limit`() throws {
        let files = FileFolder(try StorageFolder().path)
        #expect(failure { _ = try files.read("absent", limit: 10) }?.code == .fileUnreadable)
        let folder = try StorageFolder()
        try folder.put(pattern(1_000), "data")
        let there = FileFolder(folder.path)
        #expect(try there.read("data", limit: 1_000) == pattern(1_000))
        #expect(try there.read("data", limit: .max) == pattern(1_000))
        let error = failure { _ = try there.read("data", limit: 999) }
        #expect(error?.code == .fileUnreadable)
        #expect(error?.message.contains("more than 999 bytes") == true)
    }

    @Test func `sizes are exact, for folders, too, and count each file once`() throws {
        let folder = try StorageFolder()
        let files = FileFolder(folder.path)
        try folder.put(pattern(1_000), "a")
        try files.createFile("deep/er/b", pattern(234))
        try files.createFile("deep/empty", [])
        #expect(
            link(folder.path.appending("a").string, folder.path.appending("deep/a").string) == 0
        )
        try folder.makeLink("deep/link", to: "/etc/passwd")
        try folder.makeLink("deep/outside", to: "/etc")
        try folder.put([], "sparse")
        try folder.cut("sparse", to: 5_000_000)
        #expect(try files.size(of: "a") == 1_000)
        #expect(try files.size(of: "deep") == 1_234)
        #expect(try files.size() == 5_001_234)
        #expect(try files.size(of: "absent") == nil)
    }

    @Test func `deleting returns whether anything existed, and follows no link`() throws {
        let folder = try StorageFolder()
        let files = FileFolder(folder.path)
        try files.createFile("other/kept", [1])
        try files.createFile("deep/er/b", [1])
        try folder.makeLink("deep/link", to: "../other")
        #expect(try files.delete("deep"))
        #expect(try !files.delete("deep"))
        #expect(try files.delete("other/kept"))
        #expect(try !files.delete("other/kept"))
        #expect(try files.names() == ["other"])
    }

    @Test func `a dangling link exists`() throws {
        let folder = try StorageFolder()
        let files = FileFolder(folder.path)
        try folder.makeLink("link", to: "nowhere")
        #expect(try files.exists("link"))
        #expect(try !files.exists("nowhere"))
    }

    @Test(arguments: [
        "", ".", "..", "/", "/etc/passwd", "a/..", "a/../b", "../b", "./b", "a\u{0}b",
    ])
    func `a name that leads elsewhere is refused`(name: String) throws {
        let files = FileFolder(try StorageFolder().path)
        #expect(failure { _ = try files.exists(name) }?.code == .usage)
        #expect(failure { _ = try files.delete(name) }?.code == .usage)
        #expect(failure { try files.write([1], to: name) }?.code == .usage)
    }
}

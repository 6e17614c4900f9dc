import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Folders that get their names when they are complete.
@Suite(.timeLimit(.minutes(5)))
struct DraftFolderTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private var parent: FilePath { FilePath(folder.path) }

    @Test func `a folder gets its name with its content, and replaces nothing`() throws {
        let draft = try DraftFolder.make(in: parent)
        let temporary = try #require(folder.list().first)
        var status = stat()
        try #require(stat(draft.path.string, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        try folder.write("\(temporary)/a", "abc")
        try folder.write("taken", "mine")
        #expect(try !draft.finish(as: parent.appending("taken")))
        #expect(try draft.finish(as: parent.appending("free")))
        #expect(folder.list() == ["free", "taken"])
        #expect(try folder.readText("free/a") == "abc")
        #expect(try folder.readText("taken") == "mine")
        try #require(stat(folder.path("free"), &status) == 0)
        #expect(status.st_mode & 0o700 == 0o700)
        let identity = try #require(draft.identity)
        #expect(DraftFolder.exists(parent.appending("free"), as: identity))
        #expect(!DraftFolder.exists(parent, as: identity))
        #expect(!DraftFolder.exists(parent.appending("taken"), as: identity))
    }

    @Test func `folders that nobody uses are removed, and no others`() throws {
        let kept = try DraftFolder.make(in: parent)
        for name in ["1f", "x", "01f"] { try folder.makeFolder(".pawl-unpacking-\(name)") }
        try folder.write(".pawl-unpacking-2a", "a file")
        try folder.makeFolder("target")
        try #require(symlink("target", folder.path(".pawl-unpacking-3b")) == 0)
        try folder.makeFolder(".pawl-unpacking-1f/inner")
        try folder.write(".pawl-unpacking-1f/inner/a", "abc")
        try #require(symlink("/", folder.path(".pawl-unpacking-1f/link")) == 0)
        let next = try DraftFolder.make(in: parent)
        let paths = [kept.path, next.path].compactMap(\.lastComponent?.string)
        let others = ["01f", "2a", "3b", "x"].map { ".pawl-unpacking-\($0)" } + ["target"]
        #expect(folder.list() == (paths + others).sorted())
        try next.remove()
        #expect(!folder.list().contains(next.path.lastComponent?.string ?? ""))
    }

    @Test func `a folder that is deeper than a stack is removed`() throws {
        let draft = try DraftFolder.make(in: parent)
        var path = draft.path.string
        while path.utf8.count < 4000 {
            path += "/d"
            try #require(mkdir(path, 0o755) == 0)
        }
        #expect(draft.usage(most: .max).entryCount > 1500)
        try draft.remove()
        #expect(folder.list().isEmpty)
    }
}

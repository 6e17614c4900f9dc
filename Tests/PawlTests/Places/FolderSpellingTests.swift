import Glibc
import Pawl
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FolderSpellingTests {
    @Test func `each spelling of a folder is resolved to the same path`() throws {
        let folder = try ScratchFolder()
        try folder.makeFolder("d")
        try folder.makeFolder("e")
        #expect(symlink("d", folder.path("link")) == 0)
        let real = FolderSpelling.resolved(folder.path("d"))
        #expect(real.hasSuffix("/d"))
        for spelling in ["d/", "d//", "./d", "d/.", "e/../d", "link/", "missing/../d", "d/no/.."] {
            #expect(FolderSpelling.resolved(folder.path(spelling)) == real, "\(spelling)")
        }
        for spelling in ["d/new", "link/new/", "missing/.././d/new/."] {
            #expect(FolderSpelling.resolved(folder.path(spelling)) == real + "/new", "\(spelling)")
        }
        #expect(FolderSpelling.resolved(folder.path("e")) != real)
    }

    @Test func `a relative path is in the working folder`() {
        let here = FolderSpelling.resolved("")
        #expect(here.hasPrefix("/"))
        #expect(FolderSpelling.resolved(".") == here)
        #expect(FolderSpelling.resolved("not-there/./x") == here + "/not-there/x")
        #expect(FolderSpelling.resolved("/not-there") == "/not-there")
        #expect(FolderSpelling.resolved("/") == "/")
    }
}

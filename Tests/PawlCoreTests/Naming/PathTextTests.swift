import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PathTextTests {
    /// Scalars that are one `Character` with the slash before them.
    static let marks = ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{1F3FB}", "\u{338}"]

    @Test(arguments: marks)
    func `a slash before a combining scalar divides a path`(mark: String) {
        let path = "/a/../\(mark)b"
        #expect(path.pathNames == ["a", "..", "\(mark)b"])
        #expect(path.pathFolder == "/a/../")
        #expect(path.pathFile == "\(mark)b")
        #expect("/\(mark)".isAbsolutePath)
        #expect(path.names(below: "/a") == nil)
        #expect("/a/\(mark)b".names(below: "/a") == ["\(mark)b"])
        #expect("/a/\(mark)b".names(below: "/") == ["a", "\(mark)b"])
        #expect("..\(mark)/x".pathNames == ["..\(mark)", "x"])
    }

    @Test func `a slash after a scalar that joins the next one ends a path`() {
        // U+0600 is one Character with what follows it.
        #expect("/a\u{600}/".isFolderPath)
        #expect("/a\u{600}/".asFolderPath == "/a\u{600}/")
        #expect("/a\u{600}/b".pathNames == ["a\u{600}", "b"])
    }

    @Test func `names between slashes, the last one and the folder are found`() {
        #expect("/".pathNames.isEmpty && "/".isFolderPath && "/".pathFolder == "/")
        #expect("".pathNames.isEmpty && !"".isFolderPath && "".pathFolder.isEmpty)
        #expect("a//b/.".pathNames == ["a", "b", "."])
        #expect("a".pathFolder.isEmpty && "a".pathFile == "a" && "a/".pathFile.isEmpty)
        #expect("/a/b".names(below: "/a/./") == ["b"])
        #expect("/a/./b/".names(below: "/a") == ["b"])
        #expect("/a".names(below: "/a") == [])
        for (path, folder) in [("/ab", "/a"), ("a/b", "a"), ("/a/\0", "/a"), ("/a/..", "/a")] {
            #expect(path.names(below: folder) == nil, "\(path)")
        }
    }

    @Test func `names that only look the same are those of different files`() {
        let (one, two) = ("\u{E9}", "e\u{301}")
        #expect(one == two)
        #expect(!one.isExactly(two) && ExactText(one) != ExactText(two))
        #expect(Set([ExactText(one), ExactText(two), ExactText(one)]).count == 2)
        #expect("/\(one)/x".names(below: "/\(two)") == nil)
        #expect(Destination.file("/\(one)") != .file("/\(two)"))
        #expect(Destination.directory("/\(one)") == .directory("/\(one)"))
        #expect(Destination.directory("/a") != .file("/a"))
        #expect(Set([Destination.file(one), .file(two), .directory(one)]).count == 3)
        let targets = [one, two].map { DownloadTarget(url: "https://host/a", path: "/a/\($0)") }
        #expect(targets[0] != targets[1] && !targets[0].mayMeet(targets[1]))
    }
}

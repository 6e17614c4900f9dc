import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TreeNamesTests {
    private func paths(_ files: [[String]]) -> [String?] {
        var names = TreeNames()
        return files.map { names.path(of: $0) }
    }

    @Test func `usual names stay as they are`() {
        #expect(
            paths([["a.txt"], ["b", "c", "d.txt"], ["b", "e"]]) == ["a.txt", "b/c/d.txt", "b/e"]
        )
    }

    @Test(arguments: [
        (["..", "..", "etc", "passwd"], "_/_/etc/passwd"),
        ([".ssh", "authorized_keys"], "ssh/authorized_keys"),
        (["."], "_"), (["a\\..\\b"], "b"), (["\u{7}x"], "_x"), (["~"], "_"), (["-rf"], "_rf"),
        (["a/b"], "b"), ([""], "_"),
    ])
    func `no name leads to another folder`(names: [String], path: String) {
        #expect(paths([names]) == [path])
    }

    @Test func `equal paths get numbers`() {
        #expect(
            paths([["x", "a.txt"], ["x", ".a.txt"], ["x", "..a.txt"], [".x", "a.txt"]])
                == ["x/a.txt", "x/a.1.txt", "x/a.2.txt", "x.1/a.txt"]
        )
    }

    @Test func `a file and a folder of one name are apart`() {
        #expect(paths([["a"], ["a", "b"], ["a", "c"]]) == ["a", "a.1/b", "a.1/c"])
        #expect(paths([["a", "b"], ["a"]]) == ["a/b", "a.1"])
    }

    @Test func `names that need no cleaning keep theirs if they come first`() {
        var names = TreeNames()
        #expect(names.unchangedPath(of: [".a"]) == nil)
        #expect(names.unchangedPath(of: ["b", "../c"]) == nil)
        #expect(names.unchangedPath(of: ["a"]) == "a")
        #expect(names.unchangedPath(of: ["a"]) == nil)
        #expect(names.unchangedPath(of: ["b", "a"]) == "b/a")
        #expect(names.path(of: [".a"]) == "a.1")
        #expect(names.path(of: ["b", "../c"]) == "b/c")
    }

    @Test func `a folder has one path, also as part of that of a file`() {
        var names = TreeNames()
        #expect(names.unchangedPath(of: ["a", "x"]) == "a/x")
        #expect(names.unchangedPath(of: ["a"], isFolder: true) == "a")
        #expect(names.path(of: ["a"], isFolder: true) == "a")
        #expect(names.path(of: [".a"], isFolder: true) == "a.1")
        #expect(names.path(of: [".a", "x"]) == "a.1/x")
        #expect(names.unchangedPath(of: [".a", "y"]) == nil)
        // A file has the name already.
        #expect(names.unchangedPath(of: ["b"]) == "b")
        #expect(names.unchangedPath(of: ["b"], isFolder: true) == nil)
        #expect(names.unchangedPath(of: ["b", "x"]) == nil)
        #expect(names.path(of: ["b", "x"]) == "b.1/x")
        #expect(names.unchangedPath(of: ["b", "y"]) == nil)
        #expect(names.path(of: ["b", "y"]) == "b.1/y")
    }

    @Test func `very deep folders take little memory, up to a limit`() {
        var names = TreeNames()
        let deep = Array(repeating: "folder", count: TreeNames.mostNames)
        let path = deep.joined(separator: "/")
        #expect(names.path(of: deep) == path)
        #expect(names.path(of: deep) == path + ".1")
        #expect(names.path(of: deep + ["a"]) == nil)
        // With the whole path of each folder, these would take 1 GB.
        for number in 0..<20 {
            var other = deep
            other[0] = "\(number)"
            #expect(names.path(of: other)?.utf8.count ?? 0 > 7 * 2_047)
        }
    }

    @Test func `very many equal names are refused quickly`() {
        var names = TreeNames()
        let found = (0..<30_000).count { _ in names.path(of: ["a"]) != nil }
        #expect(found == FreeName.limit)
        #expect(names.path(of: []) == nil)
    }
}

import Foundation
import Pawl
import PawlCore
import Testing

/// What is read from lists of files, and how their entries get paths.
@Suite(.timeLimit(.minutes(5)))
struct TreeReadingTests {
    // MARK: - Links

    private func relativePath(
        _ link: String,
        on page: String = "https://host/a%20b/",
        base: String? = nil
    ) throws -> String? {
        let url = try #require(URL(string: page))
        return try #require(FolderLinks(page: url, base: base)).relativePath(of: link)
    }

    @Test(arguments: [
        ("x.iso", "x.iso"), ("./x", "x"), ("sub/", "sub/"), ("sub/deep/x", "sub/deep/x"),
        ("x#part", "x"), ("/a%20b/x", "x"), ("/a%20b/sub/", "sub/"), ("//host/a%20b/x", "x"),
        ("https://host/a b/x", "x"), ("HTTPS://HOST:443/a%20b/x", "x"), ("\u{FC} x", "%C3%BC%20x"),
        ("/%61%20b/x", "x"), (" x\n", "x"), ("x//y", "x/y"), ("a:b", nil), ("./a:b", nil),
    ])
    func `links below the folder`(link: String, expected: String?) throws {
        #expect(try relativePath(link) == expected)
    }

    @Test(arguments: [
        "", "../", "/", "..", ".", "?C=N", "x?y", "#top", "/other/", "/a%20", "/a%20b",
        "http://host/a%20b/x", "https://other/a%20b/x", "https://host:8443/a%20b/x",
        "mailto:x@host", "javascript:void(0)", "a/../../x", "%2e%2e/x", "a/%2e%2e/b", "x%2Fy",
        "x%00",
        "/a%20b/../c",
    ])
    func `links that lead elsewhere`(link: String) throws {
        #expect(try relativePath(link) == nil)
    }

    @Test func `the base of the page counts for relative links`() throws {
        #expect(try relativePath("x", base: "sub/") == "sub/x")
        #expect(try relativePath("x", base: "/elsewhere/") == nil)
        #expect(try relativePath("/a%20b/y", base: "/elsewhere/") == "y")
        #expect(try relativePath("x", on: "https://host/a/index.html?q#f") == "x")
    }

    // MARK: - Facts

    @Test(arguments: [
        ("28-Nov-2026 10:00 1234", 60), ("2026-11-28 10:00 1.2K", 60),
        ("2026-Nov-28 10:00:00 5.0M application/octet-stream", 1),
        ("1.2 KiB 2026-11-28T10:00:00Z", 1), ("2026-11-28 10:00:00 +0000 17", 1),
        ("28-Mär-2026 10:00 1234", 60),
    ])
    func `the sizes and times of an index`(note: String, resolution: Int64) {
        #expect(ListedFacts(note: note)?.resolution == resolution)
    }

    @Test(arguments: [
        "", "-", "28-Nov-2026 10:00 -", "28-Nov-2026 10:00", "28-Nov-2026 1234", "10:00 1234",
        "1234", "3 hours ago 1.2K", "downloads: 17", "28-Märzz-2026 10:00 1234",
    ])
    func `a note without a time and a size proves nothing`(note: String) {
        #expect(ListedFacts(note: note) == nil)
    }

    @Test func `size and time are proof if the file was not changed shortly before it was fetched`()
        throws
    {
        let facts = try #require(ListedFacts(note: "28-Nov-2026 10:00 1234"))
        #expect(facts.isProof(byteCount: 1234, modified: 1000, now: 1062))
        #expect(!facts.isProof(byteCount: 1234, modified: 1000, now: 1061))
        #expect(!facts.isProof(byteCount: 1234, modified: 1000, now: 900))
        #expect(!facts.isProof(byteCount: 1234, modified: nil, now: 1062))
        #expect(!facts.isProof(byteCount: 1235, modified: 1000, now: 1062))
        #expect(!facts.isProof(byteCount: 1234, modified: 1000, now: nil))
        #expect(ListedFacts(exact: "\"tag\"").isProof(byteCount: 1234, modified: nil, now: nil))
    }

    // MARK: - Lines

    private func line(_ text: String) -> FileListLine? { FileListLine(Array(text.utf8)) }

    @Test(arguments: [
        (
            "-rw-r--r--    1 1000     1000         1234 Nov 28 10:00 name", "name",
            "1234 Nov 28 10:00"
        ),
        ("-rw-r--r-- 1 user group 5 Jan  2  2024   two spaces", "  two spaces", "5 Jan 2 2024"),
        ("-rw-r--r--+ 1 user 17 Dec 31 23:59 no group", "no group", "17 Dec 31 23:59"),
        ("-rw-r--r-- 1 user domain users 17 Dec 31 23:59 x y", "x y", "17 Dec 31 23:59"),
        ("11-28-26  10:00AM              1234 name of it", "name of it", "1234 11-28-26 10:00AM"),
    ])
    func `lines of files`(text: String, name: String, facts: String) throws {
        let line = try #require(FileListLine(Array(text.utf8)))
        #expect(line.kind == .file)
        #expect(String(decoding: line.name, as: UTF8.self) == name)
        #expect(line.facts?.text == facts)
        #expect(line.facts?.resolution == (facts.contains(":") ? 60 : 86_400))
    }

    @Test func `lines of folders and links`() {
        #expect(line("drwxr-xr-x 2 u g 4096 Nov 28 10:00 sub")?.kind == .folder)
        #expect(line("11-28-26  10:00AM       <DIR>          sub dir")?.kind == .folder)
        #expect(line("lrwxrwxrwx 1 u g 4 Nov 28 10:00 a -> b")?.kind == .other)
        #expect(line("crw-rw-rw- 1 root root 1, 3 Nov 28 10:00 null")?.kind == .other)
    }

    @Test(arguments: [
        "", "total 17", "drwxr-xr-x 2 u g 4096 Nov 28 10:00 .",
        "drwxr-xr-x 2 u g 4096 Nov 28 10:00 ..",
        "-rw-r--r-- 1 u g 1 Nov 28 10:00 a/b", "-rw-r--r-- 1 u g -1 Nov 28 10:00 x",
        "-rw-r--r-- 1 u g 1 Nov 28 10:00", "nonsense", "-", "11-28-26 x", "-rw 1 2 3 4 5 6 7 8",
    ])
    func `lines that describe no file`(text: String) {
        #expect(line(text) == nil)
    }

    // MARK: - Paths

    private func content(
        _ relativePaths: [String],
        of folder: ListedFolder = ListedFolder(address: "https://host/")
    ) throws -> FolderContent {
        var builder = ContentBuilder(folder)
        for relativePath in relativePaths { builder.add(relativePath, nil) }
        return try builder.content(below: "https://host/")
    }

    @Test func `two encodings of one path are one file`() throws {
        let files = try content(["%c3%a9", "%C3%A9", "a", "%61", "%2f", "%2F", "A"]).files
        #expect(
            files.map(\.address).sorted()
                == ["%2f", "%c3%a9", "A", "a"].map { "https://host/\($0)" }
        )
    }

    @Test func `names that need no cleaning win, and no path is given twice`() throws {
        let files = try content(["%2E%2Ehidden", "hidden", "a%01b", "a_b", "hidden", "x%2Fy"]).files
        let paths = Dictionary(uniqueKeysWithValues: files.map { ($0.address, $0.path) })
        #expect(paths["https://host/hidden"] == "hidden")
        #expect(paths["https://host/%2E%2Ehidden"] == "hidden.1")
        #expect(paths["https://host/a_b"] == "a_b")
        #expect(paths["https://host/a%01b"] == "a_b.1")
        #expect(Set(paths.values).count == 5)
        #expect(paths.values.allSatisfy(FileName.isHarmlessPath))
    }

    @Test func `a file and a folder of one name`() throws {
        let content = try content(["a", "a/", "b/c"])
        #expect(content.files.map(\.path) == ["a", "b/c"])
        #expect(content.folders.map(\.path) == ["a.1"])
    }

    @Test func `folders whose lists are equal four times in a row are a loop`() throws {
        var folder = ListedFolder(address: "https://host/")
        for _ in 0..<3 {
            folder = try #require(try content(["loop/", "x"], of: folder).folders.first)
        }
        #expect(folder.path == "loop/loop/loop")
        let end = folder
        #expect(throws: DownloadError.self) { try content(["loop/", "x"], of: end) }
        #expect(try content(["loop/", "y"], of: end).files.count == 1)
        #expect(try content([], of: end).files.isEmpty)
    }

    // MARK: - Filters

    private func wants(_ path: String, _ including: [String], _ excluding: [String]) throws -> Bool
    {
        try PathFilter(including: including, excluding: excluding).wants(path)
    }

    @Test(arguments: [
        ("a/b.iso", ["*.iso"], [], true), ("a/b.txt", ["*.iso"], [], false),
        ("a/b.iso", [], ["b.*"], false), ("a/b.iso", ["*.iso"], ["a/"], false),
        ("a/b/c.iso", [], ["b/"], false), ("b", [], ["b/"], true),
        ("a/b.iso", ["a/*.iso"], [], true), ("a/b/c.iso", ["a/*.iso"], [], false),
        ("x.iso", ["**/*.iso"], [], true), ("a/x.iso", ["a/**/*.iso"], [], true),
        ("old/x", [], ["**/old/"], false), ("a/b/c.iso", ["a/**.iso"], [], false),
        ("a/x/b/z", ["a/*/b/**"], [], true), ("a/x/y/b/z", ["a/*/b/**"], [], false),
        ("a/x/y/b/z", ["a/**/b/*"], [], true), ("a/b", ["a/b/**"], [], false),
        ("a/b/a/b/c", ["**/a/b/c"], [], true), ("a/b/a/c", ["**/b/c"], [], false),
        ("a/b/c.iso", ["a/"], [], true),
        ("a/b/c.iso", ["/a/b/"], [], true), ("c/a/b.iso", ["/a/b.iso"], [], false),
        ("x1", ["x[0-9]"], [], true), ("xa", ["x[!0-9]"], [], true), ("ab", ["?"], [], false),
    ])
    func `patterns`(path: String, including: [String], excluding: [String], isWanted: Bool) throws {
        #expect(try wants(path, including, excluding) == isWanted)
    }

    @Test func `only excluded folders are not entered`() throws {
        let filter = try PathFilter(including: ["*.iso"], excluding: ["old/", "a/b"])
        #expect(filter.enters("x/y"))
        #expect(!filter.enters("x/old/y"))
        #expect(!filter.enters("a/b/c"))
        #expect(!filter.enters("a/b"))
        for pattern in ["", "/", "//"] {
            #expect(throws: ValueError.self) {
                try PathFilter(including: [], excluding: [pattern])
            }
        }
    }
}

import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConfinedFolderTests {
    private func scene() throws -> (root: ScratchFolder, outside: ScratchFolder) {
        (try ScratchFolder(), try ScratchFolder())
    }

    @Test func `a folder is created within the root, and its files are opened there`() throws {
        let (root, _) = try scene()
        let path = root.path("a/b//./c/")
        #expect(try ConfinedFolder(path, in: root.path, creates: false) == nil)
        let folder = try #require(try ConfinedFolder(path, in: root.path, creates: true))
        let file = try #require(fopen(folder.inner("x"), "w"))
        fclose(file)
        #expect(root.exists("a/b/c/x"))
        #expect(folder.shown(folder.inner("x")) == root.path("a/b/c/x"))
        #expect(folder.inside(root.path("a/b/c/x")) == folder.inner("x"))
        // The root itself, and a root that does not exist yet.
        #expect(try ConfinedFolder(root.path, in: root.path, creates: false) != nil)
        let deep = root.path("new/root")
        #expect(try ConfinedFolder(deep, in: deep, creates: true) != nil)
        #expect(root.exists("new/root"))
    }

    @Test(arguments: [true, false])
    func `neither links nor dots lead out of the root`(creates: Bool) throws {
        let (root, outside) = try scene()
        symlink(outside.path, root.path("absolute"))
        symlink("../\(outside.path.split(separator: "/").last ?? "")", root.path("relative"))
        symlink("/proc/self/cwd", root.path("magic"))
        symlink("absolute", root.path("twice"))
        try root.makeFolder("sub")
        symlink("..", root.path("sub/up"))
        symlink("loop", root.path("loop"))
        for name in [
            "absolute", "relative", "magic", "twice", "absolute/x", "loop",
            "sub/../../x", "..", "../x", "sub/../sub", "../\u{301}x", "absolute/\u{200D}x",
        ] {
            let error = #expect(throws: DownloadError.self, "\(name)") {
                try ConfinedFolder(root.path(name), in: root.path, creates: creates)
            }
            #expect(error?.code == .notAllowed || name == "\(name): \(error as Any)")
        }
        for path in [outside.path, "/", "/etc", "relative", "", "\(root.path)x"] {
            #expect(throws: DownloadError.self, "\(path)") {
                try ConfinedFolder(path, in: root.path, creates: creates)
            }
        }
        #expect(outside.list().isEmpty)
    }

    @Test func `a refused path leaves no folder open`() throws {
        let (root, outside) = try scene()
        symlink(outside.path, root.path("link"))
        try root.write("file", "x")
        func openFolders() -> Int {
            (0..<1024).count { (descriptor: Int32) in
                var text = [CChar](repeating: 0, count: 4096)
                let count = readlink("/proc/self/fd/\(descriptor)", &text, text.count)
                let path = text.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
                return path.starts(with: root.path.utf8)
            }
        }
        for path in ["link/x", "link", "file/x", "new/x"] {
            _ = try? ConfinedFolder(root.path(path), in: root.path, creates: false)
            _ = try? ConfinedFolder(root.path(path), in: root.path, creates: true)
        }
        #expect(openFolders() == 0)
    }

    @Test func `a link that stays within the root is followed`() throws {
        let (root, _) = try scene()
        try root.makeFolder("real")
        symlink("real", root.path("link"))
        let folder = try #require(
            try ConfinedFolder(root.path("link/deep"), in: root.path, creates: true)
        )
        #expect(root.exists("real/deep"))
        withExtendedLifetime(folder) {}
    }

    /// The folder is checked first, and then replaced by a link.
    @Test func `a link that replaces a checked folder changes nothing`() throws {
        let (root, outside) = try scene()
        let folder = try #require(
            try ConfinedFolder(root.path("a"), in: root.path, creates: true)
        )
        rename(root.path("a"), root.path("elsewhere"))
        symlink(outside.path, root.path("a"))
        let file = try #require(fopen(folder.inner("x"), "w"))
        fclose(file)
        #expect(outside.list().isEmpty)
        #expect(root.exists("elsewhere/x"))
    }
}

import Glibc
import Pawl
import PawlCore
import PawlTesting
import Testing

/// Small files that a user names, and those that only the user can access.
@Suite(.timeLimit(.minutes(5)))
struct SmallFileTests {
    /// The permissions of a file, and whether it is private.
    private static let modes: [(UInt32, Bool)] = [
        (0o600, true), (0o400, true), (0o640, false), (0o604, false),
    ]

    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func privateFile(_ name: String) -> PrivateFile {
        PrivateFile(path: folder.path(name), what: "the file", advice: "")
    }

    private func failure(of file: GivenFile, atMost mostBytes: Int = 100) -> GivenFile.Failure? {
        do throws(GivenFile.Failure) {
            _ = try file.read(atMost: mostBytes)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the stamp is that of the target of a link`() throws {
        try folder.write("old", "1")
        try folder.write("new", "1")
        let file = GivenFile(folder.path("link"))
        #expect(file.stamp == nil)
        #expect(symlink("old", file.path) == 0)
        let old = try #require(file.stamp)
        #expect(old == GivenFile(folder.path("old")).stamp)
        #expect(rename(folder.path("new"), folder.path("old")) == 0)
        #expect(try #require(file.stamp) != old)
    }

    @Test(arguments: modes)
    func `a file is private if its mode closes it to others`(mode: UInt32, isPrivate: Bool) throws {
        let file = GivenFile(try folder.write("key", "text"))
        try folder.setPermissions("key", mode)
        let content = try file.read(atMost: 4)
        #expect(content.bytes == Array("text".utf8))
        #expect(content.isPrivate == isPrivate && content.isOnlyForUser == isPrivate)
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives a file to another user"))
    func `a group may read another user's key, but not a file that is only for the user`() throws {
        let file = GivenFile(try folder.write("key", "text"))
        #expect(chown(file.path, 65534, 65534) == 0)
        for (mode, isPrivate) in [(0o600, true), (0o640, true), (0o604, false)] as [(UInt32, Bool)]
        {
            try folder.setPermissions("key", mode)
            let content = try file.read(atMost: 4)
            #expect(content.isPrivate == isPrivate && !content.isOnlyForUser)
        }
    }

    @Test func `a file that cannot be read has a reason`() throws {
        guard case .opening("No such file or directory") = failure(of: GivenFile("/none/a")) else {
            Issue.record("a missing file can be opened")
            return
        }
        let large = GivenFile(try folder.write("large", "12345"))
        for (file, mostBytes) in [(large, 4), (GivenFile(folder.path), 100)] {
            guard case .unsuitable = failure(of: file, atMost: mostBytes) else {
                Issue.record("\(file.path) is suitable")
                continue
            }
        }
    }

    @Test func `a private file is read only if others cannot access it`() throws {
        let file = privateFile("token")
        #expect(try file.read() == nil && file.stamp == nil)
        try file.write("one", .keep)
        let first = try #require(file.stamp)
        #expect(try file.read() == "one")
        try file.write("two", .replace)
        #expect(file.stamp != first)
        #expect(try file.read() == "two")
        #expect(symlink("token", folder.path("link")) == 0)
        try folder.write("public", "three")
        try folder.setPermissions("public", 0o644)
        for name in ["link", "public"] {
            let error = #expect(throws: DownloadError.self) { try privateFile(name).read() }
            #expect(error?.code == .fileUnreadable, "\(name)")
        }
    }
}

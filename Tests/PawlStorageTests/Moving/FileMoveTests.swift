import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Contract: "the move is atomic, and a failed move keeps the file and says where".
@Suite(.timeLimit(.minutes(5)))
struct FileMoveTests {
    /// Whether the target is on another file system.
    private static let ways = TwoDisks.isAvailable ? [false, true] : [false]

    private static func folders(far: Bool) throws -> (from: ScratchFolder, to: ScratchFolder) {
        guard far else { return (try ScratchFolder(), try ScratchFolder()) }
        let disks = try TwoDisks()
        return (disks.near, disks.far)
    }

    @Test(arguments: ways)
    func `a moved file has all its bytes, and folders are created`(far: Bool) throws {
        let (from, to) = try Self.folders(far: far)
        try from.write("a", pattern(1_000_000))
        let move = FileMove(from.file("a"), to: to.file("deep/er/b"), policy: .fail)
        let moved = try move.run()
        #expect(moved.path == to.file("deep/er/b"))
        #expect(!moved.wasSkipped && !moved.sourceRemains && moved.problems.isEmpty)
        #expect(moved.stamp == (try moved.path.status()).map { FileStamp($0) })
        #expect(from.list() == [])
        #expect(try to.read("deep/er/b") == pattern(1_000_000))
    }

    @Test(arguments: ways)
    func `policy fail keeps both files`(far: Bool) throws {
        let (from, to) = try Self.folders(far: far)
        try from.write("a", [1])
        try to.write("b", [2])
        let error = failure {
            _ = try FileMove(from.file("a"), to: to.file("b"), policy: .fail).run()
        }
        #expect(error?.code == .fileExists)
        #expect(error?.advice.contains(from.path("a")) == true)
        #expect(try from.read("a") == [1])
        #expect(try to.read("b") == [2])
        #expect(to.list() == ["b"])
    }

    @Test(arguments: ways)
    func `policy skip leaves both files in place`(far: Bool) throws {
        let (from, to) = try Self.folders(far: far)
        try from.write("a", [1])
        try to.write("b", [2])
        let moved = try FileMove(from.file("a"), to: to.file("b"), policy: .skip).run()
        #expect(moved.path == to.file("b"))
        #expect(moved.wasSkipped && moved.sourceRemains)
        #expect(try from.read("a") == [1])
        #expect(try to.read("b") == [2])
    }

    @Test(arguments: ways)
    func `policy overwrite replaces the file atomically`(far: Bool) throws {
        let (from, to) = try Self.folders(far: far)
        try from.write("a", [1])
        try to.write("b", [2])
        _ = try FileMove(from.file("a"), to: to.file("b"), policy: .overwrite).run()
        #expect(from.list() == [])
        #expect(to.list() == ["b"])
        #expect(try to.read("b") == [1])
    }

    @Test(arguments: ways)
    func `policy rename uses the first free number`(far: Bool) throws {
        let (from, to) = try Self.folders(far: far)
        try from.write("a", [1])
        try to.write("b.tar.gz", [2])
        try to.write("b.1.tar.gz", [3])
        let moved = try FileMove(from.file("a"), to: to.file("b.tar.gz"), policy: .rename).run()
        #expect(moved.path == to.file("b.2.tar.gz"))
        #expect(try to.read("b.2.tar.gz") == [1])
        #expect(to.list() == ["b.1.tar.gz", "b.2.tar.gz", "b.tar.gz"])
    }

    @Test(arguments: ways, [true, false])
    func `times, permissions and attributes are kept`(far: Bool, unnamed: Bool) throws {
        let (from, to) = try Self.folders(far: far)
        try from.write("a", pattern(5_000))
        try from.setPermissions("a", 0o640)
        try? ExtendedAttributes.write([1, 2], "user.pawl.test", on: from.file("a"))
        let times = [timespec(tv_sec: 7, tv_nsec: 8), timespec(tv_sec: -5, tv_nsec: 999_999_999)]
        #expect(utimensat(AT_FDCWD, from.path("a"), times, 0) == 0)
        var move = FileMove(from.file("a"), to: to.file("b"), policy: .fail)
        move.copiesStartUnnamed = unnamed
        let moved = try move.run()
        let status = to.status("b")
        #expect(status.st_mode & 0o777 == 0o640)
        #expect(status.st_mtim.tv_sec == -5 && status.st_mtim.tv_nsec == 999_999_999)
        let hasAttributes =
            (try? ExtendedAttributes.read("user.pawl.test", of: to.file("b"))) == [1, 2]
        #expect(hasAttributes || moved.lostAttributes == ["user.pawl.test"] || !far)
        #expect(to.list() == ["b"])
    }

    @Test(.enabled(if: TwoDisks.isAvailable), arguments: FileCopy.Method.allCases)
    func `holes are kept on another file system`(method: FileCopy.Method) throws {
        let disks = try TwoDisks()
        try disks.near.write("a", pattern(100_000))
        #expect(truncate(disks.near.path("a"), 50_000_000) == 0)
        let file = try FileDescriptor.open(disks.near.file("a"), .writeOnly)
        try file.closeAfter {
            _ = try file.writeAll(toAbsoluteOffset: 30_000_000, pattern(100_000))
        }
        #expect(disks.near.status("a").st_blocks < 2_000)
        let whole = try disks.near.read("a")
        var move = FileMove(disks.near.file("a"), to: disks.far.file("b"), policy: .fail)
        move.methods = [method]
        _ = try move.run()
        #expect(try disks.far.read("b") == whole)
        #expect(disks.far.status("b").st_blocks < 2_000)
    }

    @Test(.enabled(if: TwoDisks.isAvailable), arguments: [[], FileCopy.Method.allCases])
    func `every method of copying moves all bytes`(methods: [FileCopy.Method]) throws {
        let disks = try TwoDisks()
        for size in [0, 1, 262_144, 9_000_001] {
            try disks.near.write("a", pattern(size))
            var move = FileMove(disks.near.file("a"), to: disks.far.file("\(size)"), policy: .fail)
            move.methods = methods
            _ = try move.run()
            #expect(try disks.far.read("\(size)") == pattern(size))
        }
        #expect(disks.near.list() == [])
    }

    @Test func `the kernel's own copy works within one file system, too`() throws {
        let folder = try ScratchFolder()
        try folder.write("a", pattern(9_000_001))
        // A second mount of the same file system, which a rename cannot cross.
        guard mount(folder.path, folder.path, nil, UInt(MS_BIND), nil) == 0 else { return }
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        let other = try ScratchFolder()
        _ = try FileMove(folder.file("a"), to: other.file("b"), policy: .fail).run()
        #expect(try other.read("b") == pattern(9_000_001))
        #expect(folder.list() == [])
    }

    @Test func `two names of one file become one`() throws {
        let folder = try ScratchFolder()
        try folder.write("a", [1])
        #expect(link(folder.path("a"), folder.path("b")) == 0)
        _ = try FileMove(folder.file("a"), to: folder.file("b"), policy: .overwrite).run()
        #expect(folder.list() == ["b"])
        #expect(try folder.read("b") == [1])
    }

    @Test(arguments: [ExistingFilePolicy.rename, .overwrite, .skip, .fail])
    func `moving a file onto itself changes nothing`(policy: ExistingFilePolicy) throws {
        let folder = try ScratchFolder(), other = try ScratchFolder()
        try folder.write("a", [1])
        symlink(folder.path, other.path("way"))
        for target in [folder.file("a"), other.file("way/a")] {
            #expect(try FileMove(folder.file("a"), to: target, policy: policy).run().path == target)
        }
        #expect(folder.list() == ["a"])
        #expect(try folder.read("a") == [1])
    }

    @Test func `only regular files are moved`() throws {
        let folder = try ScratchFolder()
        try folder.makeFolder("folder")
        symlink("a", folder.path("link"))
        for name in ["folder", "link", "absent"] {
            let move = FileMove(folder.file(name), to: folder.file("b"), policy: .overwrite)
            #expect(failure { _ = try move.run() }?.code == .fileUnreadable)
        }
        #expect(folder.list() == ["folder", "link"])
    }

    @Test(.enabled(if: TwoDisks.isAvailable))
    func `a copy is announced before it has its name`() throws {
        let disks = try TwoDisks()
        try disks.near.write("a", pattern(1000))
        let move = FileMove(disks.near.file("a"), to: disks.far.file("b"), policy: .fail)
        let refusal = DownloadError(.diskFull, "the queue cannot be written")
        let error = failure {
            _ = try move.run(willNameCopy: { _ throws(DownloadError) in throw refusal })
        }
        #expect(error?.code == .diskFull)
        #expect(disks.near.list() == ["a"] && disks.far.list() == [])
        var announced: FileStamp?
        let moved = try move.run(
            willNameCopy: { (stamp) throws(DownloadError) in
                #expect(!disks.far.exists("b"))
                announced = stamp
            }
        )
        #expect(announced == moved.stamp)
        #expect(announced == (try disks.far.file("b").status()).map { FileStamp($0) })
    }

    @Test(.enabled(if: TwoDisks.isAvailable))
    func `a file changed during its copy is not reported as moved`() throws {
        let disks = try TwoDisks()
        try disks.near.write("a", pattern(20_000_000))
        var pieces = 0
        let error = failure {
            _ = try FileMove(disks.near.file("a"), to: disks.far.file("b"), policy: .fail).run {
                pieces += 1
                if pieces == 2 { _ = truncate(disks.near.path("a"), 19_000_000) }
            }
        }
        #expect(error?.code == .diskFailure)
        #expect(disks.near.size("a") == 19_000_000)
        #expect(disks.far.list() == [])
    }

    @Test(.enabled(if: TwoDisks.isAvailable))
    func `a copy can be stopped between two pieces`() throws {
        let disks = try TwoDisks()
        try disks.near.write("a", pattern(20_000_000))
        let error = failure {
            _ = try FileMove(disks.near.file("a"), to: disks.far.file("b"), policy: .fail).run {
                () throws(DownloadError) in
                throw DownloadError(.interrupted, "enough")
            }
        }
        #expect(error?.code == .interrupted)
        #expect(disks.near.list() == ["a"])
        #expect(disks.far.list() == [])
    }

    @Test(.enabled(if: MemoryDisk.isAvailable), arguments: [true, false], [true, false])
    func `a full target keeps the source and is left unchanged`(unnamed: Bool, hasHoles: Bool)
        throws
    {
        let disk = try #require(try MemoryDisk(bytes: 1 << 20))
        let to = try ScratchFolder(in: disk.path), from = try ScratchFolder()
        try from.write("a", pattern(3_000_000))
        if hasHoles { #expect(truncate(from.path("a"), 9_000_000) == 0) }
        try to.write("b", [2])
        var move = FileMove(from.file("a"), to: to.file("b"), policy: .overwrite)
        move.copiesStartUnnamed = unnamed
        let error = failure { _ = try move.run() }
        #expect(error?.code == .diskFull)
        #expect(error?.advice.hasPrefix("the file is still at \(from.path("a"))") == true)
        #expect(try from.read("a").prefix(3_000_000) == pattern(3_000_000)[...])
        #expect(to.list() == ["b"])
        #expect(try to.read("b") == [2])
    }
}

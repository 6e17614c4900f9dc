import FoundationEssentials
import Glibc
import Pawl
import PawlCore
import PawlHooks
import PawlTesting
import PawlWire
import Synchronization
import Testing

/// Archives that are unpacked when they are complete.
@Suite(.timeLimit(.minutes(5)), .enabled(if: access("/usr/bin/bsdtar", X_OK) == 0))
struct UnpackOptionTests {
    /// Serves an archive that `script` writes to the path in `sys.argv[1]`.
    private func workshop(_ name: String, _ script: String) async throws -> Workshop {
        let workshop = try Workshop()
        let path = workshop.folder.path("served")
        let made = try await ProcessRunner.run(
            "/usr/bin/python3",
            [
                "-c",
                "import io, sys, tarfile\narchive = tarfile.open(sys.argv[1], 'w:gz')\n" + script,
                path,
            ]
        )
        try #require(made.status == .code(0), "\(made.errors)")
        let bytes = try workshop.folder.read("served")
        unlink(path)
        workshop.serve(.resource(Resource(bytes: bytes)), at: "/\(name)")
        return workshop
    }

    private static let good = """
        for name in ["a.txt", "inner/b.txt"]:
            entry = tarfile.TarInfo(name)
            entry.size = 3
            archive.addfile(entry, io.BytesIO(b"abc"))
        archive.close()
        """

    @Test func `an archive is unpacked beside it, and the next hook knows the folder`()
        async throws
    {
        let workshop = try await workshop("files.tar.gz", Self.good)
        let notes = try HookNotes(in: workshop.folder)
        let run = try await workshop.run(
            workshop.origin.url("/files.tar.gz"),
            "--unpack",
            "--on-complete",
            notes.command("end")
        )
        #expect(run.status == .code(0))
        #expect(try workshop.folder.readText("files/a.txt") == "abc")
        #expect(try workshop.folder.readText("files/inner/b.txt") == "abc")
        #expect(workshop.folder.exists("files.tar.gz"))
        let note = try await notes.read("end")
        #expect(note.variables["PAWL_DOWNLOAD_FOLDER"]?.hasSuffix("files") == true)
        // What exists is never replaced.
        try workshop.folder.makeFolder("third")
        try workshop.folder.write("third/files", "mine")
        _ = try await workshop.run(
            workshop.origin.url("/files.tar.gz"),
            "--unpack",
            "--directory",
            "third"
        )
        #expect(try workshop.folder.readText("third/files") == "mine")
        #expect(workshop.folder.exists("third/files.1/a.txt"))
    }

    @Test(arguments: [
        "entry = tarfile.TarInfo('../escaped')",
        "entry = tarfile.TarInfo(sys.argv[1] + '-escaped')",
        """
        link = tarfile.TarInfo('link')
        link.type, link.linkname = tarfile.SYMTYPE, '..'
        archive.addfile(link)
        entry = tarfile.TarInfo('link/escaped')
        """,
    ])
    func `nothing is written outside of the folder`(script: String) async throws {
        let end = """

            entry.size = 3
            archive.addfile(entry, io.BytesIO(b"abc"))
            archive.close()
            """
        let workshop = try await workshop("files.tar.gz", script + end)
        let run = try await workshop.run(workshop.origin.url("/files.tar.gz"), "--unpack")
        #expect(run.status == .code(0))
        #expect(!workshop.folder.exists("escaped"))
        #expect(!workshop.folder.exists("served-escaped"))
        #expect(!workshop.folder.list().contains { $0.hasPrefix(".pawl-unpacking") })
    }

    /// As root, the program would create all of these.
    @Test(arguments: ["CHRTYPE", "BLKTYPE", "FIFOTYPE"])
    func `an archive with a device or a FIFO is refused`(type: String) async throws {
        let script = """
            for name in ["a.txt", "b\\nc"]:
                archive.addfile(tarfile.TarInfo(name), io.BytesIO(b""))
            entry = tarfile.TarInfo("inner/special")
            entry.type, entry.devmajor, entry.devminor = tarfile.\(type), 1, 3
            archive.addfile(entry)
            archive.close()
            """
        let workshop = try await workshop("files.tar.gz", script)
        let run = try await workshop.run(workshop.origin.url("/files.tar.gz"), "--unpack")
        #expect(run.status == .code(0))
        #expect(run.errors.contains("contains a device file, a FIFO or a socket"), "\(run.errors)")
        #expect(workshop.folder.list() == ["files.tar.gz"])
    }

    @Test func `a file that is not an archive stays, and nothing else does`() async throws {
        let workshop = try Workshop(Resource(size: 100_000), at: "/files.zip")
        let run = try await workshop.run(workshop.origin.url("/files.zip"), "--unpack")
        #expect(run.status == .code(0))
        #expect(run.errors.contains("unpacking ended with status 1"))
        #expect(workshop.folder.list() == ["files.zip"])
    }

    private static func drafts(_ workshop: Workshop) -> [String] {
        workshop.folder.list().filter { $0.hasPrefix(".pawl-unpacking-") }
    }

    @Test func `what a killed run has left is removed when nothing uses it any more`() async throws
    {
        let workshop = try Workshop(Resource(size: 1000), at: "/files.zip")
        let (folder, url) = (workshop.folder, workshop.origin.url("/files.zip"))
        let script = """
            #!/bin/sh
            cd '\(folder.path)'
            if mkdir began 2>/dev/null; then : > started; read line < gate; fi
            """
        try folder.makeFolder("programs")
        try folder.write("programs/bsdtar", script + "\n")
        try folder.setPermissions("programs/bsdtar", 0o700)
        try #require(mkfifo(folder.path("gate"), 0o600) == 0)
        let path = "\(folder.path("programs")):/usr/bin:/bin"
        let settings = ProcessSettings(environment: ["PATH": path])
        let killed = try workshop.start(url, "--unpack", settings: settings)
        try await FolderWatch.wait(for: "started", in: folder)
        killed.signal(SIGKILL)
        await killed.waitForExit()
        let left = Self.drafts(workshop)
        #expect(left.count == 1)
        // The program still fills it.
        let next = try await workshop.run(url, "-o", "b.zip", "--unpack", settings: settings)
        #expect(next.status == .code(0), "\(next.errors)")
        #expect(folder.exists("b"))
        #expect(Self.drafts(workshop) == left)
        let writer = open(folder.path("gate"), O_RDWR | O_CLOEXEC)
        defer { close(writer) }
        #expect(write(writer, "\n", 1) == 1)
        var number = 0
        while !Self.drafts(workshop).isEmpty {
            try Task.checkCancellation()
            number += 1
            let name = "c\(number).zip"
            _ = try await workshop.run(url, "-o", name, "--unpack", settings: settings)
        }
    }

    @Test(.enabled(if: Demotion.isAvailable, "no way to run without root's rights"))
    func `a folder that is not writable is removed, too`() async throws {
        let workshop = try await workshop("files.tar.gz", Self.good)
        let folder = workshop.folder
        try folder.setPermissions(".", 0o777)
        let left = try folder.makeFolder(".pawl-unpacking-1f")
        let inner = try folder.makeFolder(".pawl-unpacking-1f/inner")
        let file = try folder.write(".pawl-unpacking-1f/inner/a", "abc")
        for path in [left, inner, file] where getuid() == 0 {
            try #require(chown(path, 65534, 65534) == 0)
        }
        try folder.setPermissions(".pawl-unpacking-1f/inner", 0o500)
        try folder.setPermissions(".pawl-unpacking-1f", 0o500)
        let run = try await Demotion.run(
            [workshop.origin.url("/files.tar.gz"), "--unpack"],
            in: workshop
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(folder.exists("files/a.txt"))
        #expect(Self.drafts(workshop).isEmpty)
    }

    @Test func `an archive with too much content is not unpacked`() async throws {
        let script = """
            for number in range(30):
                entry = tarfile.TarInfo("%d" % number)
                entry.size = 100000
                archive.addfile(entry, io.BytesIO(b"a" * 100000))
            archive.close()
            """
        let workshop = try await workshop("files.tar.gz", script)
        let url = workshop.origin.url("/files.tar.gz")
        #expect(try await workshop.run(url).status == .code(0))
        let path = workshop.folder.path("files.tar.gz")
        var limits = UnpackingLimits(freeBytes: nil)
        limits.mostEntries = 29
        let many = await ArchiveUnpacking(path: path, limits: limits).run(STDERR_FILENO)
        #expect(many.folder == nil)
        #expect(many.end.text == "was stopped: the archive contains more than 29 files")
        (limits.mostEntries, limits.mostBytes) = (30, 1_000_000)
        let large = await ArchiveUnpacking(path: path, limits: limits).run(STDERR_FILENO)
        #expect(large.folder == nil)
        #expect(large.end.text.contains("more than 1000000 bytes"))
        #expect(workshop.folder.list() == ["files.tar.gz"])
        limits.mostBytes = 1 << 30
        let enough = await ArchiveUnpacking(path: path, limits: limits).run(STDERR_FILENO)
        #expect(enough.folder == workshop.folder.path("files"))
    }

    @Test func `the limits leave some space on the disk`() {
        let gibibyte: Int64 = 1 << 30
        #expect(UnpackingLimits(freeBytes: 10 * gibibyte).mostBytes == 9 * gibibyte)
        #expect(UnpackingLimits(freeBytes: gibibyte).mostBytes == gibibyte / 2)
        #expect(UnpackingLimits(freeBytes: .max).mostBytes == 1 << 40)
        #expect(UnpackingLimits(freeBytes: nil).mostBytes == 1 << 40)
    }

    @Test func `a job that is done again finds what it has unpacked`() async throws {
        let workshop = try await workshop("files.tar.gz", Self.good)
        let url = workshop.origin.url("/files.tar.gz")
        #expect(try await workshop.run(url).status == .code(0))
        var (hooks, facts) = (
            DownloadHooks(), HookFacts(.complete, name: "files.tar.gz", url: url, at: Date())
        )
        hooks.unpacks = true
        facts.path = workshop.folder.path("files.tar.gz")
        let job = try #require(HookJob.jobs(hooks, facts).first)
        let delivery = HookDelivery(session: DownloadSession(.default))
        let noted = Mutex<HookJob?>(nil)
        let first = try await delivery.run(job) { job in noted.withLock { $0 = job } }
        #expect(first.folder == workshop.folder.path("files"))
        let again = try #require(noted.withLock { $0 })
        #expect(try await delivery.run(again).folder == first.folder)
        #expect(workshop.folder.list() == ["files", "files.tar.gz"])
        // A folder that is no longer there does not count.
        try #require(rename(workshop.folder.path("files"), workshop.folder.path("moved")) == 0)
        #expect(try await delivery.run(again).folder == first.folder)
        #expect(workshop.folder.list() == ["files", "files.tar.gz", "moved"])
    }
}

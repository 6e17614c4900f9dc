import Glibc
import PawlCore
import PawlTesting
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

    @Test func `a file that is no archive stays, and nothing else does`() async throws {
        let workshop = try Workshop(Resource(size: 100_000), at: "/files.zip")
        let run = try await workshop.run(workshop.origin.url("/files.zip"), "--unpack")
        #expect(run.status == .code(0))
        #expect(run.errors.contains("unpacking exited(1)"))
        #expect(workshop.folder.list() == ["files.zip"])
    }
}

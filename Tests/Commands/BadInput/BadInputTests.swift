import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct BadInputTests {
    /// Arguments in which URL stands for a valid URL, and the expected error.
    static let cases: [([String], ErrorCode)] = [
        (["not a url"], .usage),
        (["example.org/disk.iso"], .usage),
        (["http://"], .usage),
        (["http://host:99999/x"], .usage),
        (["http://ho st/x"], .usage),
        (["gopher://host/x"], .usage),
        (["ftp://host/folder/"], .usage),
        (["gopher://host/passwd"], .usage),
        (["javascript:alert(1)"], .usage),
        ([""], .usage),
        (["lst"], .usage),
        (["daemon", "strat"], .usage),
        (["help", "lst"], .usage),
        (["URL", ""], .usage),
        (["-i", "empty.txt"], .usage),
        (["-i", "comments.txt"], .usage),
        (["-i", "orphan.txt"], .usage),
        (["-i", "badkey.txt"], .usage),
        (["-i", "binary.txt"], .usage),
        (["-i", "badurl.txt"], .usage),
        (["-i", "missing.txt"], .fileUnreadable),
        (["-i", "folder"], .fileUnreadable),
        (["URL", "-o", "folder"], .usage),
        (["URL", "-o", "folder/"], .usage),
        (["URL", "-o", "."], .usage),
        (["URL", "-o", ""], .usage),
        (["URL", "-o", "-", "-d", "folder"], .usage),
        (["URL", "-o", String(repeating: "n", count: 256)], .fileNotCreatable),
        (["URL", "-d", "plain"], .directoryNotUsable),
        (["URL", "-d", ""], .usage),
        (["URL", "-o", "plain/x"], .directoryNotUsable),
        (["URL", "-d", "plain/x"], .directoryNotUsable),
        (["URL", "--checksum", "sha256"], .usage),
        (["URL", "--checksum", "sha256=12"], .usage),
        (["URL", "--checksum", "crc32=12345678"], .usage),
        (["URL", "--checksum", "md5=" + String(repeating: "g", count: 32)], .usage),
        (["URL", "--checksum", String(repeating: "a", count: 64)], .usage),
        (["URL", "--total-limit", "-5"], .usage),
        (["URL", "--total-limit", "fast"], .usage),
        (["URL", "--min-speed", "-1K"], .usage),
        (["URL", "--max-time", "-1"], .usage),
        (["URL", "--max-time", "inf"], .usage),
        (["URL", "--connect-timeout", "0"], .usage),
        (["URL", "--stall-timeout", "soon"], .usage),
        (["URL", "--retries", "-1"], .usage),
        (["URL", "-x", "0"], .usage),
        (["URL", "-x", "65"], .usage),
        (["URL", "-j", "0"], .usage),
        (["URL", "-H", "no colon"], .usage),
        (["URL", "-H", "X: a\r\nY: b"], .usage),
        (["URL", "-H", "Range: bytes=0-1"], .usage),
        (["URL", "--user", ""], .usage),
        (["URL", "--cacert", "missing.pem"], .fileUnreadable),
        (["URL", "--if-exists", "ask"], .usage),
        (["URL", "--progress", "pretty"], .usage),
        (["URL", "-q", "-v"], .usage),
        (["URL", "URL", "-o", "x"], .usage),
        (["URL", "-o", "x", "-i", "good.txt"], .usage),
        (["URL", "-o", "/tmp/x", "-d", "folder"], .usage),
        (["URL", "-i", "good.txt", "--checksum", "md5=" + zeros], .usage),
        (["URL", "--no-such-option"], .usage),
        (["URL", "--output"], .usage),
        (["inspect"], .usage),
        (["inspect", "a", "b"], .usage),
        (["inspect", "--json", "plain"], .usage),
    ]

    private static let zeros = String(repeating: "0", count: 32)

    private func workshop() throws -> Workshop {
        let workshop = try Workshop(Resource(size: 1000))
        try workshop.folder.makeFolder("folder")
        try workshop.folder.write("plain", "text\n")
        try workshop.folder.write("empty.txt", "")
        try workshop.folder.write("comments.txt", "# nothing\n\n  \n")
        try workshop.folder.write("orphan.txt", "  output=x\n\(workshop.url)\n")
        try workshop.folder.write("badkey.txt", "\(workshop.url)\n  colour=red\n")
        try workshop.folder.write("badurl.txt", "\(workshop.url)\nnot a url\n")
        try workshop.folder.write("binary.txt", [0xFF, 0xFE, 0x00, 0x80])
        try workshop.folder.write("good.txt", workshop.url)
        return workshop
    }

    @Test(arguments: cases)
    func `invalid input is reported in at most two lines before anything is changed`(
        arguments: [String],
        code: ErrorCode
    ) async throws {
        let workshop = try workshop()
        let before = workshop.folder.list()
        let run = try await workshop.run(
            arguments.map { $0 == "URL" ? workshop.url : $0 }
        )
        expectFailure(code, run)
        #expect((1...2).contains(run.errorLines.count), "\(run.errors)")
        // The advice follows a semicolon or has its own line.
        #expect(run.errors.contains("; ") || run.errorLines.count == 2, "\(run.errors)")
        #expect(workshop.folder.list() == before)
        #expect(try workshop.folder.readText("plain") == "text\n")
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `one invalid option prevents the whole run`() async throws {
        let workshop = try workshop()
        try workshop.folder.write(
            "mixed.txt",
            "\(workshop.url)\n  output=a\n\(workshop.url)\n  output=b\n  checksum=md5=1\n"
        )
        let run = try await workshop.run("-i", "mixed.txt")
        expectFailure(.usage, run)
        #expect(run.errors.contains("mixed.txt, line 5"))
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "only root can mount a read-only disk"))
    func `a read-only disk is reported before any request`() async throws {
        let workshop = try workshop()
        let disk = try #require(try SmallDisk(bytes: 1 << 20))
        #expect(disk.makeReadOnly())
        for arguments in [
            ["-d", disk.path], ["-o", "\(disk.path)/x"], ["-d", "\(disk.path)/a/b"],
        ] {
            let run = try await workshop.run([workshop.url] + arguments)
            expectFailure(.directoryNotUsable, run)
            #expect(run.errors.contains("read-only"))
        }
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test(.enabled(if: Demotion.isAvailable, "no way to run without root's rights"))
    func `a folder without permission is reported before any request`() async throws {
        let workshop = try workshop()
        let closed = try workshop.folder.makeFolder("closed")
        try workshop.folder.setPermissions(".", 0o755)
        try workshop.folder.setPermissions("closed", 0o555)
        try workshop.folder.write("secret.txt", workshop.url)
        try workshop.folder.setPermissions("secret.txt", 0)
        for arguments in [["-d", closed], ["-o", "\(closed)/x"], ["-d", "\(closed)/a/b"]] {
            let run = try await Demotion.run([workshop.url] + arguments, in: workshop)
            expectFailure(.directoryNotUsable, run)
            #expect(run.errors.contains("; "))
        }
        let run = try await Demotion.run(["-i", "secret.txt"], in: workshop)
        expectFailure(.fileUnreadable, run)
        #expect(workshop.origin.requests.isEmpty)
    }

    /// Root may do anything there by the permissions, and nothing in fact.
    @Test func `a folder in which no file can be created is an error`() async throws {
        let workshop = try workshop()
        expectFailure(.directoryNotUsable, try await workshop.run(workshop.url, "-d", "/proc"))
        expectFailure(.directoryNotUsable, try await workshop.run(workshop.url, "-o", "/proc/x"))
    }

    @Test func `a secret in an invalid URL is not printed`() async throws {
        let workshop = try workshop()
        let urls = [
            "htp://me:hunter2@host/x", "http://me:hunter2@host:x/y",
            "http://me:hunter2@/x", "me:hunter2@host/x", "http://ho st/x?token=hunter2",
        ]
        for url in urls {
            let run = try await workshop.run(url)
            expectFailure(.usage, run)
            #expect(!run.everything.contains("hunter2"), "\(run.errors)")
        }
    }
}

extension BadInputTests {
    @Test(arguments: [
        (
            ["lst", "--all"],
            "pawl: no command 'lst'; did you mean 'pawl list'?"
        ),
        (
            ["daemon", "strat"],
            "pawl: no command 'strat'; did you mean 'pawl daemon start'?"
        ),
        (
            ["frobnicate", "x"],
            "pawl: 'frobnicate' is neither a command nor a URL; see 'pawl --help'"
        ),
        (["--hlep"], "pawl: unknown option '--hlep'; did you mean '--help'?"),
        (
            ["--conections", "4", "http://host/a"],
            "pawl: unknown option '--conections'; did you mean '--connections'?"
        ),
        (["--zzzzzz", "http://host/a"], "pawl: unknown option '--zzzzzz'"),
    ])
    func `a mistyped verb or option is recognized`(arguments: [String], line: String) async throws {
        let run = try await Workshop().run(arguments)
        expectFailure(.usage, run)
        #expect(run.errorLines.first == line)
    }
}

import Glibc
import PawlCore
import PawlTesting
import SystemPackage
import Testing

import PawlStorage

/// `pawl verify` with a Metalink, and `--repair`.
@Suite(.timeLimit(.minutes(5)))
struct VerifyRepairTests {
    private static let piece: Int64 = 65_536
    private let resource = Resource(size: 1_000_000)

    private func metalink(_ workshop: Workshop, digest: Bool = true) -> String {
        resource.metalink(urls: [workshop.url], pieceLength: Self.piece, digest: digest)
    }

    /// Writes the file with wrong bytes in these pieces.
    private func write(_ workshop: Workshop, damaged pieces: Int...) throws {
        var bytes = resource.bytes()
        for piece in pieces { bytes[piece * Int(Self.piece) + 5] ^= 0x40 }
        try workshop.folder.write("disk.iso", bytes)
    }

    @Test(arguments: [true, false])
    func `a Metalink shows which pieces are damaged`(digest: Bool) async throws {
        let workshop = try Workshop(resource)
        try workshop.folder.write("list.meta4", metalink(workshop, digest: digest))
        try write(workshop)
        var run = try await workshop.run("verify", "--metalink", "list.meta4")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.output == "disk.iso: OK (\(digest ? "sha256" : "sha1"))\n")
        try write(workshop, damaged: 3, 15)
        run = try await workshop.run("verify", "--metalink", "list.meta4", "disk.iso")
        #expect(run.status == .code(ErrorCode.checksumMismatch.exitStatus))
        #expect(run.errors.contains("2 of its 16 pieces are damaged"), "\(run.errors)")
        run = try await workshop.run("verify", "--metalink", "list.meta4", "--json")
        #expect(run.output.contains("\"196608-262143\""), "\(run.output)")
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `only the damaged pieces are fetched again`() async throws {
        let workshop = try Workshop(resource)
        try workshop.folder.write("list.meta4", metalink(workshop))
        try write(workshop, damaged: 3, 9)
        let run = try await workshop.run("verify", "--metalink", "list.meta4", "--repair")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.output.contains("disk.iso: repaired (sha256)"), "\(run.output)")
        #expect(try workshop.folder.read("disk.iso") == resource.bytes())
        #expect(workshop.folder.list() == ["disk.iso", "list.meta4"])
        let asked = workshop.origin.requests.map(\.bodyBytesSent).reduce(0, +)
        #expect(asked <= 3 * Self.piece, "\(asked)")
    }

    @Test func `a file that is too short, and one that is too long`() async throws {
        let workshop = try Workshop(resource)
        try workshop.folder.write("list.meta4", metalink(workshop))
        for bytes in [Array(resource.bytes().prefix(500_000)), resource.bytes() + [1, 2, 3]] {
            try workshop.folder.write("disk.iso", bytes)
            let run = try await workshop.run("verify", "--metalink", "list.meta4", "--repair")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(try workshop.folder.read("disk.iso") == resource.bytes())
        }
    }

    @Test func `a Metalink without a checksum finds a file of another size`() async throws {
        let workshop = try Workshop(resource)
        try workshop.folder.write("list.meta4", metalink(workshop, digest: false))
        try workshop.folder.write("disk.iso", resource.bytes() + [1, 2, 3])
        var run = try await workshop.run("verify", "--metalink", "list.meta4")
        #expect(run.status == .code(ErrorCode.checksumMismatch.exitStatus))
        #expect(run.errors.contains("1000003 bytes instead of 1000000"), "\(run.errors)")
        run = try await workshop.run("verify", "--metalink", "list.meta4", "--repair")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.read("disk.iso") == resource.bytes())
    }

    @Test func `a repair changes no partial file of others, and follows links`() async throws {
        let workshop = try Workshop(resource)
        try workshop.folder.write("list.meta4", metalink(workshop))
        try write(workshop, damaged: 2)
        try workshop.folder.write("disk.iso.part", "mine")
        let arguments = ["verify", "--metalink", "list.meta4", "--repair"]
        var run = try await workshop.run(arguments)
        #expect(run.status == .code(ErrorCode.fileExists.exitStatus), "\(run.errors)")
        #expect(try workshop.folder.readText("disk.iso.part") == "mine")
        unlink(workshop.folder.path("disk.iso.part"))
        symlink("disk.iso", workshop.folder.path("link"))
        run = try await workshop.run(arguments + ["link", "link"])
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.read("disk.iso") == resource.bytes())
        #expect(workshop.folder.list() == ["disk.iso", "link", "list.meta4"])
        var status = stat()
        #expect(lstat(workshop.folder.path("link"), &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test func `without a Metalink, the whole file is fetched from its recorded source`()
        async throws
    {
        let workshop = try Workshop(resource)
        let digest = try #require(resource.digest(.sha256)).description
        var run = try await workshop.run(workshop.url, "--xattr", "--checksum", digest)
        #expect(run.status == .code(0), "\(run.errors)")
        // The repaired file has the same record.
        for _ in 1...2 {
            // The attributes of the file stay.
            var bytes = resource.bytes()
            bytes[4000] ^= 1
            try workshop.folder.write("disk.iso", bytes)
            run = try await workshop.run("verify", "disk.iso")
            #expect(run.status == .code(ErrorCode.checksumMismatch.exitStatus), "\(run.output)")
            run = try await workshop.run("verify", "--repair", "disk.iso")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(try workshop.folder.read("disk.iso") == resource.bytes())
        }
        #expect(workshop.folder.list() == ["disk.iso"])
    }

    /// The options with which the digests of the file and its pieces are known, and stored with it.
    private func known() throws -> [String] {
        let digest = try #require(resource.digest(.sha256)).description
        let pieces = try #require(resource.pieceDigests(length: Self.piece)).description
        return ["--checksum", digest, "--pieces", pieces]
    }

    @Test func `the pieces that are stored with a file tell what is to be fetched again`()
        async throws
    {
        let workshop = try Workshop(resource)
        let first = try await workshop.run([workshop.url, "--xattr"] + known())
        #expect(first.status == .code(0), "\(first.errors)")
        // The repaired file has the same record.
        for piece in [3, 9] {
            try write(workshop, damaged: piece)
            let found = try await workshop.run("verify", "disk.iso")
            #expect(found.status == .code(ErrorCode.checksumMismatch.exitStatus))
            #expect(found.errors.contains("1 of its 16 pieces are damaged"), "\(found.errors)")
            let before = workshop.origin.requests.count
            let run = try await workshop.run("verify", "--repair", "disk.iso")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(try workshop.folder.read("disk.iso") == resource.bytes())
            let asked = workshop.origin.requests.dropFirst(before).map(\.bodyBytesSent)
            #expect(asked.reduce(0, +) <= 3 * Self.piece, "\(asked)")
        }
        #expect(workshop.folder.list() == ["disk.iso"])
    }

    @Test func `a file is repaired from a mirror that is stored with it`() async throws {
        let (workshop, mirror) = (try Workshop(resource), try ScriptedOrigin())
        mirror.route("/copy", .resource(resource))
        let secret = mirror.url("/copy?token=s3cret")
        let first = try await workshop.run(
            [workshop.url, "--xattr", "--mirror", mirror.url("/copy"), "--mirror", secret]
                + known()
        )
        #expect(first.status == .code(0), "\(first.errors)")
        #expect(stored("user.pawl.mirrors", in: workshop) == mirror.url("/copy"))
        try write(workshop, damaged: 4)
        workshop.serve(.status(404))
        let run = try await workshop.run("verify", "--repair", "disk.iso")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.read("disk.iso") == resource.bytes())
    }

    private func stored(_ name: String, in workshop: Workshop) -> String? {
        let path = FilePath(workshop.folder.path("disk.iso"))
        return TextAttribute(name: name).text(of: path)
    }

    @Test func `without --xattr, the URL is stored only for repairs`() async throws {
        let (workshop, mirror) = (try Workshop(resource), try ScriptedOrigin())
        mirror.route("/copy", .resource(resource))
        let first = try await workshop.run(
            [workshop.url, "--mirror", mirror.url("/copy")] + known()
        )
        #expect(first.status == .code(0), "\(first.errors)")
        #expect(stored("user.xdg.origin.url", in: workshop) == nil)
        #expect(stored("user.pawl.source", in: workshop) == workshop.url)
        // The repaired file has the same record.
        for piece in [4, 9] {
            try write(workshop, damaged: piece)
            let before = workshop.origin.requests.count
            let run = try await workshop.run("verify", "--repair", "disk.iso")
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(try workshop.folder.read("disk.iso") == resource.bytes())
            let bytes = workshop.origin.requests.dropFirst(before).map(\.bodyBytesSent)
            #expect(bytes.reduce(0, +) <= 3 * Self.piece, "\(bytes)")
        }
        #expect(stored("user.xdg.origin.url", in: workshop) == nil)
        // Another source of the record is enough.
        try write(workshop, damaged: 2)
        workshop.serve(.status(404))
        let run = try await workshop.run("verify", "--repair", "disk.iso")
        #expect(run.status == .code(0), "\(run.errors)")
    }

    @Test func `a URL with a secret is not stored, and without a checksum, none is`() async throws {
        let workshop = try Workshop(resource)
        let signed = Workshop.path + "?token=s3cret"
        workshop.origin.route(signed, .resource(resource))
        let secret = try await workshop.run([workshop.origin.url(signed)] + known())
        #expect(secret.status == .code(0), "\(secret.errors)")
        #expect(stored("user.pawl.source", in: workshop) == nil)
        try write(workshop, damaged: 4)
        let asked = try await workshop.run("verify", "--repair", "disk.iso")
        #expect(asked.status == .code(ErrorCode.usage.exitStatus))
        #expect(asked.errors.contains("give it with --url"), "\(asked.errors)")
        let run = try await workshop.run("verify", "--repair", "disk.iso", "--url", workshop.url)
        #expect(run.status == .code(0), "\(run.errors)")
        let plain = try await workshop.run(workshop.url, "-o", "plain")
        #expect(plain.status == .code(0), "\(plain.errors)")
        let path = FilePath(workshop.folder.path("plain"))
        #expect(TextAttribute(name: "user.pawl.source").text(of: path) == nil)
    }

    @Test(arguments: [
        ["--data", "q=1"], ["--cookies", "jar"], ["--netrc", "logins"], ["--header", "X-A: 1"],
    ])
    func `a URL that is not enough to fetch the file is not stored`(
        options: [String]
    ) async throws {
        var resource = resource
        resource.methods = ["GET", "POST"]
        let workshop = try Workshop(resource)
        try workshop.folder.write("logins", "machine 127.0.0.1 login me password x1y2\n")
        let run = try await workshop.run([workshop.url] + options + known())
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(stored("user.pawl.source", in: workshop) == nil)
    }

    @Test(arguments: [true, false])
    func `a URL that redirects to a host with a login is not stored`(isMirror: Bool) async throws {
        for (options, isStored) in [([], true), (["--netrc", "logins"], false)]
            as [([String], Bool)]
        {
            let (workshop, mirror) = (try Workshop(), try ScriptedOrigin())
            let elsewhere = workshop.origin.url("/elsewhere", host: "localhost")
            workshop.origin.route("/elsewhere", .resource(resource))
            // The first source serves nothing, so that the mirror must be asked, too.
            workshop.serve(isMirror ? .status(404) : .redirect(to: elsewhere))
            mirror.route("/copy", .redirect(to: elsewhere))
            try workshop.folder.write("logins", "machine localhost login me password x1y2\n")
            let sources = isMirror ? ["--mirror", mirror.url("/copy")] : []
            let run = try await workshop.run([workshop.url] + sources + options + known())
            #expect(run.status == .code(0), "\(run.errors)")
            let name = isMirror ? "user.pawl.mirrors" : "user.pawl.source"
            #expect((stored(name, in: workshop) != nil) == isStored, "\(options)")
        }
    }

    @Test func `mirrors are not stored if the request has a secret, or they have a user`()
        async throws
    {
        let mirror = try ScriptedOrigin()
        for path in ["/copy", "/copy?v=2"] { mirror.route(path, .resource(resource)) }
        let copy = mirror.url("/copy")
        let user = copy.replacing("://", with: "://me:x1y2@")
        let cases: [([String], [String], String?)] = [
            ([copy], ["--header", "X-A: 1"], nil), ([user, copy + "?v=2"], [], copy + "?v=2"),
            ([copy], ["--netrc", "logins"], copy),
        ]
        for (mirrors, options, expected) in cases {
            let workshop = try Workshop(resource)
            try workshop.folder.write("logins", "machine other.example login me password x1y2\n")
            let sources = mirrors.flatMap { ["--mirror", $0] }
            let run = try await workshop.run([workshop.url] + sources + options + known())
            #expect(run.status == .code(0), "\(run.errors)")
            #expect(stored("user.pawl.mirrors", in: workshop) == expected)
        }
    }

    @Test(arguments: [[], ["--xattr"]])
    func `a token in the path of a URL is not stored`(options: [String]) async throws {
        let (workshop, mirror) = (try Workshop(resource), try ScriptedOrigin())
        let token = "AKx3vQ9mZt2LrW8cYpB1nD"
        workshop.origin.route("/\(token)/disk.iso", .resource(resource))
        mirror.route("/\(token)", .resource(resource))
        let run = try await workshop.run(
            [workshop.origin.url("/\(token)/disk.iso"), "--mirror", mirror.url("/\(token)")]
                + options + known()
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(stored("user.pawl.source", in: workshop) == nil)
        #expect(stored("user.pawl.mirrors", in: workshop) == nil)
        let origin = options.isEmpty ? nil : workshop.origin.url("/REDACTED/disk.iso")
        #expect(stored("user.xdg.origin.url", in: workshop) == origin)
    }

    @Test func `the stored pieces are not those of a file with another checksum`() async throws {
        let workshop = try Workshop(resource)
        let first = try await workshop.run([workshop.url] + known())
        #expect(first.status == .code(0), "\(first.errors)")
        let newer = Resource(size: resource.size, seed: 7)
        let digest = try #require(newer.digest(.sha256)).description
        let run = try await workshop.run("verify", "--checksum", digest, "disk.iso")
        #expect(run.status == .code(ErrorCode.checksumMismatch.exitStatus))
        #expect(!run.errors.contains("pieces"), "\(run.errors)")
    }

    @Test func `a source that is damaged as well leaves the file as it is`() async throws {
        var bad = resource.bytes()
        bad[3 * Int(Self.piece) + 7] ^= 1
        let workshop = try Workshop(Resource(bytes: bad))
        try workshop.folder.write("list.meta4", metalink(workshop))
        try write(workshop, damaged: 3)
        let before = try workshop.folder.read("disk.iso")
        let run = try await workshop.run("verify", "--metalink", "list.meta4", "--repair")
        #expect(run.status == .code(ErrorCode.checksumMismatch.exitStatus))
        #expect(try workshop.folder.read("disk.iso") == before)
    }

    @Test func `the options of a download and the config file apply to a repair`() async throws {
        let workshop = try Workshop()
        workshop.serve(Reply.resource(resource).requireBasic(name: "me", password: "hunter2"))
        try write(workshop, damaged: 1)
        let digest = try #require(resource.digest(.sha256)).description
        let arguments = ["verify", "--checksum", digest, "disk.iso"]
        let repair = arguments + ["--repair", "--url", workshop.url]
        let refused = try await workshop.run(repair)
        expectFailure(.unauthorized, refused)
        var run = try await workshop.run(repair + ["-u", "me:hunter2", "-H", "X-A: 1"])
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.read("disk.iso") == resource.bytes())
        #expect(workshop.origin.requests.last?["X-A"] == "1")
        try workshop.folder.write(
            "config.toml",
            "[defaults]\nuser = \"me:hunter2\"\ncompressed = true"
        )
        try workshop.folder.setPermissions("config.toml", 0o600)
        try write(workshop, damaged: 1)
        run = try await workshop.run(repair + ["--config", "config.toml", "-x", "1"])
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.origin.requests.last?["Accept-Encoding"] == "identity")
        // The URL can contain the name and the password.
        try write(workshop, damaged: 1)
        let signedIn = workshop.url.replacing("http://", with: "http://me:hunter2@")
        run = try await workshop.run(arguments + ["--repair", "--url", signedIn])
        #expect(run.status == .code(0), "\(run.errors)")
        let unused = try await workshop.run(arguments + ["--proxy", "none"])
        expectFailure(.usage, unused)
        #expect(
            unused.errors.contains("--proxy can only be used with --repair"),
            "\(unused.errors)"
        )
        expectFailure(.usage, try await workshop.run(repair + ["--retries", "x"]))
    }

    @Test func `a file that is put in its place while it is repaired is kept`() async throws {
        let workshop = try Workshop()
        let folder = workshop.folder
        workshop.serve(
            Reply.resource(resource).afterBytes(500_000) {
                folder.replaceWithOwn("disk.iso")
            }
        )
        try write(workshop, damaged: 1)
        let digest = try #require(resource.digest(.sha256)).description
        let run = try await workshop.run(
            ["verify", "--checksum", digest, "disk.iso", "--repair", "--url", workshop.url]
        )
        #expect(run.status == .code(ErrorCode.conflict.exitStatus), "\(run.errors)")
        #expect(try workshop.folder.readText("disk.iso") == "mine")
        #expect(try workshop.folder.read("disk.1.iso") == resource.bytes())
    }

    // MARK: - Attributes of others

    /// A damaged file with a digest and a URL in its attributes.
    private func attributed(_ workshop: Workshop, _ origin: String) throws {
        try write(workshop, damaged: 1)
        let digest = try #require(resource.digest(.sha256)).description
        let path = FilePath(workshop.folder.path("disk.iso"))
        #expect(TextAttribute.origin.put(origin, on: path))
        #expect(TextAttribute.digest.put(digest, on: path))
    }

    @Test func `a file is not repaired from a file of this computer that its attributes name`()
        async throws
    {
        let workshop = try Workshop(resource)
        try workshop.folder.write("private", resource.bytes())
        for origin in ["file://" + workshop.folder.path("private"), "data:,x", "nonsense"] {
            try attributed(workshop, origin)
            let run = try await workshop.run("verify", "--repair", "disk.iso")
            #expect(run.errors.contains("its URL is not known"), "\(run.errors)")
        }
        #expect(workshop.folder.list() == ["disk.iso", "private"])
    }

    @Test func `a server that only the attributes name gets no secret`() async throws {
        let workshop = try Workshop(resource)
        try attributed(workshop, workshop.url)
        for secret in [["-u", "me:hunter2"], ["-H", "X-Secret: 1"], ["--bearer", "t0ken"]] {
            let run = try await workshop.run(["verify", "--repair", "disk.iso"] + secret)
            #expect(run.status != .code(0))
            #expect(run.errors.contains("give it with --url"), "\(run.errors)")
        }
        #expect(workshop.origin.requests.isEmpty)
        let run = try await workshop.run("verify", "--repair", "disk.iso")
        #expect(run.status == .code(0), "\(run.errors)")
    }

    @Test(.enabled(if: geteuid() == 0))
    func `the attributes and the symbolic links of another user are not followed`() async throws {
        let workshop = try Workshop(resource)
        try attributed(workshop, workshop.url)
        try #require(chown(workshop.folder.path("disk.iso"), 65_534, 65_534) == 0)
        let foreign = try await workshop.run("verify", "--repair", "disk.iso")
        #expect(foreign.errors.contains("its URL is not known"), "\(foreign.errors)")
        try workshop.folder.write("list.meta4", metalink(workshop))
        try workshop.folder.makeFolder("secret")
        rename(workshop.folder.path("disk.iso"), workshop.folder.path("secret/conf"))
        symlink("secret/conf", workshop.folder.path("disk.iso"))
        try #require(lchown(workshop.folder.path("disk.iso"), 65_534, 65_534) == 0)
        let before = try workshop.folder.read("secret/conf")
        let linked = try await workshop.run("verify", "--metalink", "list.meta4", "--repair")
        #expect(linked.errors.contains("is a symbolic link of another user"), "\(linked.errors)")
        #expect(try workshop.folder.read("secret/conf") == before)
    }

    @Test func `the progress of a repair is shown`() async throws {
        let large = Resource(size: 20 << 20)
        let (workshop, latch) = (try Workshop(), Latch())
        workshop.serve(Reply.resource(large).holdAfterBytes(5 << 20, until: latch))
        try workshop.folder.write("disk.iso", "damaged")
        let digest = try #require(large.digest(.sha256)).description
        let runner = try workshop.start(
            arguments: [
                "verify", "--checksum", digest, "--repair", "--url", workshop.url, "disk.iso",
            ],
            ProcessSettings(terminal: TerminalSize(columns: 100, rows: 24))
        )
        #expect(await runner.waitForOutput(containing: "25%"))
        latch.release()
        #expect(await runner.waitForExit() == .code(0))
        #expect(runner.output.contains("disk.iso: repaired (sha256)"))
    }

    @Test func `the advice of a failed repair names no option that the command lacks`()
        async throws
    {
        let workshop = try Workshop()
        let wrong = "sha-256=:WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM=:"
        workshop.serve(Reply.resource(resource).setting("Repr-Digest", wrong))
        try workshop.folder.write("list.meta4", metalink(workshop, digest: false))
        try write(workshop, damaged: 1)
        let run = try await workshop.run("verify", "--metalink", "list.meta4", "--repair")
        expectFailure(.checksumMismatch, run)
        #expect(run.errors.contains("'pawl get --checksum none'"), "\(run.errors)")
    }

    @Test func `without a source there is no repair`() async throws {
        let workshop = try Workshop(resource)
        try write(workshop, damaged: 1)
        let digest = try #require(resource.digest(.sha256)).description
        var run = try await workshop.run("verify", "--checksum", digest, "--repair", "disk.iso")
        #expect(run.status == .code(ErrorCode.usage.exitStatus))
        #expect(run.errors.contains("give it with --url"), "\(run.errors)")
        run = try await workshop.run(
            "verify",
            "--checksum",
            digest,
            "--repair",
            "--url",
            workshop.url,
            "disk.iso"
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try workshop.folder.read("disk.iso") == resource.bytes())
    }
}

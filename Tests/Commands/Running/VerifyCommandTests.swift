import Glibc
import PawlCore
import PawlTesting
import Testing

/// `pawl verify`.
@Suite(.timeLimit(.minutes(5)))
struct VerifyCommandTests {
    private let resource = Resource(size: 3_000_000)

    private func sha256(of path: String) async throws -> String {
        let run = try await ProcessRunner.run("sha256sum", [path])
        return String(run.output.prefix(64))
    }

    /// A workshop with the files `a` and `b`, and their checksums in `SHA256SUMS`.
    private func workshop() async throws -> Workshop {
        let workshop = try Workshop()
        try workshop.folder.write("a", resource.bytes())
        try workshop.folder.write("b", "b\n")
        let sums = try await ProcessRunner.run(
            "sha256sum",
            ["a", "b"],
            ProcessSettings(folder: workshop.folder.path)
        )
        try workshop.folder.write("SHA256SUMS", sums.output)
        return workshop
    }

    @Test func `a download says if it has found no checksum`() async throws {
        let workshop = try Workshop(Resource(size: 300_000))
        let run = try await workshop.run(workshop.url, "--checksum", "auto")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.errors.contains("note: no checksum of the file was found"), "\(run.errors)")
        let other = try await workshop.run(workshop.url, "-o", "other")
        #expect(!other.errors.contains("no checksum"), "\(other.errors)")
    }

    @Test func `a checksum is right or wrong`() async throws {
        let workshop = try await workshop()
        let digest = try await sha256(of: workshop.folder.path("a"))
        let right = try await workshop.run("verify", "a", "--checksum", "sha256=\(digest)")
        #expect(right.status == .code(0), "\(right.errors)")
        #expect(right.output == "a: OK (sha256)\n")
        let wrong = try await workshop.run("verify", "b", "--checksum", "sha256=\(digest)")
        expectFailure(.checksumMismatch, wrong)
        #expect(wrong.errors.contains("b does not have the expected sha256"))
        let quiet = try await workshop.run("verify", "-q", "a", "--checksum", "sha256=\(digest)")
        #expect(quiet.status == .code(0))
        #expect(quiet.everything.isEmpty)
    }

    @Test func `all files of a list, beside it`() async throws {
        let workshop = try await workshop()
        let list = workshop.folder.path("SHA256SUMS")
        let run = try await workshop.run(
            "verify",
            "-c",
            list,
            settings: ProcessSettings(folder: "/tmp")
        )
        #expect(run.status == .code(0), "\(run.errors)")
        let folder = workshop.folder.path
        #expect(run.output == "\(folder)/a: OK (sha256)\n\(folder)/b: OK (sha256)\n")
        try workshop.folder.write("b", "c\n")
        let damaged = try await workshop.run("verify", "--sums", "SHA256SUMS")
        #expect(damaged.status == .code(ErrorCode.checksumMismatch.exitStatus))
        #expect(damaged.output == "a: OK (sha256)\n")
        #expect(damaged.errors.contains("b does not have the expected sha256"))
        let one = try await workshop.run("verify", "--sums", "SHA256SUMS", "a")
        #expect(one.status == .code(0), "\(one.errors)")
        let json = try await workshop.run("verify", "--sums", "SHA256SUMS", "--json")
        #expect(json.status == .code(ErrorCode.checksumMismatch.exitStatus))
        #expect(json.output.contains(#""isVerified" : false"#))
        #expect(json.output.contains(#""error" : "checksum-mismatch""#))
    }

    @Test func `a line of a list that is not a checksum is noted`() async throws {
        let workshop = try await workshop()
        let list = try workshop.folder.readText("SHA256SUMS")
        try workshop.folder.write("SHA256SUMS", "# mine\n" + list + "nonsense  c\n")
        let run = try await workshop.run("verify", "--sums", "SHA256SUMS")
        #expect(run.status == .code(0), "\(run.errors)")
        let lines = list.split(separator: "\n").count
        #expect(run.errors.contains("line \(lines + 2) of SHA256SUMS is not a checksum"))
        let signed = "-----BEGIN PGP SIGNED MESSAGE-----\n\n" + list
        try workshop.folder.write("SHA256SUMS", signed)
        let quiet = try await workshop.run("verify", "--sums", "SHA256SUMS")
        #expect(quiet.status == .code(0) && quiet.errors.isEmpty, "\(quiet.errors)")
    }

    @Test func `the digest of the download is stored with the file`() async throws {
        let workshop = try Workshop(resource)
        let path = try workshop.folder.write("copy", resource.bytes())
        let digest = try await sha256(of: path)
        let run = try await workshop.run(workshop.url, "--checksum", "sha256=\(digest)")
        #expect(run.status == .code(0), "\(run.errors)")
        let right = try await workshop.run("verify", Workshop.name)
        #expect(right.status == .code(0), "\(right.errors)")
        #expect(right.output == "\(Workshop.name): OK (sha256)\n")
        var bytes = resource.bytes()
        bytes[1_000_000] ^= 1
        // Written over its own bytes, the file keeps what is stored with it.
        try workshop.folder.write(Workshop.name, bytes)
        let damaged = try await workshop.run("verify", Workshop.name)
        expectFailure(.checksumMismatch, damaged)
        // The URL of the download is stored with the file.
        #expect(damaged.errors.contains("repair it with --repair,"), "\(damaged.errors)")
        let unknown = try await workshop.run("verify", "copy")
        expectFailure(.usage, unknown)
        #expect(unknown.errors.contains("no checksum of copy is known"))
    }

    @Test func `the server's digest is stored, too`() async throws {
        let workshop = try Workshop()
        // SHA-256 of `hello` and a line feed.
        let digest = "sha-256=:WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM=:"
        let reply = Reply.resource(Resource(text: "hello\n")).setting("Repr-Digest", digest)
        workshop.serve(reply)
        let first = try await workshop.run(workshop.url)
        #expect(first.status == .code(0), "\(first.errors)")
        let run = try await workshop.run("verify", Workshop.name)
        #expect(run.output == "\(Workshop.name): OK (sha256)\n", "\(run.errors)")
    }

    /// A file of zeros takes no space, and hashing it takes longer than two redraws.
    @Test func `several files are compared at a time, which a terminal shows`() async throws {
        let workshop = try Workshop()
        for name in ["a", "b"] {
            try workshop.folder.write(name, "")
            #expect(truncate(workshop.folder.path(name), 2 << 40) == 0)
        }
        let sums = ["a", "b"].map { "\(String(repeating: "0", count: 64))  \($0)\n" }.joined()
        try workshop.folder.write("SHA256SUMS", sums)
        let runner = try workshop.start(
            "verify",
            "--sums",
            "SHA256SUMS",
            settings: ProcessSettings(terminal: TerminalSize(columns: 80, rows: 24))
        )
        // Neither file ends within the test, so at some time the screen has the progress of both.
        var (names, count) = ([Character](), 0)
        while !names.starts(with: ["a", "b"]) {
            count += 1
            try #require(await runner.waitForOutput(containing: "iB/s", count: count))
            var screen = ScreenEmulator(columns: 80)
            screen.feed(runner.output)
            names = screen.lines.filter { $0.contains("iB/s") }.compactMap(\.first)
        }
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(ErrorCode.interrupted.exitStatus))
        #expect(runner.output.contains("interrupted"), "\(runner.output)")
    }

    @Test func `mistakes are errors`() async throws {
        let workshop = try await workshop()
        try workshop.folder.write("empty", "nothing\n")
        let digest = String(repeating: "0", count: 64)
        for arguments in [
            ["verify"], ["verify", "a", "b", "--checksum", "sha256=\(digest)"],
            ["verify", "a", "--checksum", "none"], ["verify", "a", "--checksum", "sha256=1"],
            ["verify", "--sums", "empty"], ["verify", "--sums", "SHA256SUMS", "c"],
            ["verify", "a", "--sums", "SHA256SUMS", "--checksum", "sha256=\(digest)"],
        ] {
            expectFailure(.usage, try await workshop.run(arguments))
        }
        let missing = try await workshop.run("verify", "c", "--checksum", "sha256=\(digest)")
        #expect(missing.status != .code(0))
        #expect(missing.errors.contains("c"))
    }
}

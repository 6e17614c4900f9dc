import Glibc
import PawlCore
import PawlTesting
import Testing

/// Downloads into a bucket: `pawl URL -o s3://bucket/key`.
@Suite(.timeLimit(.minutes(5)))
struct ObjectOutputTests {
    private let workshop: Workshop
    private let bucket: ScriptedBucket
    /// The folder of the records of uploads.
    private let state: ScratchFolder

    init() throws {
        (workshop, bucket, state) = (try Workshop(), try ScriptedBucket(), try ScratchFolder())
    }

    private let small = Resource(size: 300_000)
    /// Four parts.
    private let large = Resource(size: 30_000_000)

    private var settings: ProcessSettings { settings(secret: bucket.credentials.secret) }

    private func settings(secret: String) -> ProcessSettings {
        .aws(
            at: bucket.endpoint(),
            bucket.credentials.keyID,
            secret,
            ["XDG_STATE_HOME": state.path]
        )
    }

    private func run(_ arguments: String...) async throws -> FinishedProcess {
        try await workshop.run([workshop.url] + arguments, settings)
    }

    /// Nothing is left: no file, no upload, and no record of one.
    private func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(workshop.folder.list().isEmpty, sourceLocation: sourceLocation)
        #expect(bucket.uploads.isEmpty, sourceLocation: sourceLocation)
        let records = state.list("pawl/uploads")
        #expect(records.isEmpty, "\(records)", sourceLocation: sourceLocation)
    }

    private func expectObject(
        _ key: String,
        _ resource: Resource,
        _ run: FinishedProcess,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(run.status == .code(0), "\(run.errors)", sourceLocation: sourceLocation)
        #expect(
            bucket.object(key)?.bytes == resource.bytes(),
            "\(bucket.keys())",
            sourceLocation: sourceLocation
        )
        #expect(run.output == "s3://photos/\(key)\n", sourceLocation: sourceLocation)
        expectNothingLeft(sourceLocation: sourceLocation)
    }

    // MARK: - Where the bytes go

    @Test(arguments: ["-o", "-d"])
    func `an object gets its name from the key, or from the download`(option: String) async throws {
        workshop.serve(.resource(small))
        if option == "-o" {
            expectObject("in/a.iso", small, try await run("-o", "s3://photos/in/a.iso"))
            expectObject("in/disk.iso", small, try await run("-o", "s3://photos/in/"))
        } else {
            expectObject("in/disk.iso", small, try await run("-d", "s3://photos/in"))
            let encoded = try await run("-d", "s3://photos/in", "-o", "sub/100%.iso")
            #expect(encoded.output == "s3://photos/in/sub/100%25.iso\n", "\(encoded.errors)")
            #expect(bucket.object("in/sub/100%.iso")?.bytes == small.bytes())
        }
    }

    @Test(arguments: ["1", "4"])
    func `a large file is uploaded in parts`(connections: String) async throws {
        workshop.serve(.resource(large))
        let run = try await run("-o", "s3://photos/disk.iso", "-x", connections)
        expectObject("disk.iso", large, run)
        #expect(bucket.requests(.uploadPart).count >= 4)
        #expect(bucket.requests(.completeMultipartUpload).count == 1)
    }

    @Test func `entries of a list and several URLs become objects`() async throws {
        workshop.serve(.resource(small))
        workshop.serve(.resource(small), at: "/b.iso")
        let other = workshop.origin.url("/b.iso")
        try workshop.folder.write(
            "list.txt",
            "\(workshop.url)\n  output=s3://photos/one\n\(other)\n  directory=s3://photos/two/\n"
        )
        let listed = try await workshop.run(["-i", "list.txt"], settings)
        #expect(listed.status == .code(0), "\(listed.errors)")
        let given = try await workshop.run(
            [workshop.url, other, "-d", "s3://photos/three/"],
            settings
        )
        #expect(given.status == .code(0), "\(given.errors)")
        #expect(
            bucket.keys() == ["one", "three/b.iso", "three/disk.iso", "two/b.iso"]
        )
        #expect(workshop.folder.list() == ["list.txt"])
    }

    @Test func `progress as JSON names the object`() async throws {
        workshop.serve(.resource(small))
        let run = try await run("-o", "s3://photos/a%20b", "--progress", "json")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(run.output.contains(#""path":"s3://photos/a%20b""#), "\(run.output)")
        #expect(run.output.contains(#""bytes":300000"#), "\(run.output)")
    }

    @Test func `a hook gets the URL of the object`() async throws {
        workshop.serve(.resource(small))
        let note = state.path("note")
        let run = try await run(
            "-o",
            "s3://photos/a",
            "--on-complete",
            "sh -c 'printf %s \"$PAWL_DOWNLOAD_PATH\" > \(note)'"
        )
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try state.readText("note") == "s3://photos/a")
    }

    // MARK: - Existing objects

    @Test func `an existing object stays unless it may be replaced`() async throws {
        workshop.serve(.resource(small))
        let other = Array("other".utf8)
        bucket.store(other, as: "a.iso")
        let url = "s3://photos/a.iso"
        let renamed = try await run("-o", url)
        expectObject("a.1.iso", small, renamed)
        #expect(bucket.object("a.iso")?.bytes == other)
        let skipped = try await run("-o", url, "--if-exists", "skip")
        #expect(skipped.status == .code(0), "\(skipped.errors)")
        #expect(bucket.object("a.iso")?.bytes == other)
        expectFailure(.fileExists, try await run("-o", url, "--if-exists", "fail"))
        #expect(bucket.object("a.iso")?.bytes == other)
        expectObject("a.iso", small, try await run("-o", url, "--if-exists", "overwrite"))
    }

    // MARK: - Interruptions

    /// Starts a download whose first three parts are stored, and which then waits.
    private func startHeld() async throws -> ProcessRunner {
        workshop.serve(.resource(large).holdAfterBytes(26 << 20, until: Latch()))
        let runner = try workshop.start(
            arguments: [workshop.url, "-o", "s3://photos/disk.iso", "-x", "1"],
            settings
        )
        await bucket.waitUntil { requests in
            requests.count { $0.operation == .uploadPart && $0.status == 200 } >= 3
        }
        return runner
    }

    @Test func `the next run continues an upload that was killed`() async throws {
        let runner = try await startHeld()
        runner.signal(SIGKILL)
        #expect(await runner.waitForExit() == .signal(SIGKILL))
        #expect(bucket.uploads.count == 1)
        // A run that is killed while it writes the record leaves such a file.
        let lock = try #require(state.list("pawl/uploads").first { $0.hasSuffix(".lock") })
        try state.write("pawl/uploads/\(lock.dropLast(5)).4194303", "torn")
        workshop.serve(.resource(large))
        expectObject("disk.iso", large, try await run("-o", "s3://photos/disk.iso"))
        #expect(bucket.requests(.createMultipartUpload).count == 1)
    }

    @Test func `the next run receives only what Ctrl-C has left`() async throws {
        let runner = try await startHeld()
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(ErrorCode.interrupted.exitStatus))
        #expect(runner.errors.contains("is kept"), "\(runner.errors)")
        #expect(workshop.folder.list().isEmpty)
        let earlier = workshop.origin.requests.count
        workshop.serve(.resource(large))
        expectObject("disk.iso", large, try await run("-o", "s3://photos/disk.iso"))
        #expect(bucket.requests(.createMultipartUpload).count == 1)
        let starts = workshop.origin.requests.dropFirst(earlier)
            .map { $0.range?.resolve(size: large.size)?.start ?? 0 }
        #expect(!starts.isEmpty)
        #expect(starts.allSatisfy { $0 >= 16 << 20 }, "\(starts)")
    }

    @Test func `two runs do not upload one object at the same time`() async throws {
        let runner = try await startHeld()
        expectFailure(.alreadyRunning, try await run("-o", "s3://photos/disk.iso"))
        runner.signal(SIGKILL)
        _ = await runner.waitForExit()
    }

    @Test(arguments: [300_000, 30_000_000])
    func `two first runs do not upload one object at the same time`(size: Int64) async throws {
        let (resource, latch) = (Resource(size: size), Latch())
        workshop.serve(.resource(resource).holdAfterBytes(100_000, until: latch))
        let runner = try workshop.start(
            arguments: [workshop.url, "-o", "s3://photos/disk.iso", "-x", "1"],
            settings
        )
        await latch.waitForArrivals()
        expectFailure(.alreadyRunning, try await run("-o", "s3://photos/disk.iso"))
        #expect(bucket.requests(.createMultipartUpload).isEmpty)
        latch.release()
        #expect(await runner.waitForExit() == .code(0), "\(runner.errors)")
        #expect(bucket.object("disk.iso")?.bytes == resource.bytes())
        #expect(bucket.keys() == ["disk.iso"])
        expectNothingLeft()
    }

    @Test func `where nothing can be recorded, only a small file becomes an object`() async throws {
        workshop.serve(.resource(small))
        try state.write("file", "no folder")
        let settings = ProcessSettings.aws(
            at: bucket.endpoint(),
            bucket.credentials.keyID,
            bucket.credentials.secret,
            ["XDG_STATE_HOME": state.path("file")]
        )
        let run = try await workshop.run([workshop.url, "-o", "s3://photos/a"], settings)
        expectObject("a", small, run)
        workshop.serve(.resource(large))
        let failed = try await workshop.run([workshop.url, "-o", "s3://photos/b"], settings)
        #expect(failed.status != .code(0), "\(failed.output)")
        #expect(bucket.keys() == ["a"])
        expectNothingLeft()
    }

    // MARK: - Refusals

    @Test func `a wrong bucket, credentials and a missing permission are errors`() async throws {
        workshop.serve(.resource(small))
        expectFailure(.notFound, try await run("-o", "s3://no-such-bucket/a"))
        let wrong = try await workshop.run(
            [workshop.url, "-o", "s3://photos/a"],
            settings(secret: "another-secret")
        )
        expectFailure(.unauthorized, wrong)
        #expect(!wrong.everything.contains("another-secret"))
        bucket.on(.answer(403, "AccessDenied")) {
            $0.operation == .putObject || $0.operation == .createMultipartUpload
        }
        let denied = try await run("-o", "s3://photos/a")
        expectFailure(.unauthorized, denied)
        #expect(denied.errors.contains("AccessDenied"), "\(denied.errors)")
        #expect(bucket.keys().isEmpty)
        expectNothingLeft()
    }

    @Test(arguments: [300_000, 30_000_000])
    func `a wrong digest leaves no object`(size: Int64) async throws {
        let resource = Resource(size: size)
        workshop.serve(.resource(resource))
        let digest = "sha256=" + String(repeating: "0", count: 64)
        let wrong = try await run("-o", "s3://photos/a", "--checksum", digest)
        expectFailure(.checksumMismatch, wrong)
        #expect(bucket.keys().isEmpty)
        expectNothingLeft()
    }

    @Test(
        arguments: [
            ["--remote-time"], ["--xattr"], ["--unpack"], ["--move", "name=* -> /tmp"],
            ["--adopt", "--checksum", "sha256=" + String(repeating: "0", count: 64)],
        ]
    )
    func `an option about a file is refused before anything begins`(
        options: [String]
    ) async throws {
        workshop.serve(.resource(small))
        let refused = try await workshop.run(
            [workshop.url, "-o", "s3://photos/a"] + options,
            settings
        )
        expectFailure(.usage, refused)
        #expect(refused.errors.contains(options[0]), "\(refused.errors)")
        #expect(workshop.origin.requests.isEmpty)
        #expect(bucket.requests.isEmpty)
        // What the config file gives is for files.
        guard options.count == 1 else { return }
        let name = String(options[0].dropFirst(2))
        try state.write("config.toml", "[defaults]\n\(name) = true\n")
        let configured = try await run(
            "-o",
            "s3://photos/a",
            "--config",
            state.path("config.toml")
        )
        expectObject("a", small, configured)
    }

    @Test(
        arguments: [
            ["-o", "s3://KEY:very-hidden@photos/a"], ["-o", "s3://photos/a?versionId=1"],
            ["-o", "s3://photos/../a"], ["-o", "s3://photos/a", "-d", "/tmp"],
            ["-d", "s3://photos/in/", "-o", "/tmp/a"],
        ]
    )
    func `a URL that names no object is refused`(options: [String]) async throws {
        let refused = try await workshop.run([workshop.url] + options, settings)
        expectFailure(.usage, refused)
        #expect(!refused.everything.contains("very-hidden"))
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `two downloads cannot have the same object`() async throws {
        try workshop.folder.write(
            "list.txt",
            "\(workshop.url)\n  output=s3://photos/a\n\(workshop.origin.url("/b"))\n"
                + "  output=s3://photos/%61\n"
        )
        expectFailure(.usage, try await workshop.run(["-i", "list.txt"], settings))
    }

    @Test func `the bucket gets no secret of the source`() async throws {
        workshop.serve(.resource(small).requireBasic(name: "me", password: "very-hidden"))
        let run = try await run(
            "-o",
            "s3://photos/a",
            "-u",
            "me:very-hidden",
            "--header",
            "X-Key: very-hidden"
        )
        expectObject("a", small, run)
        for request in bucket.requests {
            #expect(request["Authorization"]?.contains(bucket.credentials.keyID) == true)
            #expect(request["X-Key"] == nil)
        }
    }
}

/// The same from moto, which is another service.
@Suite(.timeLimit(.minutes(5)), .enabled(if: MotoServer.isInstalled))
struct MotoObjectOutputTests {
    @Test(arguments: [1000, 30_000_000])
    func `a file becomes an object of moto, and is fetched again`(size: Int64) async throws {
        let (server, state) = (try await MotoServer(), try ScratchFolder())
        let resource = Resource(size: size)
        let workshop = try Workshop(resource)
        let settings = ProcessSettings.aws(
            at: server.endpoint,
            "test",
            "test",
            ["XDG_STATE_HOME": state.path]
        )
        let object = "s3://\(MotoServer.bucket)/in/copy.iso"
        let stored = try await workshop.run([workshop.url, "-o", object], settings)
        #expect(stored.status == .code(0), "\(stored.errors)")
        #expect(stored.output == object + "\n")
        #expect(workshop.folder.list().isEmpty)
        let fetched = try await workshop.run([object], settings)
        try expectOnly("copy.iso", resource, in: workshop, fetched)
    }
}

import Glibc
import PawlCore
import PawlTesting
import Testing

/// What errors report about the kept bytes and about what to do next is true.
@Suite(.timeLimit(.minutes(5)))
struct AdviceTests {
    @Test(
        .enabled(if: SmallDisk.isAvailable, "only root can mount a small disk"),
        arguments: [true, false]
    )
    func `the error for a full disk tells how much of a file of unknown length is kept`(
        hasValidators: Bool
    ) async throws {
        let resource = Resource(size: 24 << 20)
        let workshop = try Workshop()
        let disk = try #require(try SmallDisk(bytes: 12 << 20))
        let reply = Reply.resource(resource).chunked()
        let latch = Latch()
        workshop.serve(
            hasValidators
                ? reply.holdAfterBytes(9 << 20, until: latch) : reply.omitValidators
        )
        let runner = try workshop.start(workshop.url, "-d", disk.path, "--retries", "0")
        // The disk is not to be full before the first checkpoint.
        if hasValidators {
            try await disk.wait(for: "disk.iso.part.pawl")
            try await disk.wait(for: "disk.iso.part")
        }
        latch.release()
        #expect(await runner.waitForExit() == .code(ErrorCode.diskFull.exitStatus))
        let errors = runner.errors
        let isKept = access(disk.path + "/disk.iso.part", F_OK) == 0
        #expect(isKept == hasValidators)
        #expect(errors.contains("bytes received so far are kept") == isKept, "\(errors)")
        #expect(errors.contains("none of the received bytes are kept") == !isKept)
    }

    @Test func `the error for a current folder that was removed says so`() async throws {
        let scene = try DaemonScene(Workshop(Resource(size: 1000)))
        let workshop = scene.workshop
        let gone = try workshop.folder.makeFolder("gone")
        let (get, add) = ([workshop.url], ["add", workshop.url])
        let cases: [(arguments: [String], option: String)] = [
            (get, "--directory"), (get + ["-o", "x"], "--directory"),
            (get + ["-d", "x/y"], "--directory"), (add, "--directory"),
            (add + ["-o", "x"], "--directory"), (add + ["-d", "x/y"], "--directory"),
            (["daemon", "allow", "--folder", "x"], "--folder"),
        ]
        for (arguments, option) in cases {
            let run = try await ProcessRunner.run(
                "bash",
                ["-c", #"mkdir -p "$0"; cd "$0"; rmdir "$0"; exec "$@""#, gone, Workshop.program]
                    + arguments,
                workshop.complete(scene.settings)
            )
            expectFailure(.directoryNotUsable, run)
            #expect(
                run.errors.contains(
                    "the current folder does not exist: it was removed; change to an existing "
                        + "folder, or give \(option) with an absolute path"
                ),
                "\(arguments): \(run.errors)"
            )
        }
    }

    @Test func `the error names the failed one of several downloads`() async throws {
        let workshop = try Workshop(Resource(size: 1000))
        let missing = workshop.origin.url("/missing?key=s3cret")
        let run = try await workshop.run(workshop.url, missing)
        #expect(run.status == .code(ErrorCode.notFound.exitStatus), "\(run.errors)")
        let line = try #require(run.errorLines.first { $0.contains("404") })
        #expect(line.hasPrefix("pawl: \(workshop.origin.url("/missing?key=REDACTED")): "))
        // A single one needs no name.
        let one = try await workshop.run(missing)
        #expect(one.errorLines.first?.hasPrefix("pawl: 127.0.0.1") == true, "\(one.errors)")
    }

    @Test func `a truncated download of unknown length starts over and reports it`() async throws {
        let workshop = try Workshop()
        let reply = Reply.resource(Resource(size: 12 << 20)).chunked().omitValidators
        workshop.serve(reply.afterBytes(10 << 20, .reset))
        let run = try await workshop.run(workshop.url, "--retries", "0")
        expectFailure(.network, run)
        #expect(run.errors.contains("the next run starts from the beginning"), "\(run.errors)")
        #expect(!run.errors.contains("to resume"))
    }

    @Test func `a cut download of which nothing is kept is not said to resume`() async throws {
        let workshop = try Workshop()
        let reply = Reply.resource(Resource(size: 5000)).omitValidators
        workshop.serve(reply.afterBytes(1000, .close))
        let run = try await workshop.run(workshop.url, "--retries", "0")
        expectFailure(.network, run)
        #expect(workshop.folder.list().isEmpty)
        #expect(run.errors.contains("; run the same command again"), "\(run.errors)")
        #expect(!run.errors.contains("to resume"), "\(run.errors)")
    }

    /// Removed, or another file put in its place, which stays.
    @Test(arguments: [true, false])
    func `the error names a partial file that was removed during the download`(isReplaced: Bool)
        async throws
    {
        let workshop = try Workshop()
        let resource = Resource(size: 12 << 20)
        let latch = Latch()
        workshop.serve(.resource(resource).holdAfterBytes(10 << 20, until: latch))
        let runner = try workshop.start(workshop.url, "-x", "1", "-q")
        try await FolderWatch.wait(for: "disk.iso.part.pawl", in: workshop.folder)
        try await FolderWatch.wait(for: "disk.iso.part", in: workshop.folder)
        unlink(workshop.folder.path("disk.iso.part"))
        if isReplaced { try workshop.folder.write("disk.iso.part", Array("mine".utf8)) }
        latch.release()
        #expect(await runner.waitForExit() == .code(ErrorCode.renameFailed.exitStatus))
        #expect(runner.errors.contains("disk.iso.part was removed or replaced"), "\(runner.errors)")
        // No file remains that the user cannot find.
        #expect(workshop.folder.list() == (isReplaced ? ["disk.iso.part"] : []))
        if isReplaced { #expect(try workshop.folder.readText("disk.iso.part") == "mine") }
    }

    @Test(.enabled(if: ImmutableFolder.isAvailable, "only root can make a folder immutable"))
    func `a complete file that cannot be renamed is kept until its folder is writable`()
        async throws
    {
        let workshop = try Workshop()
        let resource = Resource(size: 12 << 20)
        let latch = Latch()
        workshop.serve(.resource(resource).holdAfterBytes(10 << 20, until: latch))
        let folder = try workshop.folder.makeFolder("folder")
        let runner = try workshop.start(workshop.url, "-x", "1", "-q", "-d", "folder")
        try await FolderWatch.wait(for: "folder/disk.iso.part.pawl", in: workshop.folder)
        try await FolderWatch.wait(for: "folder/disk.iso.part", in: workshop.folder)
        try #require(ImmutableFolder.set(folder, isImmutable: true))
        defer { ImmutableFolder.set(folder, isImmutable: false) }
        latch.release()
        #expect(await runner.waitForExit() == .code(ErrorCode.renameFailed.exitStatus))
        #expect(runner.errors.contains("no permission for disk.iso"), "\(runner.errors)")
        #expect(runner.errors.contains("make the folder writable, then run the same command again"))
        let again = try await workshop.run(workshop.url, "-d", "folder")
        expectFailure(.directoryNotUsable, again)
        #expect(again.errors.contains("chattr -i"), "\(again.errors)")
        ImmutableFolder.set(folder, isImmutable: false)
        let last = try await workshop.run(workshop.url, "-d", "folder")
        #expect(last.status == .code(0), "\(last.errors)")
        #expect(last.errors.contains("all bytes were received earlier"), "\(last.errors)")
        try expectExact("folder/disk.iso", resource, in: workshop)
    }

    @Test func `the error for an invalid line of a list explains the format`() async throws {
        let workshop = try Workshop()
        try workshop.folder.write("list.txt", Array("some words\n".utf8))
        let run = try await workshop.run("-i", "list.txt")
        expectFailure(.usage, run)
        #expect(run.errors.contains("list.txt, line 1"))
        #expect(run.errors.contains("comments start with #"))
        #expect(!run.errors.contains("did you mean"))
    }

    @Test func `a run whose progress cannot be written ends with its own status`() async throws {
        let workshop = try Workshop()
        let resource = Resource(size: 12 << 20)
        workshop.serve(.resource(resource).holdAfterBytes(10 << 20, until: Latch()))
        let run = try await ProcessRunner.run(
            "sh",
            [
                "-c", "exec \"$0\" --progress json -x 1 \"$1\" >/dev/full", Workshop.program,
                workshop.url,
            ],
            workshop.complete(ProcessSettings())
        )
        #expect(run.status == .code(ErrorCode.diskFull.exitStatus), "\(run.errors)")
        #expect(run.errors.contains("writing to standard output failed"))
        // The result of the download is reported, too.
        #expect(run.errors.contains("interrupted; "))
    }

    @Test func `the advice is not to start a daemon that cannot be started`() async throws {
        let scene = try DaemonScene(Workshop())
        let daemon = try await scene.startDaemon()
        unlink(scene.home.path("run/pawl/daemon.sock"))
        for arguments in [["list"], ["daemon", "start"], ["add", scene.workshop.url]] {
            let run = try await scene.workshop.run(arguments, scene.settings)
            expectFailure(.daemonUnavailable, run)
            #expect(run.errors.contains("process \(daemon.identifier) uses the queue"))
            #expect(run.errors.contains("kill \(daemon.identifier)"), "\(run.errors)")
        }
        daemon.signal(SIGTERM)
        await daemon.waitForExit()
        let stopped = try await scene.run("list")
        #expect(stopped.errors.contains("run 'pawl daemon start'"))
    }

    @Test func `without the daemon's program the advice is to install it`() async throws {
        let scene = try DaemonScene(Workshop())
        // Without a program beside it or in PATH, whatever is installed here.
        let folder = "\(Workshop.program)-\(getpid())"
        try #require(mkdir(folder, 0o700) == 0)
        defer {
            unlink("\(folder)/pawl")
            rmdir(folder)
        }
        try #require(link(Workshop.program, "\(folder)/pawl") == 0)
        var settings = scene.workshop.complete(scene.settings)
        settings.environment["PATH"] = scene.home.path
        let run = try await ProcessRunner.run("\(folder)/pawl", ["list"], settings)
        expectFailure(.daemonUnavailable, run)
        #expect(run.errors.contains("install pawld"), "\(run.errors)")
        #expect(!run.errors.contains("pawl daemon start"))
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "only root can mount a small disk"))
    func `the advice for a state folder that is not writable names its variable`() async throws {
        let scene = try DaemonScene(Workshop(Resource(size: 1000)))
        let disk = try #require(try SmallDisk(bytes: 1 << 20))
        try #require(disk.makeReadOnly())
        let runner = try scene.start(
            ["add", scene.workshop.url],
            ["XDG_STATE_HOME": disk.path]
        )
        #expect(await runner.waitForExit() != .code(0))
        #expect(runner.errors.contains("XDG_STATE_HOME"), "\(runner.errors)")
        #expect(!runner.errors.contains("--output"), "\(runner.errors)")
    }
}

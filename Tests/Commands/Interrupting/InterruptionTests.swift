import Glibc
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct InterruptionTests {
    private let resource = Resource(size: 12 << 20)
    /// The run takes a fraction of this; a run that waits for the server would take longer.
    private static let longest: Duration = .seconds(90)
    /// With these, a run that waits for the server does not end.
    private static let patient = ["--stall-timeout", "1000"]

    /// The second run succeeds and requests only the bytes that were not kept.
    private func expectGoesOn(_ workshop: Workshop, kept: RangeSet) async throws {
        let before = workshop.origin.requests.count
        workshop.serve(.resource(resource))
        let run = try await workshop.run(workshop.url)
        try expectOnly(Workshop.name, resource, in: workshop, run)
        // The bytes of the earlier run are not counted, however quick it was.
        #expect(run.errors.contains("disk.iso: 12.0 MiB, the last "))
        for request in workshop.origin.requests.dropFirst(before) {
            let asked = try #require(request.range?.resolve(size: resource.size))
            #expect(kept.intersection(RangeSet(asked)).isEmpty)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends the run in time, keeps all bytes, and the same command resumes`(
        signal: Int32
    )
        async throws
    {
        // On a file system without syncs, the time measured is that of the program.
        let workshop = try Workshop(inMemory: true)
        let runner = try await workshop.begin(resource, [workshop.url] + Self.patient)
        let watch = Stopwatch()
        runner.signal(signal)
        #expect(await runner.waitForExit() == .code(7))
        #expect(watch.elapsed < Self.longest)
        #expect(runner.errors.contains("of disk.iso is kept; run the same command again to resume"))
        #expect(workshop.folder.list() == ["disk.iso.part", "disk.iso.part.pawl"])
        let kept = try await Inspection.of("disk.iso.part", in: workshop).claimed
        // At least the bytes of the first checkpoint.
        #expect(kept.count >= 8 << 20)
        try await expectGoesOn(workshop, kept: kept)
    }

    @Test func `a download that cannot be resumed is reported`() async throws {
        var unproven = resource
        (unproven.entityTag, unproven.lastModified) = (nil, nil)
        let workshop = try Workshop(inMemory: true)
        let runner = try await workshop.begin(unproven, [workshop.url]) { $0.chunked() }
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(7))
        #expect(runner.errors.contains("the next run starts from the beginning"))
        #expect(!runner.errors.contains("run the same command again"))
    }

    @Test func `without a validator the same command resumes and compares bytes`() async throws {
        var unproven = resource
        (unproven.entityTag, unproven.lastModified) = (nil, nil)
        let workshop = try Workshop(inMemory: true)
        let runner = try await workshop.begin(unproven, [workshop.url])
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(7))
        #expect(runner.errors.contains("run the same command again to resume"))
        let count = workshop.origin.requests.count
        workshop.serve(.resource(unproven))
        let run = try await workshop.run(workshop.url)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try unproven.verify(fileAt: workshop.folder.path("disk.iso")) == nil)
        #expect(workshop.origin.requests.dropFirst(count).allSatisfy { $0.status == 206 })
    }

    @Test func `Ctrl-C on a terminal does the same and restores the terminal`()
        async throws
    {
        let workshop = try Workshop(inMemory: true)
        let runner = try await workshop.begin(
            resource,
            [workshop.url] + Self.patient,
            ProcessSettings(terminal: TerminalSize(columns: 100, rows: 24))
        )
        #expect(await runner.waitForOutput(containing: "%"))
        let watch = Stopwatch()
        runner.type("\u{3}")
        #expect(await runner.waitForExit() == .code(7))
        #expect(watch.elapsed < Self.longest)
        var screen = ScreenEmulator(columns: 100)
        screen.feed(runner.output)
        #expect(screen.isCursorVisible)
        #expect(screen.text.contains("run the same command again to resume"))
        #expect(!screen.text.contains("%"))
    }

    /// Both signals wait while the process is stopped, so that the second arrives before the first
    /// has an effect.
    @Test func `the second signal ends the process immediately`() async throws {
        let workshop = try Workshop()
        let runner = try await workshop.begin(resource, [workshop.url] + Self.patient)
        runner.signal(SIGSTOP)
        runner.signal(SIGINT)
        runner.signal(SIGTERM)
        let watch = Stopwatch()
        runner.signal(SIGCONT)
        // A run that ends in order has a status of its own.
        #expect(await runner.waitForExit() == .signal(SIGTERM))
        // The kernel waits for a sync that has started.
        #expect(watch.elapsed < Self.longest)
        #expect(!workshop.folder.exists(Workshop.name))
        workshop.serve(.resource(resource))
        let run = try await workshop.run(workshop.url)
        #expect(run.status == .code(0))
        try expectExact(Workshop.name, resource, in: workshop)
    }

    @Test func `an interruption before the first byte leaves no file`() async throws {
        let workshop = try Workshop()
        workshop.serve(.never)
        let runner = try workshop.start(workshop.url)
        await workshop.origin.waitForRequests(1)
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(7))
        #expect(runner.errors.contains("disk.iso had not started"))
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `an interruption keeps several downloads and starts no others`()
        async throws
    {
        let workshop = try Workshop()
        for name in ["a", "b", "c"] {
            let reply = Reply.resource(resource).holdAfterBytes(10 << 20, until: Latch())
            workshop.serve(reply, at: "/\(name)")
        }
        let runner = try workshop.start(
            "-j",
            "2",
            "-x",
            "1",
            workshop.origin.url("/a"),
            workshop.origin.url("/b"),
            workshop.origin.url("/c")
        )
        for name in ["a.part", "b.part"] {
            try await FolderWatch.wait(for: name, in: workshop.folder)
        }
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(7))
        #expect(runner.errors.contains("3 downloads are not complete"))
        #expect(
            workshop.folder.list() == ["a.part", "a.part.pawl", "b.part", "b.part.pawl"]
        )
        #expect(workshop.origin.requests(to: "/c").isEmpty)
    }

    @Test func `a reader that closes the pipe ends the run`() async throws {
        let workshop = try Workshop()
        // At this speed, the file is not complete within the time limit of the suite.
        workshop.serve(.resource(resource).rate(1 << 15))
        let script = "\"$0\" -x 1 --progress json \"$1\" | head -n 1; exit ${PIPESTATUS[0]}"
        let watch = Stopwatch()
        let run = try await ProcessRunner.run(
            "bash",
            ["-c", script, Workshop.program, workshop.url],
            ProcessSettings(folder: workshop.folder.path)
        )
        #expect(run.status == .code(7), "\(run.errors)")
        #expect(run.output.split(separator: "\n").count == 1)
        #expect(watch.elapsed < Self.longest)
        #expect(!workshop.folder.exists(Workshop.name))
    }

    @Test(arguments: [["--help"], ["--version"]])
    func `a pipe that is already closed causes no crash`(arguments: [String]) async throws {
        let script = "\"$0\" \"$@\" | true; exit ${PIPESTATUS[0]}"
        let run = try await ProcessRunner.run(
            "bash",
            ["-c", script, Workshop.program] + arguments
        )
        #expect(run.status == .code(0))
        #expect(run.errors.isEmpty)
    }

    @Test func `messages that nobody reads do not stop a download`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource).rate(6 << 20))
        let script = "\"$0\" \"$1\" 2> >(head -n 0); exit $?"
        let run = try await ProcessRunner.run(
            "bash",
            ["-c", script, Workshop.program, workshop.url],
            ProcessSettings(folder: workshop.folder.path)
        )
        try expectOnly(Workshop.name, resource, in: workshop, run)
    }
}

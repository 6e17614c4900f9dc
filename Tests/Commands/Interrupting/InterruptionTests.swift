import Glibc
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(1)), .serialized)
struct InterruptionTests {
    private let resource = Resource(size: 12 << 20)
    /// It takes a fraction of that; one that waits for the server would take 20 s and more.
    private static let longest: Duration = .seconds(15)

    /// Ends well where it is run again, and asks only for what was not kept.
    private func expectGoesOn(_ workshop: Workshop, kept: RangeSet) async throws {
        let before = workshop.origin.requests.count
        workshop.serve(.resource(resource))
        let run = try await workshop.run(workshop.url)
        try expectOnly(Workshop.name, resource, in: workshop, run)
        // However quick it was, what was there before is not counted.
        #expect(run.errors.contains("disk.iso: 12.0 MiB, the last "))
        for request in workshop.origin.requests.dropFirst(before) {
            let asked = try #require(request.range?.resolve(size: resource.size))
            #expect(kept.intersection(RangeSet(asked)).isEmpty)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal winds up in time, keeps all, and the same command goes on`(signal: Int32)
        async throws
    {
        // Where a sync takes no time: it is the program's that is measured.
        let workshop = try Workshop(inMemory: true)
        let runner = try await workshop.begin(resource, [workshop.url])
        let watch = Stopwatch()
        runner.signal(signal)
        #expect(await runner.waitForExit() == .code(7))
        #expect(watch.elapsed < Self.longest)
        #expect(runner.errors.contains("of disk.iso is kept; run the same command again to go on"))
        #expect(workshop.folder.list() == ["disk.iso.part", "disk.iso.part.pawl"])
        let kept = try await Inspection.of("disk.iso.part", in: workshop).claimed
        // What the first checkpoint claimed, at the least.
        #expect(kept.count >= 8 << 20)
        try await expectGoesOn(workshop, kept: kept)
    }

    @Test func `who cannot go on is told so`() async throws {
        var unproven = resource
        (unproven.entityTag, unproven.lastModified) = (nil, nil)
        let workshop = try Workshop(inMemory: true)
        let runner = try await workshop.begin(unproven, [workshop.url]) { $0.chunked() }
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(7))
        #expect(runner.errors.contains("the next run starts from zero"))
        #expect(!runner.errors.contains("run the same command again"))
    }

    @Test func `without a validator the same command goes on, and compares`() async throws {
        var unproven = resource
        (unproven.entityTag, unproven.lastModified) = (nil, nil)
        let workshop = try Workshop(inMemory: true)
        let runner = try await workshop.begin(unproven, [workshop.url])
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(7))
        #expect(runner.errors.contains("run the same command again to go on"))
        let count = workshop.origin.requests.count
        workshop.serve(.resource(unproven))
        let run = try await workshop.run(workshop.url)
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(try unproven.verify(fileAt: workshop.folder.path("disk.iso")) == nil)
        #expect(workshop.origin.requests.dropFirst(count).allSatisfy { $0.status == 206 })
    }

    @Test func `Ctrl-C on a terminal does the same, and leaves the terminal as it was`()
        async throws
    {
        let workshop = try Workshop(inMemory: true)
        let runner = try await workshop.begin(
            resource,
            [workshop.url],
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
        #expect(screen.text.contains("run the same command again to go on"))
        #expect(!screen.text.contains("%"))
    }

    /// Both wait while the process is stopped, so that the second comes before anything of the
    /// first was done.
    @Test func `the second signal ends at once`() async throws {
        let workshop = try Workshop()
        let runner = try await workshop.begin(resource, [workshop.url])
        runner.signal(SIGSTOP)
        runner.signal(SIGINT)
        runner.signal(SIGTERM)
        let watch = Stopwatch()
        runner.signal(SIGCONT)
        // Who winds up ends with a status of its own.
        #expect(await runner.waitForExit() == .signal(SIGTERM))
        // A sync that has begun is waited for by the kernel.
        #expect(watch.elapsed < Self.longest)
        #expect(!workshop.folder.exists(Workshop.name))
        workshop.serve(.resource(resource))
        let run = try await workshop.run(workshop.url)
        #expect(run.status == .code(0))
        try expectExact(Workshop.name, resource, in: workshop)
    }

    @Test func `before a byte came nothing is left`() async throws {
        let workshop = try Workshop()
        workshop.serve(.never)
        let runner = try workshop.start(workshop.url)
        await workshop.origin.waitForRequests(1)
        runner.signal(SIGINT)
        #expect(await runner.waitForExit() == .code(7))
        #expect(runner.errors.contains("disk.iso had not begun"))
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `of several downloads all are kept, and what had not begun is not begun`()
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

    @Test func `a reader that goes away winds up the run`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource).rate(1 << 19))
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
    func `a reader that went away before is no crash`(arguments: [String]) async throws {
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

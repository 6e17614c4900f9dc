import struct FoundationEssentials.URL
import Glibc
import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct TimeOptionTests {
    private let resource = Resource(size: 3 << 20)

    @Test(arguments: [0, 1, 3])
    func `retries is the number of tolerated failures`(retries: Int) async throws {
        let workshop = try Workshop()
        workshop.serve(.hangUp(.reset))
        let run = try await workshop.run(workshop.url, "--retries", "\(retries)")
        expectFailure(.network, run)
        #expect(workshop.origin.requests.count == retries + 1)
        #expect(workshop.folder.list().isEmpty)
    }

    @Test func `connect-timeout ends an attempt without a response`() async throws {
        let workshop = try Workshop()
        let server = try FullBacklogServer()
        // The default is 15 s.
        let elapsed = try await leastSeconds(under: 10) {
            let watch = Stopwatch()
            let run = try await workshop.run(
                server.url.absoluteString + "x",
                "--connect-timeout",
                "0.4",
                "--retries",
                "0"
            )
            expectFailure(.timedOut, run)
            #expect(run.errors.contains("--connect-timeout"))
            #expect(watch.elapsed > .seconds(0.35))
        }
        #expect(elapsed < 10)
    }

    @Test func `a connection that receives nothing for the stall timeout is replaced`() async throws
    {
        let stalls = Reply.resource(resource).stallAfterBytes(1 << 20)
        let isReplaced = try await quietRound {
            let workshop = try Workshop()
            workshop.serve(stalls.from(request: 2, .resource(resource)))
            let watch = Stopwatch()
            let run = try await workshop.run(workshop.url, "-x", "1", "--stall-timeout", "2")
            try expectOnly(Workshop.name, resource, in: workshop, run)
            let second = try #require(workshop.origin.requests.dropFirst().first)
            // The default is 30 s. It resumes at its position.
            return watch.elapsed < .seconds(20)
                && second.range == .from(1 << 20, last: resource.size - 1)
        }
        #expect(isReplaced)
    }

    @Test func `a source that always stalls is given up`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource).stallAfterBytes(0))
        let run = try await workshop.run(
            workshop.url,
            "--stall-timeout",
            "2",
            "--retries",
            "1"
        )
        expectFailure(.timedOut, run)
        // The origin may read a request after the program has ended.
        #expect(await workshop.origin.waitForRequests(2).count == 2)
    }

    @Test func `a connection below the minimum speed is replaced`() async throws {
        let workshop = try Workshop()
        let crawls = Reply.resource(resource).rate(10_000)
        workshop.serve(crawls.from(request: 2, .resource(resource)))
        let run = try await workshop.run(
            workshop.url,
            "-x",
            "1",
            "--min-speed",
            "100K",
            "--stall-timeout",
            BusyMachine.pauseSeconds
        )
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(workshop.origin.requests.count == 2)
    }

    @Test func `max-time ends a download and keeps its bytes`() async throws {
        let workshop = try Workshop()
        let held = Reply.resource(resource).holdAfterBytes(1 << 20, until: Latch())
        workshop.serve(held.from(request: 3, .resource(resource)))
        let watch = Stopwatch()
        let run = try await workshop.run(
            workshop.url,
            "-x",
            "1",
            "--max-time",
            BusyMachine.pauseSeconds
        )
        expectFailure(.timedOut, run)
        #expect(watch.elapsed > BusyMachine.longestPause)
        #expect(workshop.folder.list() == ["disk.iso.part", "disk.iso.part.pawl"])
        let again = try await workshop.run(workshop.url)
        try expectOnly(Workshop.name, resource, in: workshop, again)
        guard case .from(let start, _) = workshop.origin.requests[1].range else {
            Issue.record("the second run asked for the whole")
            return
        }
        #expect(start > 0)
    }

    @Test func `no-resume starts over and sets the partial file aside`() async throws {
        let workshop = try Workshop()
        let held = Reply.resource(resource).holdAfterBytes(1 << 20, until: Latch())
        workshop.serve(held.from(request: 2, .resource(resource)))
        let stopped = try workshop.start(workshop.url, "-x", "1")
        try await FolderWatch.wait(for: "disk.iso.part", in: workshop.folder)
        stopped.signal(SIGINT)
        await stopped.waitForExit()
        let run = try await workshop.run(workshop.url, "-x", "1", "--no-resume")
        #expect(run.status == .code(0))
        try expectExact(Workshop.name, resource, in: workshop)
        #expect(workshop.origin.requests.dropFirst().first?.range == nil)
        #expect(workshop.folder.exists("disk.iso.part.1"))
        #expect(!workshop.folder.exists("disk.iso.part"))
    }
}

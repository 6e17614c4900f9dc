import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct InputListOptionTests {
    private let one = Resource(size: 100_000, seed: 1)
    private let two = Resource(size: 200_000, seed: 2)

    private func workshop() throws -> Workshop {
        let workshop = try Workshop(one, at: "/one.bin")
        workshop.serve(.resource(two), at: "/two.bin")
        return workshop
    }

    private func list(_ workshop: Workshop) -> String {
        """
        # what to fetch
        \(workshop.origin.url("/one.bin"))

        \(workshop.origin.url("/two.bin"))
          output=sub/second.bin
          header=X-Second: yes
          header=X-Third: too
          checksum=\(two.digest(.sha256)?.description ?? "")
        """
    }

    private func expectBoth(_ run: FinishedProcess, _ workshop: Workshop) throws {
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact("one.bin", one, in: workshop)
        try expectExact("sub/second.bin", two, in: workshop)
        let first = try #require(workshop.origin.requests(to: "/one.bin").first)
        let second = try #require(workshop.origin.requests(to: "/two.bin").first)
        #expect(first["X-Second"] == nil)
        #expect(second["X-Second"] == "yes")
        #expect(second["X-Third"] == "too")
        #expect(run.errors.contains("verified sha256"))
    }

    @Test(arguments: ["-i", "--input-file"])
    func `a list contains URLs with their own options`(option: String) async throws {
        let workshop = try workshop()
        try workshop.folder.write("list.txt", list(workshop))
        try expectBoth(await workshop.run(option, "list.txt"), workshop)
    }

    @Test func `a list can be read from standard input`() async throws {
        let workshop = try workshop()
        let settings = ProcessSettings(input: list(workshop))
        try expectBoth(await workshop.run("-i", "-", settings: settings), workshop)
    }

    @Test func `URLs of the command line and of a list are downloaded together`() async throws {
        let workshop = try workshop()
        try workshop.folder.write("list.txt", workshop.origin.url("/two.bin"))
        let run = try await workshop.run(workshop.origin.url("/one.bin"), "-i", "list.txt")
        #expect(run.status == .code(0))
        try expectExact("one.bin", one, in: workshop)
        try expectExact("two.bin", two, in: workshop)
    }

    @Test func `the first failure in order sets the exit status, and the others continue`()
        async throws
    {
        let workshop = try workshop()
        workshop.serve(.status(403), at: "/closed")
        let run = try await workshop.run(
            workshop.origin.url("/one.bin"),
            workshop.origin.url("/missing"),
            workshop.origin.url("/closed"),
            workshop.origin.url("/two.bin")
        )
        #expect(run.status == .code(ErrorCode.notFound.exitStatus))
        #expect(workshop.folder.list() == ["one.bin", "two.bin"])
    }

    /// Each download waits at the latch until the maximum number has arrived.
    @Test(arguments: [1, 2, 4])
    func `jobs is the number of simultaneous downloads`(jobs: Int) async throws {
        let workshop = try Workshop()
        let gate = HostGate(limit: 100)
        let latch = Latch()
        for number in 1...6 {
            let resource = Resource(size: 50_000, seed: UInt64(number))
            let reply = Reply.resource(resource).holdAfterBytes(1, until: latch)
            workshop.serve(reply.admitted(by: gate), at: "/\(number).bin")
        }
        try workshop.folder.write(
            "list.txt",
            (1...6).map { workshop.origin.url("/\($0).bin") }.joined(separator: "\n")
        )
        let runner = try workshop.start("-j", "\(jobs)", "-x", "1", "-i", "list.txt")
        await latch.waitForArrivals(jobs)
        latch.release()
        #expect(await runner.waitForExit() == .code(0))
        #expect(gate.peak == jobs)
        #expect(workshop.folder.list().count == 7)
    }
}

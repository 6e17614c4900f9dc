import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConnectionOptionTests {
    @Test func `one connection is one`() async throws {
        let resource = Resource(size: 1 << 20)
        let workshop = try Workshop()
        let gate = HostGate(limit: 100)
        workshop.serve(.resource(resource).rate(4 << 20).admitted(by: gate))
        let run = try await workshop.run(workshop.url, "-x", "1")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(gate.peak == 1)
    }

    /// While they are held, none is replaced, which the origin would notice a little late.
    @Test(arguments: ["-x", "--connections"])
    func `a number is how many there are`(option: String) async throws {
        let resource = Resource(size: 6 << 20)
        let workshop = try Workshop()
        let latch = Latch()
        workshop.serve(.resource(resource).holdAfterBytes(1000, until: latch))
        async let finished = workshop.run(workshop.url, option, "3")
        await latch.waitForArrivals(3)
        #expect(workshop.origin.snapshot.activeExchanges == 3)
        latch.release()
        try expectOnly(Workshop.name, resource, in: workshop, try await finished)
    }

    @Test(arguments: [[], ["-x", "auto"]])
    func `auto adds connections while they pay`(options: [String]) async throws {
        let resource = Resource(size: 32 << 20)
        let workshop = try Workshop()
        let gate = HostGate(limit: 100)
        workshop.serve(.resource(resource).rate(2 << 20).admitted(by: gate))
        let run = try await workshop.run([workshop.url] + options)
        try expectOnly(Workshop.name, resource, in: workshop, run)
        // The origin notices a little late that a connection was replaced.
        #expect((4...24).contains(gate.peak))
    }

    @Test func `a limit holds over all downloads together`() async throws {
        let workshop = try Workshop()
        for number in 1...3 {
            workshop.serve(
                .resource(Resource(size: 512 << 10, seed: UInt64(number))),
                at: "/\(number)"
            )
        }
        let urls = (1...3).map { workshop.origin.url("/\($0)") }
        let watch = Stopwatch()
        let run = try await workshop.run(["--limit-rate", "1M"] + urls)
        #expect(run.status == .code(0))
        // A tenth of a second may run ahead of the limit, and what each transfer takes at a time.
        #expect(watch.elapsed > .seconds(1.1))
    }
}

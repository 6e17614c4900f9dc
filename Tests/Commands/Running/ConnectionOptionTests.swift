import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConnectionOptionTests {
    @Test func `one connection is used if requested`() async throws {
        let resource = Resource(size: 1 << 20)
        let workshop = try Workshop()
        let gate = HostGate(limit: 100)
        workshop.serve(.resource(resource).rate(4 << 20).admitted(by: gate))
        let run = try await workshop.run(workshop.url, "-x", "1")
        try expectOnly(Workshop.name, resource, in: workshop, run)
        #expect(gate.peak == 1)
    }

    /// While the connections are held, none is replaced, which the origin would notice with a
    /// delay.
    @Test(arguments: ["-x", "--connections"])
    func `the requested number of connections is used`(option: String) async throws {
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
    func `auto adds connections while the speed increases`(options: [String]) async throws {
        let resource = Resource(size: 32 << 20)
        // On a busy machine, the speed may not increase with the connections.
        let addsConnections = try await quietRound {
            let workshop = try Workshop()
            let gate = HostGate(limit: 100)
            workshop.serve(.resource(resource).rate(2 << 20).admitted(by: gate))
            let run = try await workshop.run([workshop.url] + options)
            try expectOnly(Workshop.name, resource, in: workshop, run)
            // The origin notices a little late that a connection was replaced.
            return (4...24).contains(gate.peak)
        }
        #expect(addsConnections)
    }

    @Test func `a total limit applies to all downloads together`() async throws {
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
        // The limit may be exceeded by a tenth of a second, and by what each transfer reads at a
        // time.
        #expect(watch.elapsed > .seconds(1.1))
    }
}

import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConnectionOptionTests {
    private func run(_ arguments: String..., size: Int64, rate: Int64) async throws -> Int {
        let resource = Resource(size: size)
        let workshop = try Workshop()
        let gate = HostGate(limit: 100)
        workshop.serve(.resource(resource).rate(rate).admitted(by: gate))
        try expectOnly(
            Workshop.name,
            resource,
            in: workshop,
            await workshop.run([workshop.url] + arguments)
        )
        return gate.peak
    }

    @Test func `one connection is one`() async throws {
        #expect(try await run("-x", "1", size: 1 << 20, rate: 4 << 20) == 1)
    }

    @Test(arguments: ["-x", "--connections"])
    func `a number is how many there are`(option: String) async throws {
        let peak = try await run(option, "3", size: 6 << 20, rate: 2 << 20)
        // The origin notices a little late that a connection was replaced.
        #expect((3...4).contains(peak))
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

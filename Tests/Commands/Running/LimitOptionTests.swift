import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct LimitOptionTests {
    private let resource = Resource(size: 100_000)

    @Test(arguments: ["--limit", "--total-limit", "--limit-rate", "--min-speed"], ["0", "0K"])
    func `0 means no limit as an option`(option: String, value: String) async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, option, value)
        try expectOnly(Workshop.name, resource, in: workshop, run)
    }

    @Test(arguments: ["limit", "min-speed"])
    func `0 means no limit in a list`(name: String) async throws {
        let workshop = try Workshop(resource)
        let list = "\(workshop.url)\n  \(name)=0\n"
        let run = try await workshop.run("-i", "-", settings: ProcessSettings(input: list))
        try expectOnly(Workshop.name, resource, in: workshop, run)
    }

    @Test func `0 in a list removes the limit of the command line`() async throws {
        let workshop = try Workshop(resource)
        let list = "\(workshop.url)\n  limit=0\n"
        // At the limit it would take more than a day.
        let run = try await workshop.run(
            "-i",
            "-",
            "--limit",
            "1",
            settings: ProcessSettings(input: list)
        )
        try expectOnly(Workshop.name, resource, in: workshop, run)
    }
}

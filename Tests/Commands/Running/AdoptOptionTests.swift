import PawlCore
import PawlTesting
import Testing

/// Resuming the partial file of another tool.
@Suite(.timeLimit(.minutes(5)))
struct AdoptOptionTests {
    private let resource = Resource(size: 300_000)
    private var checksum: String { resource.digest(.sha256)?.description ?? "" }

    @Test func `the partial file of another tool is resumed and verified`() async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource))
        let start = Array(resource.bytes().prefix(200_000))
        try workshop.folder.write(Workshop.name + ".part", start)
        let run = try await workshop.run(workshop.url, "--adopt", "--checksum", checksum)
        #expect(run.status == .code(0), "\(run.errors)")
        try expectExact(Workshop.name, resource, in: workshop)
        #expect(workshop.origin.requests.map(\.range) == [.from(200_000, last: nil)])
        #expect(!workshop.folder.exists(Workshop.name + ".part"))
    }

    @Test(arguments: [
        (["--adopt"], "requires --checksum"),
        (["--adopt", "--checksum", "none"], "requires --checksum"),
        (
            ["--adopt", "--no-resume", "--checksum", "md5=" + String(repeating: "0", count: 32)],
            "cannot be combined"
        ),
    ])
    func `adopt without a checksum is an error`(options: [String], part: String) async throws {
        let workshop = try Workshop()
        workshop.serve(.resource(resource))
        let run = try await workshop.run([workshop.url] + options)
        expectFailure(.usage, run)
        #expect(run.errors.contains(part))
        #expect(workshop.origin.requests.isEmpty)
    }
}

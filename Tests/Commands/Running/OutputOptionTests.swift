import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct OutputOptionTests {
    private let resource = Resource(size: 300_000)

    @Test func `get is the default verb, and the URL names the file`() async throws {
        let workshop = try Workshop(resource)
        try expectOnly(Workshop.name, resource, in: workshop, await workshop.run(workshop.url))
        let other = try Workshop(resource)
        try expectOnly(Workshop.name, resource, in: other, await other.run("get", other.url))
    }

    @Test(arguments: ["-o", "--output"])
    func `output names the file`(option: String) async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, option, "my name.bin")
        try expectOnly("my name.bin", resource, in: workshop, run)
    }

    @Test(arguments: ["-d", "--directory"])
    func `directory is the folder for the file, created if necessary`(option: String) async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, option, "a/b")
        #expect(run.status == .code(0))
        try expectExact("a/b/disk.iso", resource, in: workshop)
        #expect(workshop.folder.list() == ["a"])
    }

    @Test func `output is relative to directory if both are given`() async throws {
        let workshop = try Workshop(resource)
        let run = try await workshop.run(workshop.url, "-d", "a", "-o", "b/c.bin")
        #expect(run.status == .code(0))
        try expectExact("a/b/c.bin", resource, in: workshop)
    }

    @Test func `an empty file is a file`() async throws {
        let empty = Resource(bytes: [])
        let workshop = try Workshop(empty)
        try expectOnly(Workshop.name, empty, in: workshop, await workshop.run(workshop.url))
    }

    @Test func `a complete file is not downloaded again`() async throws {
        let workshop = try Workshop(resource)
        _ = try await workshop.run(workshop.url)
        let sent = await workshop.origin.waitForQuiet().bodyBytesSent
        let again = try await workshop.run(workshop.url)
        try expectOnly(Workshop.name, resource, in: workshop, again)
        #expect(again.errors.contains("already exists"))
        #expect(sent == resource.size)
    }
}

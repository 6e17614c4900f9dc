import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized)
struct ExistingFileOptionTests {
    private let resource = Resource(size: 300_000)

    private func workshopWithOldFile() throws -> Workshop {
        let workshop = try Workshop(resource)
        try workshop.folder.write(Workshop.name, "mine\n")
        return workshop
    }

    @Test(arguments: [[], ["--if-exists", "rename"]])
    func `rename numbers the new file, and is the default`(options: [String]) async throws {
        let workshop = try workshopWithOldFile()
        let run = try await workshop.run([workshop.url] + options)
        #expect(run.status == .code(0))
        #expect(workshop.folder.list() == ["disk.1.iso", "disk.iso"])
        #expect(try workshop.folder.readText(Workshop.name) == "mine\n")
        try expectExact("disk.1.iso", resource, in: workshop)
    }

    @Test func `overwrite replaces it`() async throws {
        let workshop = try workshopWithOldFile()
        let run = try await workshop.run(workshop.url, "--if-exists", "overwrite")
        try expectOnly(Workshop.name, resource, in: workshop, run)
    }

    @Test func `overwrite keeps the old file if the download fails`() async throws {
        let workshop = try workshopWithOldFile()
        let wrong = "sha256=" + String(repeating: "0", count: 64)
        let run = try await workshop.run(
            workshop.url,
            "--if-exists",
            "overwrite",
            "--checksum",
            wrong
        )
        expectFailure(.checksumMismatch, run)
        #expect(try workshop.folder.readText(Workshop.name) == "mine\n")
    }

    @Test func `skip keeps the file and succeeds`() async throws {
        let workshop = try workshopWithOldFile()
        let run = try await workshop.run(workshop.url, "--if-exists", "skip")
        #expect(run.status == .code(0))
        #expect(workshop.folder.list() == [Workshop.name])
        #expect(try workshop.folder.readText(Workshop.name) == "mine\n")
    }

    @Test func `skip makes no request if the name is given`() async throws {
        let workshop = try workshopWithOldFile()
        let run = try await workshop.run(
            workshop.url,
            "-o",
            Workshop.name,
            "--if-exists",
            "skip"
        )
        #expect(run.status == .code(0))
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `fail keeps the file and fails`() async throws {
        let workshop = try workshopWithOldFile()
        let run = try await workshop.run(workshop.url, "--if-exists", "fail")
        expectFailure(.fileExists, run)
        #expect(workshop.folder.list() == [Workshop.name])
        #expect(try workshop.folder.readText(Workshop.name) == "mine\n")
    }
}

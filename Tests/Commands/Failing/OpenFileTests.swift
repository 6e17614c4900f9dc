import PawlCore
import PawlTesting
import Testing

/// The system lets a process have only a few files open.
@Suite(.timeLimit(.minutes(5)))
struct OpenFileTests {
    private func run(_ workshop: Workshop, _ limits: String) async throws -> FinishedProcess {
        var settings = ProcessSettings()
        settings.folder = workshop.folder.path
        return try await ProcessRunner.run(
            "bash",
            ["-c", "\(limits) && exec \"$@\"", "-", Workshop.program, workshop.url],
            settings
        )
    }

    @Test(arguments: [9, 12, 20, 63])
    func `a limit of open files that is too low ends it at the start with advice`(count: Int)
        async throws
    {
        let workshop = try Workshop(Resource(size: 300_000))
        let run = try await run(workshop, "ulimit -n \(count)")
        expectFailure(.usage, run)
        #expect(run.errors.contains("ulimit -n"), "\(run.errors)")
        #expect(workshop.folder.list().isEmpty)
        #expect(workshop.origin.requests.isEmpty)
    }

    @Test func `a limit of open files that can be raised is raised`() async throws {
        let workshop = try Workshop(Resource(size: 300_000))
        let run = try await run(workshop, "ulimit -S -n 16")
        #expect(run.status == .code(0), "\(run.errors)")
        #expect(workshop.folder.list() == [Workshop.name])
    }
}

import Glibc
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FaultShimTests {
    /// Writes `blocks` blocks of 1,000 bytes to `out` with `dd`, which uses write.
    private func dd(_ plan: FaultPlan, blocks: Int, in folder: ScratchFolder) async throws
        -> FinishedProcess
    {
        let library = try await FaultShim.library()
        let settings = ProcessSettings(
            environment: plan.environment(library: library),
            folder: folder.path
        )
        return try await ProcessRunner.run(
            "dd",
            ["if=/dev/zero", "of=out", "bs=1000", "count=\(blocks)", "conv=fsync"],
            settings
        )
    }

    @Test func `the n-th call fails with its error number, earlier calls do not`() async throws {
        let folder = try ScratchFolder()
        var plan = FaultPlan(.fail(ENOSPC), at: 3, of: [.write])
        plan.path = "/out"
        let result = try await dd(plan, blocks: 5, in: folder)
        #expect(result.errors.contains("No space left on device"))
        #expect(result.status == .code(1))
        #expect(folder.size("out") == 2000)
    }

    @Test func `a failing sync is noticed`() async throws {
        let folder = try ScratchFolder()
        let result = try await dd(FaultPlan(.fail(EIO), at: 1, of: [.fsync]), blocks: 1, in: folder)
        #expect(result.errors.contains("Input/output error"))
    }

    @Test func `a short write writes half`() async throws {
        let folder = try ScratchFolder()
        var plan = FaultPlan(.short, at: 1, of: [.write])
        plan.path = "/out"
        plan.thenKills = true
        let result = try await dd(plan, blocks: 2, in: folder)
        #expect(result.status == .signal(SIGKILL))
        #expect(folder.size("out") == 500)
    }

    @Test(arguments: [(false, 2000), (true, 3000)] as [(Bool, Int64)])
    func `the process is killed before or after the call`(_ after: Bool, _ size: Int64) async throws
    {
        let folder = try ScratchFolder()
        var plan = FaultPlan(after ? .killAfter : .killBefore, at: 3, of: [.write])
        plan.path = "/out"
        let result = try await dd(plan, blocks: 5, in: folder)
        #expect(result.status == .signal(SIGKILL))
        #expect(folder.size("out") == size)
    }

    @Test func `calls are counted by name`() async throws {
        let folder = try ScratchFolder()
        var plan = FaultPlan.counting(into: folder.path("counts"))
        plan.path = "/out"
        #expect(try await dd(plan, blocks: 5, in: folder).status == .code(0))
        let counts = FaultShim.counts(in: try folder.readText("counts"))
        #expect(counts[.write] == 5)
        #expect(counts[.fsync] == 1)
        #expect(counts[.rename] == 0)
    }

    @Test func `renaming and linking fail, once or always`() async throws {
        let folder = try ScratchFolder()
        try folder.write("a", "x")
        var plan = FaultPlan(.fail(EACCES), at: 1, of: [.rename])
        plan.persists = true
        let settings = ProcessSettings(
            environment: plan.environment(library: try await FaultShim.library()),
            folder: folder.path
        )
        for _ in 0..<2 {
            let result = try await ProcessRunner.run("mv", ["-T", "a", "b"], settings)
            #expect(result.errors.contains("Permission denied"))
        }
        #expect(folder.list() == ["a"])
    }
}

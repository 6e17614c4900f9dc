import Glibc
import PawlCore
import PawlStorage
import PawlTesting
import SystemPackage
import Testing

/// Contract: "a failed move keeps the file", whatever call fails, and wherever the process is
/// killed.
@Suite(.timeLimit(.minutes(5)), .serialized, .enabled(if: TwoDisks.isAvailable))
struct MoveFaultTests {
    private static let content = pattern(600_000)
    private static let old = pattern(70_000, version: 9)

    /// One move in another process.
    private struct Attempt {
        let disks: TwoDisks
        let isNamed: Bool
        let policy: ExistingFilePolicy

        init(isNamed: Bool, policy: ExistingFilePolicy) throws {
            disks = try TwoDisks()
            self.isNamed = isNamed
            self.policy = policy
            try disks.near.write("a", content)
            if policy == .overwrite { try disks.far.write("b", old) }
        }

        func run(_ plan: FaultPlan, _ library: String) async throws -> FinishedProcess {
            let arguments = ["move", disks.near.path("a"), disks.far.path("b"), policy.rawValue]
            return try await Probe.run(
                arguments + (isNamed ? ["named"] : []),
                plan.environment(library: library)
            )
        }

        /// What is wrong with the two folders, or `nil`.
        func complaint() throws -> String? {
            let target = disks.far.exists("b") ? try disks.far.read("b") : nil
            let isMoved = target == content
            if !isMoved, target != (policy == .overwrite ? old : nil) {
                return "a part of the file"
            }
            guard disks.near.exists("a") else { return isMoved ? nil : "the file is lost" }
            return try disks.near.read("a") == content ? nil : "the source was changed"
        }

        var leftovers: [String] { disks.far.list().filter { $0 != "b" } }
    }

    private static func callCount(
        _ library: String,
        isNamed: Bool,
        _ policy: ExistingFilePolicy
    ) async throws -> Int {
        let attempt = try Attempt(isNamed: isNamed, policy: policy)
        let counts = attempt.disks.near.path("counts")
        let process = try await attempt.run(.counting(into: counts), library)
        try #require(process.status.isSuccess, "\(process.output)\(process.errors)")
        #expect(try attempt.complaint() == nil)
        #expect(!attempt.disks.near.exists("a"))
        let calls = FaultShim.counts(in: try attempt.disks.near.readText("counts"))
        #expect(calls[.fsync] ?? 0 >= 3)
        return calls.values.reduce(0, +)
    }

    @Test(arguments: [false, true], [ExistingFilePolicy.fail, .overwrite])
    func `a kill at any call leaves no half file under the name`(
        isNamed: Bool,
        policy: ExistingFilePolicy
    ) async throws {
        let library = try await FaultShim.library()
        let count = try await Self.callCount(library, isNamed: isNamed, policy)
        for number in 1...count {
            let attempt = try Attempt(isNamed: isNamed, policy: policy)
            let process = try await attempt.run(FaultPlan(.killBefore, at: number), library)
            #expect(process.status == .signal(SIGKILL))
            #expect(try attempt.complaint() == nil, "killed before call \(number)")
            guard attempt.disks.near.exists("a") else { continue }
            if !isNamed, policy == .fail { #expect(attempt.leftovers == []) }
            // The next move completes it and removes the leftovers.
            var again = FileMove(
                attempt.disks.near.file("a"),
                to: attempt.disks.far.file("b"),
                policy: .overwrite
            )
            again.copiesStartUnnamed = !isNamed
            _ = try again.run()
            #expect(try attempt.complaint() == nil)
            #expect(attempt.leftovers == [])
        }
    }

    @Test(arguments: [false, true], [EIO, ENOSPC])
    func `a failure at any call keeps the file in one of the two places`(
        isNamed: Bool,
        number: Int32
    ) async throws {
        let library = try await FaultShim.library()
        let count = try await Self.callCount(library, isNamed: isNamed, .fail)
        for call in 1...count {
            let attempt = try Attempt(isNamed: isNamed, policy: .fail)
            let process = try await attempt.run(FaultPlan(.fail(number), at: call), library)
            #expect(try attempt.complaint() == nil, "call \(call) failed: \(process.output)")
            #expect(attempt.leftovers == [], "call \(call) failed: \(process.output)")
            guard !process.status.isSuccess else {
                let isKept = attempt.disks.near.exists("a")
                #expect(process.output.contains("and kept") == isKept, "\(process.output)")
                #expect(!isKept || process.output.contains("problem"), "\(process.output)")
                continue
            }
            #expect(attempt.disks.near.exists("a"), "call \(call) failed: \(process.output)")
            #expect(process.output.contains("the file is still at \(attempt.disks.near.path("a"))"))
        }
    }
}

/// Contract: "a move reports the path that the file has", whatever call fails.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct RenameFaultTests {
    /// Moves a file in one file system in another process.
    private static func move(
        in folder: ScratchFolder,
        _ plan: FaultPlan,
        _ library: String
    ) async throws -> FinishedProcess {
        try folder.makeFolder("near")
        try folder.write("near/a", pattern(1000))
        try folder.makeFolder("far")
        return try await Probe.run(
            ["move", folder.path("near/a"), folder.path("far/a"), "rename"],
            plan.environment(library: library)
        )
    }

    @Test func `once a file has its new name, a failure is only reported`() async throws {
        let library = try await FaultShim.library()
        let first = try ScratchFolder()
        let counts = first.path("counts")
        _ = try await Self.move(in: first, .counting(into: counts), library)
        let calls = FaultShim.counts(in: try first.readText("counts"))
        let count = calls.values.reduce(0, +)
        #expect(calls[.fsync] ?? 0 >= 2)
        var problems = 0
        for call in 1...count {
            let folder = try ScratchFolder()
            let process = try await Self.move(in: folder, FaultPlan(.fail(EIO), at: call), library)
            let isMoved = process.status.isSuccess
            if process.output.contains("problem") { problems += 1 }
            #expect(folder.exists("far/a") == isMoved, "call \(call): \(process.output)")
            #expect(folder.exists("near/a") != isMoved, "call \(call): \(process.output)")
        }
        // The sync of the new folder.
        #expect(problems > 0)
    }
}

import Glibc
import PawlCore
import PawlTesting
import Testing

/// A download whose disk fails, and the conditions that must hold afterwards.
struct FaultScenario: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var size: Int64
    /// The bytes per second of each connection; `nil` for no limit.
    var rate: Int64?
    /// Whether a run that was killed at its first checkpoint has started the download.
    var isResumed = false

    /// Too small for a checkpoint.
    static let small = FaultScenario(testDescription: "a small file", size: 200_000)
    /// Two checkpoints by bytes.
    static let large = FaultScenario(testDescription: "a large file", size: 18 << 20)
    static let resumed = FaultScenario(
        testDescription: "a file begun before",
        size: 18 << 20,
        isResumed: true
    )
    /// Long enough for syncs in its middle.
    static let slow = FaultScenario(testDescription: "a slow file", size: 3 << 20, rate: 1 << 20)

    private var resource: Resource { Resource(size: size, seed: UInt64(size)) }

    /// The calls of a run that is not disturbed.
    func count() async throws -> [FaultPlan.Call: Int] {
        let workshop = try await workshop()
        let counts = try ScratchFolder()
        let plan = FaultPlan.counting(into: counts.path("counts"))
        let run = try await fetch(workshop, plan)
        #expect(run.status == .code(0), "\(run.errors)")
        return FaultShim.counts(in: try counts.readText("counts"))
    }

    /// Runs with the fault, then without: the file is exact or absent after the first run, and
    /// exact after the second.
    ///
    /// Returns whether the fault had an effect.
    @discardableResult
    func endure(_ plan: FaultPlan) async throws -> Bool {
        let workshop = try await workshop()
        let name = "\(testDescription): \(plan.name)"
        let run = try await fetch(workshop, plan)
        expectTyped(run, plan, name)
        let isThere = workshop.folder.exists(Workshop.name)
        #expect(isThere || run.status != .code(0), "\(name)")
        if isThere {
            let path = workshop.folder.path(Workshop.name)
            #expect(try resource.verify(fileAt: path) == nil, "\(name)")
        }
        let again = try await fetch(workshop, nil)
        #expect(again.status == .code(0), "\(name): \(again.errors)")
        let path = workshop.folder.path(Workshop.name)
        #expect(try resource.verify(fileAt: path) == nil, "\(name)")
        // No other files remain than those of a kill at the very end, or those set aside.
        let left = workshop.folder.list().filter {
            $0 != Workshop.name && !$0.hasPrefix("disk.iso.part")
        }
        #expect(left.isEmpty, "\(name)")
        #expect(!workshop.folder.exists("disk.iso.part"), "\(name)")
        return run.status != .code(0)
    }

    private func expectTyped(_ run: FinishedProcess, _ plan: FaultPlan, _ name: String) {
        switch run.status {
        case .signal(let number): #expect(number == SIGKILL && plan.kills, "\(name)")
        case .code(let code):
            let isKnown = code == 0 || ErrorCode.table.contains { $0.exitStatus == code }
            #expect(isKnown && code != ErrorCode.unknown.exitStatus, "\(name): \(run.errors)")
            #expect(code == 0 || run.errors.contains("pawl: "), "\(name): \(run.errors)")
        }
        #expect(!run.reachedTimeLimit, "\(name)")
    }

    private func workshop() async throws -> Workshop {
        let workshop = try Workshop(inMemory: true)
        let reply = Reply.resource(resource)
        if isResumed {
            let runner = try await workshop.begin(resource, [workshop.url])
            runner.signal(SIGKILL)
            await runner.waitForExit()
        }
        workshop.serve(rate.map(reply.rate) ?? reply)
        return workshop
    }

    private func fetch(_ workshop: Workshop, _ plan: FaultPlan?) async throws -> FinishedProcess {
        var settings = ProcessSettings(timeLimit: .seconds(120))
        if var plan {
            plan.path = plan.path.isEmpty ? workshop.folder.path : plan.path
            settings.environment = plan.environment(library: try await FaultShim.library())
        }
        // The shim knows a file by its whole path.
        return try await workshop.run(
            [workshop.url, "-x", "1", "-d", workshop.folder.path],
            settings
        )
    }
}

extension FaultPlan {
    var name: String {
        "\(calls.map(\.rawValue).joined(separator: "+")) \(number): \(action)"
            + (thenKills ? ", then killed" : "")
    }

    var kills: Bool {
        switch action {
        case .killBefore, .killAfter: true
        case .fail, .short, .hold: thenKills
        }
    }
}

import Glibc
import PawlCore
import PawlTesting
import Testing

/// A download of `pawl` onto a volume whose power is cut in the middle, each time followed by
/// another boot.
struct CutCommand {
    /// So slow that no run completes the file, however late the power is cut.
    private static let bytesPerSecond: Int64 = 1 << 20
    private static let resource = Resource(size: 64 << 20, seed: 7)

    private let volume: LoopVolume
    private let workshop: Workshop
    private var boot = 1
    /// The bytes that were durable a second and two syncs before the last cut.
    private var durable = RangeSet()

    init(_ fileSystem: LoopVolume.FileSystem) async throws {
        volume = try await LoopVolume(fileSystem)
        workshop = try Workshop()
        let link = SharedLink(bytesPerSecond: Self.bytesPerSecond)
        workshop.serve(.resource(Self.resource).through(link))
    }

    private var origin: ScriptedOrigin { workshop.origin }
    private var partial: String { "\(volume.path)/\(Workshop.name).part" }
    private var final: String { "\(volume.path)/\(Workshop.name)" }

    /// Runs until more is durable than at the last cut, and for a second and two syncs more; then
    /// cuts.
    mutating func cut() async throws {
        let before = await origin.waitForQuiet()
        let runner = try start()
        let known = try await waitForMoreDurable(runner, than: durable)
        await waitForBytes(Self.bytesPerSecond)
        // On a busy machine, the origin may send for a second while the program does not run.
        var later = known
        for _ in 0..<2 { later = try await waitForMoreDurable(runner, than: later) }
        try #require(runner.status == nil, "\(runner.errors)")
        try volume.shutDown()
        runner.signal(SIGKILL)
        await runner.waitForExit()
        try await expectNothingTwice(since: before)
        try volume.restart()
        boot += 1
        durable = known
    }

    /// Runs to the end: the file exists, even after a last cut.
    func finish() async throws {
        let before = await origin.waitForQuiet()
        workshop.serve(.resource(Self.resource))
        let runner = try start()
        let status = await runner.waitForExit()
        #expect(status == .code(0), "\(runner.errors)")
        try await expectNothingTwice(since: before)
        try volume.cutPower()
        #expect(try Self.resource.verify(fileAt: final) == nil)
        #expect(access(partial, F_OK) != 0)
    }

    /// In a mount namespace of its own, which shows the identity of another boot.
    private func start() throws -> ProcessRunner {
        let identity = try workshop.folder.write("boot", "boot-\(boot)\n")
        let script = "mount --bind \"$0\" /proc/sys/kernel/random/boot_id && exec \"$@\""
        return try ProcessRunner(
            "unshare",
            ["--mount", "--propagation", "slave", "sh", "-c", script, identity]
                + [Workshop.program, workshop.url],
            workshop.complete(ProcessSettings(folder: volume.path))
        )
    }

    /// As read from the checkpoint, which may not yet be synced itself.
    private func waitForMoreDurable(
        _ runner: ProcessRunner,
        than known: RangeSet
    ) async throws -> RangeSet {
        while runner.status == nil, !Task.isCancelled {
            await waitForBytes(Self.bytesPerSecond / 8)
            guard access(partial, F_OK) == 0 else { continue }
            let found = try await Inspection.of(partial, in: workshop)
            guard found.durableRanges.count > known.count else { continue }
            #expect(!found.ofThisBoot)
            return found.durableRanges
        }
        Issue.record("it ended before it had synced anything: \(runner.errors)")
        return known
    }

    private func waitForBytes(_ count: Int64) async {
        let wanted = origin.snapshot.bodyBytesSent + count
        await origin.waitUntil { $0.bodyBytesSent >= wanted || $0.activeExchanges == 0 }
    }

    private func expectNothingTwice(since before: OriginSnapshot) async throws {
        let after = await origin.waitForQuiet()
        for request in after.requests.dropFirst(before.requests.count) where !durable.isEmpty {
            let asked = try #require(request.range?.resolve(size: Self.resource.size))
            #expect(durable.intersection(RangeSet(asked)).isEmpty, "\(asked) of \(durable)")
        }
    }
}

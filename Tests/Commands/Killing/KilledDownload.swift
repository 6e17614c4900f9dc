import Glibc
import PawlCore
import PawlTesting
import Testing

/// One download that is killed and started again until it is complete, with the conditions that
/// must hold after each kill.
struct KilledDownload {
    let workshop: Workshop
    let path: String
    let resource: Resource
    let options: [String]
    /// The most that a kill may cost.
    let mostLost: Int64
    /// The maximum number of bytes in the sockets of a run: sent by the origin, but never received
    /// by the program.
    let inSockets: Int64

    private(set) var kills = 0
    /// The bytes that each kill has cost, of those that left a checkpoint.
    private(set) var costs: [Int64] = []
    private var claimed = RangeSet()

    init(
        _ workshop: Workshop,
        path: String,
        resource: Resource,
        options: [String],
        mostLost: Int64,
        inSockets: Int64
    ) {
        self.workshop = workshop
        self.path = path
        self.resource = resource
        self.options = options
        self.mostLost = mostLost
        self.inSockets = inSockets
    }

    private var name: String { String(path.dropFirst()) }
    private var partial: String { name + ".part" }

    /// Runs until the origin has sent as many bytes as `distance` returns, kills, and checks; after
    /// enough kills, runs to the end.
    mutating func run(
        kills most: Int,
        distance: (_ missing: Int64) -> Int64
    ) async throws {
        while kills < most, !Task.isCancelled {
            guard try await runAndKill(after: distance(resource.size - claimed.count)) else {
                return try expectDone()
            }
        }
        let run = try await workshop.run([workshop.origin.url(path)] + options)
        #expect(run.status == .code(0), "\(run.errors)")
        try expectDone()
    }

    /// Returns false if the run was complete before the kill.
    private mutating func runAndKill(after distance: Int64) async throws -> Bool {
        let before = await workshop.origin.waitForQuiet()
        let runner = try workshop.start(arguments: [workshop.origin.url(path)] + options)
        await workshop.origin.waitForBytes(before.bodyBytesSent + distance)
        runner.signal(SIGKILL)
        let status = await runner.waitForExit()
        let after = await workshop.origin.waitForQuiet()
        try expectAsksOnlyForTheRest(after.requests.dropFirst(before.requests.count))
        guard status == .signal(SIGKILL) else {
            #expect(status == .code(0), "\(runner.errors)")
            return false
        }
        kills += 1
        guard !workshop.folder.exists(name) else { return false }
        try await check(sent: after.bodyBytesSent - before.bodyBytesSent)
        return true
    }

    /// The bytes of a checkpoint are not downloaded again.
    private func expectAsksOnlyForTheRest(_ requests: ArraySlice<RecordedRequest>) throws {
        for request in requests where !claimed.isEmpty {
            let asked = try #require(request.range?.resolve(size: resource.size))
            #expect(claimed.intersection(RangeSet(asked)).isEmpty)
        }
    }

    private mutating func check(sent: Int64) async throws {
        let old = claimed
        guard workshop.folder.exists(partial) else {
            // Killed before the first checkpoint: all that was sent is lost.
            #expect(old.isEmpty)
            #expect(sent <= mostLost + inSockets)
            return
        }
        claimed = try await Inspection.of(partial, in: workshop).claimed
        #expect(old.ranges.allSatisfy(claimed.contains), "a claim was taken back")
        let file = workshop.folder.path(partial)
        for range in claimed.ranges {
            #expect(
                try resource.firstMismatch(inFileAt: file, range: range) == nil,
                "a claim that is not so"
            )
        }
        let lost = try WrittenBlocks.count(in: file, of: resource, outside: claimed)
        #expect(lost <= mostLost, "a kill cost \(lost) bytes")
        costs.append(lost)
    }

    private func expectDone() throws {
        try expectExact(name, resource, in: workshop)
        let left = workshop.folder.list().filter { $0.hasPrefix(name) && $0 != name }
        // Killed between the rename and the removal of the checkpoint.
        #expect(left.isEmpty || left == [name + ".part.pawl"])
    }
}

/// The written bytes; bytes of a reserved file that were not written are zero.
enum WrittenBlocks {
    static let blockBytes: Int64 = 4096

    /// The number of bytes outside of `known` that equal those of the resource, in whole blocks.
    static func count(
        in file: String,
        of resource: Resource,
        outside known: RangeSet
    ) throws -> Int64 {
        var count: Int64 = 0
        for gap in known.gaps(in: ByteRange(0, resource.size)).ranges {
            var start = gap.start
            while start < gap.end {
                let end = min(gap.end, start + blockBytes)
                let range = ByteRange(start, end)
                if try resource.firstMismatch(inFileAt: file, range: range) == nil {
                    count += range.count
                }
                start = end
            }
        }
        return count
    }
}

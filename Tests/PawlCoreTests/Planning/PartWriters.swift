import PawlCore

/// The transfers of a planner with a grid, which write into parts as those of an engine do.
///
/// It notes every write that a target with parts could not take.
struct PartWriters {
    private(set) var run: PlannerRun
    private let grid: SegmentGrid
    private let total: Int64
    private var random: SplitMix64
    private var positions: [TransferID: Int64] = [:]
    private var answered: Set<TransferID> = []
    /// The end of the bytes in each part that has any.
    private var written: [Int64: Int64] = [:]
    private(set) var violations: [String] = []
    /// The maximum number of parts that were begun and not complete.
    private(set) var mostBegun = 0
    /// The maximum number of transfers at once.
    private(set) var mostTransfers = 0
    /// The part of steps, in percent, in which a transfer breaks.
    private let breaks: Int

    init(total: Int64, grid: SegmentGrid, connections: Int, breaks: Int, seed: UInt64) {
        var settings = DownloadSettings()
        settings.connections = .fixed(connections)
        settings.retries = 1000
        var representation = Representation(total: total)
        representation.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        (self.grid, self.total, self.breaks) = (grid, total, breaks)
        random = SplitMix64(seed: seed)
        run = PlannerRun(settings, of: representation, seed: seed, grid: grid)
    }

    /// Returns whether the download is complete after at most `steps` steps.
    mutating func complete(within steps: Int) -> Bool {
        for _ in 0..<steps where !run.isComplete { step() }
        return run.isComplete
    }

    private mutating func step() {
        run.waitToRetry()
        for planned in run.running where answered.insert(planned.id).inserted {
            check(planned)
            positions[planned.id] = planned.start
            run.answerAsAsked(planned, total: total)
        }
        mostTransfers = max(mostTransfers, run.running.count)
        for planned in run.running where answered.contains(planned.id) { advance(planned) }
        mostBegun = max(mostBegun, written.count { $0.value < end(ofPart: $0.key) })
        let samples = run.running.map {
            TransferSample(id: $0.id, offset: positions[$0.id] ?? $0.start)
        }
        run.pass(.milliseconds(100), samples)
    }

    private mutating func advance(_ planned: PlannedTransfer) {
        let position = positions[planned.id] ?? planned.start
        if run.closed.contains(planned.id) { return run.end(planned.id, at: position, .cancelled) }
        let requested = planned.range?.end ?? total
        let end = min(self.end(of: planned), requested)
        // Each connection has its own speed, and some are much slower than others.
        let speed = grid.partBytes / 8 * Int64(1 + planned.id.number % 5 * 4)
        let next = max(position, min(position + max(1, speed), end))
        write(ByteRange(position, next), by: planned.id)
        positions[planned.id] = next
        if next >= end {
            run.end(planned.id, at: next, end < requested ? .stopped : .completed)
        } else if Int.random(in: 0..<100, using: &random) < breaks {
            let failure = TransferFailure(.connectionLost, "reset")
            run.end(planned.id, at: next, .failed(failure))
        }
    }

    private func end(of planned: PlannedTransfer) -> Int64 {
        min(total, run.ends[planned.id]?.end ?? planned.end)
    }

    private func end(ofPart start: Int64) -> Int64 { min(total, start + grid.partBytes) }

    /// Notes a transfer that begins within a part in which nothing precedes it, or that shares a
    /// part with another one.
    private mutating func check(_ planned: PlannedTransfer) {
        let part = grid.boundary(atOrBefore: planned.start)
        if planned.start > part, written[part] != planned.start {
            violations.append("\(planned.id) begins at \(planned.start)")
        }
        let end = end(of: planned)
        if end < total, !grid.isBoundary(end) { violations.append("\(planned.id) ends at \(end)") }
        let own = parts(of: planned)
        for other in run.running where other.id != planned.id {
            let shared = own.intersection(parts(of: other))
            if !shared.isEmpty { violations.append("\(planned.id), \(other.id) share \(shared)") }
        }
    }

    /// The parts that a transfer may write; none if all its bytes were taken away.
    private func parts(of planned: PlannedTransfer) -> ByteRange {
        let (start, end) = (positions[planned.id] ?? planned.start, end(of: planned))
        guard start < end else { return ByteRange(0, 0) }
        return ByteRange(grid.boundary(atOrBefore: start), grid.boundary(atOrAfter: end))
    }

    private mutating func write(_ bytes: ByteRange, by id: TransferID) {
        var start = bytes.start
        while start < bytes.end {
            let part = grid.boundary(atOrBefore: start)
            let end = min(bytes.end, end(ofPart: part))
            if start > written[part] ?? part {
                violations.append("\(id) leaves a gap before \(start)")
            }
            written[part] = max(written[part] ?? part, end)
            start = end
        }
    }
}

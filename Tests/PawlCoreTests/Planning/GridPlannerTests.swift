import FoundationEssentials
import PawlCore
import Testing

/// The planner for a target that takes whole parts.
@Suite(.timeLimit(.minutes(5)))
struct GridPlannerTests {
    private static let part: Int64 = 100_000
    private static let totals: [Int64] = [0, 1, 2, 3, 10].flatMap { parts in
        [-1, 0, 1].map { parts * part + $0 }
    }.filter { $0 > 0 }

    private func settings(_ connections: Int) -> DownloadSettings {
        var settings = DownloadSettings()
        settings.connections = .fixed(connections)
        settings.retries = 5
        return settings
    }

    private func representation(_ total: Int64) -> Representation {
        var representation = Representation(total: total)
        representation.entityTag = EntityTag(isWeak: false, opaque: "\"a\"")
        return representation
    }

    private func segment(_ number: Int, _ range: ByteRange) -> Segment {
        let planned = PlannedTransfer(
            id: TransferID(number),
            url: URL(filePath: "/"),
            range: range,
            pinned: nil,
            start: range.start,
            end: range.end
        )
        var segment = Segment(planned: planned, host: "h", openedAt: .zero)
        segment.isHeadAccepted = true
        return segment
    }

    private func planner(_ total: Int64) -> SegmentPlanner {
        var planner = SegmentPlanner()
        planner.grid = SegmentGrid(partBytes: Self.part)
        planner.begin(have: RangeSet(), total: total)
        return planner
    }

    /// Runs a segment for ten seconds at the given speed.
    private func run(_ planner: inout SegmentPlanner, _ number: Int, bytesPerSecond: Int64) {
        planner.update(TransferID(number)) { segment in
            let start = segment.start
            for tenth in Int64(0)...100 {
                let offset = start + bytesPerSecond * tenth / 10
                let sample = TransferSample(id: segment.id, offset: offset)
                _ = segment.observe(sample, at: .zero + .milliseconds(100 * tenth))
            }
        }
    }

    // MARK: - Whole downloads

    @Test(arguments: totals, [1, 4])
    func `a file of any length is written part by part`(total: Int64, connections: Int) {
        for seed in UInt64(0)..<10 {
            var writers = PartWriters(
                total: total,
                grid: SegmentGrid(partBytes: Self.part),
                connections: connections,
                breaks: 0,
                seed: seed
            )
            let isComplete = writers.complete(within: 2000)
            #expect(isComplete, "seed \(seed)")
            #expect(writers.violations.isEmpty, "seed \(seed)")
            #expect(writers.run.planner.arrived == RangeSet(ByteRange(0, total)))
        }
    }

    @Test func `several connections write different parts`() {
        var writers = PartWriters(
            total: 400 * Self.part + 1,
            grid: SegmentGrid(partBytes: Self.part),
            connections: 4,
            breaks: 0,
            seed: 1
        )
        let isComplete = writers.complete(within: 2000)
        #expect(isComplete)
        #expect(writers.violations.isEmpty)
        #expect(writers.mostTransfers == 4)
    }

    @Test func `transfers that break are continued where they ended`() {
        for seed in UInt64(0)..<60 {
            var writers = PartWriters(
                total: 20 * Self.part + Int64(seed) * 3331,
                grid: SegmentGrid(partBytes: Self.part),
                connections: 1 + Int(seed % 6),
                breaks: 10,
                seed: seed
            )
            let isComplete = writers.complete(within: 20_000)
            #expect(isComplete, "seed \(seed)")
            #expect(writers.violations.isEmpty, "seed \(seed)")
        }
    }

    @Test(arguments: [1, 2, 3])
    func `no more parts are begun than the target has room for`(most: Int) {
        for seed in UInt64(0)..<30 {
            var writers = PartWriters(
                total: 20 * Self.part,
                grid: SegmentGrid(partBytes: Self.part, mostBegunParts: most),
                connections: 6,
                breaks: 5,
                seed: seed
            )
            let isComplete = writers.complete(within: 20_000)
            #expect(isComplete, "seed \(seed)")
            #expect(writers.violations.isEmpty, "seed \(seed)")
            #expect(writers.mostBegun <= most, "seed \(seed)")
        }
    }

    // MARK: - Assigning

    @Test func `a split is at a boundary, and leaves the donor its part`() {
        var planner = planner(10 * Self.part)
        planner.add(segment(1, ByteRange(0, 10 * Self.part)))
        run(&planner, 1, bytesPerSecond: Self.part / 20)
        let assignment = planner.assign()
        #expect(assignment?.donor == TransferID(1))
        #expect(assignment?.range.end == 10 * Self.part)
        let start = assignment?.range.start ?? 0
        #expect(start.isMultiple(of: Self.part))
        #expect(start > Self.part)
    }

    @Test func `the part that a transfer writes is never split`() {
        let part: Int64 = 1 << 20
        var planner = SegmentPlanner()
        planner.grid = SegmentGrid(partBytes: part)
        planner.begin(have: RangeSet(ByteRange(0, part)), total: 2 * part)
        planner.add(segment(1, ByteRange(part, 2 * part)))
        run(&planner, 1, bytesPerSecond: 100)
        #expect(planner.assign(at: .zero + .seconds(60)) == nil)
        planner.grid = nil
        #expect(planner.assign(at: .zero + .seconds(60)) != nil)
    }

    @Test func `the slowest segment is not raced`() {
        var planner = planner(3 * Self.part)
        for number in Int64(0)..<3 {
            let range = ByteRange(number * Self.part, (number + 1) * Self.part)
            planner.add(segment(Int(number) + 1, range))
        }
        run(&planner, 1, bytesPerSecond: Self.part / 10)
        run(&planner, 3, bytesPerSecond: Self.part / 10)
        run(&planner, 2, bytesPerSecond: 10)
        _ = planner.finish(TransferID(1), offset: Self.part)
        _ = planner.finish(TransferID(3), offset: 3 * Self.part)
        #expect(planner.assign(at: .zero + .seconds(12)) == nil)
        planner.grid = nil
        #expect(planner.assign(at: .zero + .seconds(12))?.rival == TransferID(2))
    }

    @Test func `a begun part is continued before another one is begun`() {
        var planner = planner(10 * Self.part)
        planner.add(segment(1, ByteRange(4 * Self.part, 6 * Self.part)))
        _ = planner.finish(TransferID(1), offset: 4 * Self.part + 5)
        #expect(planner.assign()?.range == ByteRange(4 * Self.part + 5, 10 * Self.part))
    }

    @Test func `the rest of a part waits for the end of a response that is too short`() {
        var planner = planner(3 * Self.part)
        planner.add(segment(1, ByteRange(0, Self.part / 2)))
        #expect(planner.assign()?.range == ByteRange(Self.part, 3 * Self.part))
        planner.add(segment(2, ByteRange(Self.part, 3 * Self.part)))
        #expect(planner.unassigned.isEmpty)
        _ = planner.finish(TransferID(1), offset: Self.part / 2)
        #expect(planner.assign()?.range == ByteRange(Self.part / 2, Self.part))
    }

    @Test func `a window ends at a boundary`() {
        var planner = planner(100 * Self.part)
        planner.window = ReaderWindow(length: 4 * Self.part + 5)
        let first = planner.assign()
        #expect(first?.range == ByteRange(0, 2 * Self.part))
        planner.add(segment(1, ByteRange(0, 2 * Self.part)))
        planner.add(segment(2, ByteRange(2 * Self.part, 4 * Self.part)))
        #expect(planner.assign()?.range == ByteRange(4 * Self.part, 5 * Self.part))
    }

    // MARK: - Bytes that count

    @Test func `only whole parts of an earlier run are kept`() {
        let have = RangeSet([ByteRange(0, 150_000), ByteRange(300_000, 420_000)])
        let run = PlannerRun(
            settings(1),
            have: have,
            of: representation(420_000),
            grid: SegmentGrid(partBytes: Self.part)
        )
        #expect(run.newest?.start == Self.part)
        #expect(run.newest?.end == 3 * Self.part)
    }

    @Test func `after a failed sync, parts that are not durable begin again`() {
        let total = 10 * Self.part
        var run = PlannerRun(
            settings(1),
            have: RangeSet(ByteRange(0, 4 * Self.part)),
            of: representation(total),
            grid: SegmentGrid(partBytes: Self.part)
        )
        let first = run.newest?.id ?? TransferID(0)
        run.answerAsAsked(run.opened[0], total: total)
        run.report(.syncFailed(durable: RangeSet(ByteRange(0, 250_000))))
        #expect(run.closed.contains(first))
        run.end(first, at: 450_000, .cancelled)
        #expect(run.kept == RangeSet(ByteRange(0, 200_000)))
        #expect(run.newest?.start == 200_000)
    }

    @Test func `a wrong piece of the file is fetched again with its whole part`() {
        let total = 10 * Self.part
        var run = PlannerRun(
            settings(1),
            have: RangeSet(ByteRange(0, 9 * Self.part)),
            of: representation(total),
            grid: SegmentGrid(partBytes: Self.part)
        )
        let first = run.opened[0]
        run.answerAsAsked(first, total: total)
        run.end(first.id, at: total, .completed)
        #expect(run.isComplete)
        run.report(.digestDiffered(wrongPieces: [ByteRange(250_000, 260_000)]))
        let rest = ByteRange(3 * Self.part, total)
        #expect(run.kept == RangeSet([ByteRange(0, 2 * Self.part), rest]))
        #expect(run.newest?.start == 2 * Self.part)
        #expect(run.newest?.end == 3 * Self.part)
    }

    @Test func `without a strong validator there is one stream, which nothing continues`() {
        func opened(_ grid: SegmentGrid?) -> PlannerRun {
            let total = 10 * Self.part
            var weak = Representation(total: total)
            weak.lastModified = "Mon, 06 Jul 2026 08:49:37 GMT"
            var run = PlannerRun(settings(4), of: weak, grid: grid)
            let head = ResponseHead(
                200,
                ["Content-Length": "\(total)", "Last-Modified": weak.lastModified ?? ""]
            )
            run.answer(TransferID(1), head)
            for tenth in Int64(1)...20 {
                run.pass(
                    .milliseconds(100),
                    TransferSample(id: TransferID(1), offset: tenth * 10_000)
                )
            }
            return run
        }
        #expect(opened(nil).opened.count > 1)
        var run = opened(SegmentGrid(partBytes: Self.part))
        #expect(run.opened.count == 1)
        run.end(TransferID(1), at: 200_000, .failed(TransferFailure(.connectionLost, "reset")))
        run.waitToRetry()
        #expect(run.newest?.id == TransferID(2))
        #expect(run.newest?.range == nil)
        #expect(run.newest?.start == 0)
        #expect(run.log.contains { $0.contains("starting over") })
    }
}

import FoundationEssentials
import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SegmentPlannerTests {
    private static let mebibyte: Int64 = 1 << 20

    private func segment(_ number: Int, _ range: ByteRange, isWhole: Bool = false) -> Segment {
        let planned = PlannedTransfer(
            id: TransferID(number),
            url: URL(filePath: "/"),
            range: isWhole ? nil : range,
            pinned: nil,
            start: range.start,
            end: range.end
        )
        var segment = Segment(planned: planned, host: "h", openedAt: .zero)
        segment.isHeadAccepted = true
        return segment
    }

    /// Runs a segment for ten seconds at the given speed.
    private func run(_ planner: inout SegmentPlanner, _ number: Int, bytesPerSecond: Int64) {
        planner.update(TransferID(number)) { segment in
            let start = segment.start
            for tenth in Int64(0)...100 {
                let sample = TransferSample(
                    id: segment.id,
                    offset: start + bytesPerSecond * tenth / 10
                )
                _ = segment.observe(sample, at: .zero + .milliseconds(100 * tenth))
            }
        }
    }

    @Test func `a gap comes before everything else`() {
        var planner = SegmentPlanner()
        planner.begin(have: RangeSet([ByteRange(0, 100), ByteRange(200, 300)]), total: 1000)
        #expect(planner.assign()?.range == ByteRange(100, 200))
        planner.add(segment(1, ByteRange(100, 200)))
        #expect(planner.assign()?.range == ByteRange(300, 1000))
    }

    @Test func `a new connection takes half of its share of the range of an equally fast one`() {
        var planner = SegmentPlanner()
        planner.begin(have: RangeSet(), total: 100 * Self.mebibyte)
        planner.add(segment(1, ByteRange(0, 100 * Self.mebibyte), isWhole: true))
        run(&planner, 1, bytesPerSecond: Self.mebibyte)
        let assignment = planner.assign()
        #expect(assignment?.donor == TransferID(1))
        #expect(assignment?.range.end == 100 * Self.mebibyte)
        // 90 MiB remain, so both connections would end after 45 s.
        let start = assignment?.range.start ?? 0
        #expect(abs(start - (100 - 45 / 2) * Self.mebibyte) < Self.mebibyte)
    }

    @Test func `a split depends on remaining time, not on remaining bytes`() {
        var planner = SegmentPlanner()
        planner.begin(have: RangeSet(), total: 100 * Self.mebibyte)
        planner.add(segment(1, ByteRange(0, 80 * Self.mebibyte)))
        planner.add(segment(2, ByteRange(80 * Self.mebibyte, 100 * Self.mebibyte)))
        run(&planner, 1, bytesPerSecond: 4 * Self.mebibyte)
        run(&planner, 2, bytesPerSecond: 64 * 1024)
        // The first segment has more bytes left, the second more time. The new one counts as fast:
        // all would end after 7.4 s.
        let assignment = planner.assign()
        #expect(assignment?.donor == TransferID(2))
        #expect((assignment?.range.count ?? 0) > 14 * Self.mebibyte)
    }

    @Test func `the planner does not split a range below 64 KiB`() {
        var planner = SegmentPlanner()
        planner.begin(have: RangeSet(), total: 120 * 1024)
        planner.add(segment(1, ByteRange(0, 120 * 1024)))
        #expect(planner.assign() == nil)
    }

    /// A late tick may report all bytes at once, which reveals no speed.
    @Test func `a segment that stops before its speed is known is raced`() {
        var planner = SegmentPlanner()
        let half = Self.mebibyte / 2
        planner.begin(have: RangeSet(ByteRange(0, half)), total: Self.mebibyte)
        planner.add(segment(1, ByteRange(half, Self.mebibyte)))
        planner.add(segment(2, ByteRange(0, half)))
        run(&planner, 2, bytesPerSecond: half / 10)
        _ = planner.finish(TransferID(2), offset: half)
        let offset = Self.mebibyte - 50_000
        for second in Int64(1)...3 {
            planner.update(TransferID(1)) { segment in
                let sample = TransferSample(id: segment.id, offset: offset)
                _ = segment.observe(sample, at: .zero + .seconds(second))
            }
        }
        let assignment = planner.assign()
        #expect(assignment?.rival == TransferID(1))
        #expect(assignment?.range == ByteRange(offset, Self.mebibyte))
    }

    @Test func `the slowest segment is raced when nothing else is left`() {
        var planner = SegmentPlanner()
        planner.begin(have: RangeSet(), total: 20 * Self.mebibyte)
        planner.add(segment(1, ByteRange(0, 10 * Self.mebibyte)))
        planner.add(segment(2, ByteRange(10 * Self.mebibyte, 10 * Self.mebibyte + 110 * 1024)))
        planner.add(segment(3, ByteRange(10 * Self.mebibyte + 110 * 1024, 20 * Self.mebibyte)))
        run(&planner, 1, bytesPerSecond: Self.mebibyte)
        run(&planner, 3, bytesPerSecond: Self.mebibyte)
        run(&planner, 2, bytesPerSecond: 1024)
        _ = planner.finish(TransferID(1), offset: 10 * Self.mebibyte)
        _ = planner.finish(TransferID(3), offset: 20 * Self.mebibyte)
        let assignment = planner.assign()
        #expect(assignment?.rival == TransferID(2))
        #expect(assignment?.range.end == 10 * Self.mebibyte + 110 * 1024)
    }

    @Test func `a connection that pauses at the end is raced, however fast it was`() {
        var planner = SegmentPlanner()
        planner.begin(have: RangeSet(), total: 2 * Self.mebibyte)
        planner.add(segment(1, ByteRange(0, Self.mebibyte)))
        planner.add(segment(2, ByteRange(Self.mebibyte, Self.mebibyte + 110 * 1024)))
        planner.add(segment(3, ByteRange(Self.mebibyte + 110 * 1024, 2 * Self.mebibyte)))
        run(&planner, 1, bytesPerSecond: 100 * 1024)
        run(&planner, 2, bytesPerSecond: 11_160)
        run(&planner, 3, bytesPerSecond: 80 * 1024)
        _ = planner.finish(TransferID(1), offset: Self.mebibyte)
        _ = planner.finish(TransferID(3), offset: 2 * Self.mebibyte)
        let last = planner.segments[TransferID(2)]?.lastProgressAt ?? .zero
        #expect(planner.assign(at: last) == nil)
        #expect(planner.assign(at: last + .seconds(2))?.rival == TransferID(2))
    }

    @Test func `a connection that has all its bytes takes over from one without a response`() {
        var planner = SegmentPlanner()
        planner.begin(have: RangeSet(), total: Self.mebibyte)
        let half = Self.mebibyte / 2
        planner.add(segment(1, ByteRange(0, half)))
        planner.add(segment(2, ByteRange(half, Self.mebibyte)))
        planner.update(TransferID(2)) { $0.isHeadAccepted = false }
        #expect(planner.assign(at: .zero + .seconds(1))?.donor != TransferID(2))
        run(&planner, 1, bytesPerSecond: half / 10)
        _ = planner.finish(TransferID(1), offset: half)
        planner.responseEnded(from: 0)
        #expect(planner.assign(at: .zero + .milliseconds(300))?.range.start != half)
        let assignment = planner.assign(at: .zero + .milliseconds(500))
        #expect(assignment?.donor == TransferID(2))
        #expect(assignment?.range == ByteRange(half, Self.mebibyte))
    }

    @Test func `a crawling connection counts as slow once observed, but only a few times`() {
        var planner = SegmentPlanner()
        planner.begin(have: RangeSet(), total: 200 * Self.mebibyte)
        planner.add(segment(1, ByteRange(0, 100 * Self.mebibyte)))
        planner.add(segment(2, ByteRange(100 * Self.mebibyte, 200 * Self.mebibyte)))
        let early = planner.slowConnection(at: .zero + .seconds(1))
        #expect(early == nil)
        run(&planner, 1, bytesPerSecond: 4 * Self.mebibyte)
        run(&planner, 2, bytesPerSecond: 64 * 1024)
        let found = (0..<100).compactMap { _ in
            planner.slowConnection(at: .zero + .seconds(10))
        }
        #expect(Set(found) == [TransferID(2)])
        #expect(found.count < 100)
        // Much later, the connection may be replaced again.
        let later = planner.slowConnection(at: .zero + .seconds(3600))
        #expect(later == TransferID(2))
    }

    @Test func `bytes of ended transfers are kept and complete the file`() {
        var planner = SegmentPlanner()
        planner.begin(have: RangeSet(ByteRange(0, 10)), total: 100)
        planner.add(segment(1, ByteRange(10, 100)))
        #expect(!planner.isComplete)
        _ = planner.finish(TransferID(1), offset: 100)
        #expect(planner.isComplete)
        planner.restrict(to: RangeSet(ByteRange(0, 50)))
        #expect(planner.unassigned == RangeSet(ByteRange(50, 100)))
    }
}

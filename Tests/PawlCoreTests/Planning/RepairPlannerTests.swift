import PawlCore
import Testing

/// What is fetched again after a wrong digest, and from which sources.
@Suite(.timeLimit(.minutes(5)))
struct RepairPlannerTests {
    private let pieces = [ByteRange(0, 100), ByteRange(100, 200), ByteRange(200, 300)]

    private func planner(_ sent: [(ByteRange, Int)]) -> RepairPlanner {
        var planner = RepairPlanner()
        for (range, source) in sent { planner.received(range, from: source) }
        return planner
    }

    @Test func `the source that alone sent a wrong piece is left out`() {
        var planner = planner([(ByteRange(0, 200), 0), (ByteRange(200, 300), 1)])
        let step = planner.differed(wrong: [pieces[1]], total: 300, usable: [0, 1])
        #expect(step == .fetchAgain(without: [0]))
    }

    @Test func `nobody is left out for a piece that two sources sent`() {
        var planner = planner([(ByteRange(0, 150), 0), (ByteRange(150, 300), 1)])
        let step = planner.differed(wrong: [pieces[1]], total: 300, usable: [0, 1])
        #expect(step == .fetchAgain(without: []))
    }

    @Test func `nobody is left out for a piece of an earlier run`() {
        var planner = planner([(ByteRange(50, 300), 0)])
        let step = planner.differed(wrong: [pieces[0]], total: 300, usable: [0, 1])
        #expect(step == .fetchAgain(without: []))
    }

    @Test func `the only source is asked again, a few times`() {
        var planner = planner([(ByteRange(0, 300), 0)])
        for _ in 0..<3 {
            let step = planner.differed(wrong: [pieces[2]], total: 300, usable: [0])
            #expect(step == .fetchAgain(without: []))
            planner.received(pieces[2], from: 0)
        }
        #expect(planner.differed(wrong: [pieces[2]], total: 300, usable: [0]) == .fail)
    }

    @Test func `a wrong piece that came again is blamed on its second sender`() {
        var planner = planner([(ByteRange(0, 300), 0)])
        #expect(
            planner.differed(wrong: [pieces[0]], total: 300, usable: [0, 1, 2])
                == .fetchAgain(without: [0])
        )
        planner.received(pieces[0], from: 1)
        #expect(
            planner.differed(wrong: [pieces[0]], total: 300, usable: [1, 2])
                == .fetchAgain(without: [1])
        )
    }

    @Test func `without pieces, several senders are tried one at a time`() {
        var planner = planner([(ByteRange(0, 200), 0), (ByteRange(200, 300), 1)])
        #expect(planner.differed(wrong: [], total: 300, usable: [0, 1, 2]) == .startOverFrom(0))
        planner.startedOver()
        planner.received(ByteRange(0, 300), from: 0)
        #expect(
            planner.differed(wrong: [], total: 300, usable: [0, 1, 2]) == .startOver(without: [0])
        )
    }

    @Test func `without pieces and without another source, nothing is fetched again`() {
        var planner = planner([(ByteRange(0, 300), 0)])
        #expect(planner.differed(wrong: [], total: 300, usable: [0]) == .fail)
    }

    @Test func `without pieces, bytes of an earlier run are fetched from another source`() {
        var planner = planner([(ByteRange(100, 300), 0)])
        #expect(planner.differed(wrong: [], total: 300, usable: [0, 1]) == .startOverFrom(1))
    }

    @Test func `each of many wrong sources is left out`() {
        var planner = planner([(ByteRange(0, 300), 0)])
        for source in 0..<9 {
            let usable = Array(source..<10)
            let step = planner.differed(wrong: [pieces[1]], total: 300, usable: usable)
            #expect(step == .fetchAgain(without: [source]))
            planner.received(pieces[1], from: source + 1)
        }
    }

    @Test func `bytes of another tool are never dropped`() {
        var planner = RepairPlanner(mayDropBytes: false)
        planner.received(ByteRange(0, 100), from: 0)
        planner.received(ByteRange(100, 300), from: 1)
        #expect(planner.differed(wrong: [], total: 300, usable: [0, 1]) == .fail)
    }
}

import PawlCore
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RangeSetTests {
    private static let size: Int64 = 64

    /// One Boolean per byte: too simple to be wrong.
    private struct Model: Equatable {
        var bytes = [Bool](repeating: false, count: Int(RangeSetTests.size))

        mutating func set(_ range: ByteRange, to value: Bool) {
            for offset in range.start..<range.end { bytes[Int(offset)] = value }
        }

        func contains(_ range: ByteRange) -> Bool {
            (range.start..<range.end).allSatisfy { bytes[Int($0)] }
        }
    }

    @Test func `random changes agree with a set of bytes`() async {
        var random = TestSeed.generator("changes of ranges")
        var breath = Breath()
        for _ in 0..<300 {
            await breath.take()
            var set = RangeSet()
            var model = Model()
            for _ in 0..<60 {
                let range = Self.range(&random)
                let inserts = random.next() % 3 > 0
                if inserts { set.insert(range) } else { set.remove(range) }
                model.set(range, to: inserts)
                guard Self.agrees(set, model, &random) else {
                    Issue.record("\(set) after \(range)")
                    return
                }
            }
        }
    }

    @Test func `unions, intersections and gaps agree with a set of bytes`() {
        var random = TestSeed.generator("unions of ranges")
        for _ in 0..<2000 {
            let (left, leftModel) = Self.pair(&random)
            let (right, rightModel) = Self.pair(&random)
            var union = left
            union.formUnion(right)
            let either = zip(leftModel.bytes, rightModel.bytes).map { $0 || $1 }
            let both = zip(leftModel.bytes, rightModel.bytes).map { $0 && $1 }
            let hint = "\(left), \(right)"
            #expect(Self.bytes(of: union) == either, "\(hint)")
            #expect(Self.bytes(of: left.intersection(right)) == both, "\(hint)")
            let whole = Self.range(&random)
            var missing = Model()
            for offset in whole.start..<whole.end where !leftModel.bytes[Int(offset)] {
                missing.bytes[Int(offset)] = true
            }
            #expect(Self.bytes(of: left.gaps(in: whole)) == missing.bytes, "\(hint)")
        }
    }

    @Test func `adjacent ranges merge`() {
        var set = RangeSet([ByteRange(0, 10), ByteRange(20, 30)])
        set.insert(ByteRange(10, 20))
        #expect(set.ranges == [ByteRange(0, 30)])
        #expect(set.frontier == 30)
        set.remove(ByteRange(0, 1))
        #expect(set.frontier == 0)
    }

    @Test func `the largest offsets do not overflow`() {
        var set = RangeSet(ByteRange(0, .max))
        #expect(set.count == .max)
        set.remove(ByteRange(5, .max - 5))
        #expect(set.ranges == [ByteRange(0, 5), ByteRange(.max - 5, .max)])
        #expect(set.contains(ByteRange(.max - 5, .max)))
        #expect(!set.contains(ByteRange(0, .max)))
    }

    private static func range(_ random: inout SplitMix64) -> ByteRange {
        ByteRange(
            .random(in: 0...size, using: &random),
            .random(in: 0...size, using: &random)
        )
    }

    private static func pair(_ random: inout SplitMix64) -> (RangeSet, Model) {
        var set = RangeSet()
        var model = Model()
        for _ in 0..<(random.next() % 8) {
            let range = range(&random)
            set.insert(range)
            model.set(range, to: true)
        }
        return (set, model)
    }

    private static func bytes(of set: RangeSet) -> [Bool] {
        var model = Model()
        for range in set.ranges { model.set(range, to: true) }
        return model.bytes
    }

    private static func agrees(
        _ set: RangeSet,
        _ model: Model,
        _ random: inout SplitMix64
    ) -> Bool {
        let probe = range(&random)
        let frontier = model.bytes.prefix { $0 }.count
        let gaps = zip(set.ranges, set.ranges.dropFirst())
        return bytes(of: set) == model.bytes
            && set.count == Int64(model.bytes.count { $0 })
            && set.frontier == Int64(frontier)
            && set.contains(probe) == model.contains(probe)
            && set.ranges.allSatisfy { !$0.isEmpty }
            && gaps.allSatisfy { $0.end < $1.start }
    }
}

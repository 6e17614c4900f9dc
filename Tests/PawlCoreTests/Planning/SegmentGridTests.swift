import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SegmentGridTests {
    @Test(arguments: [1, 7, 4096, 8 << 20] as [Int64])
    func `every offset lies between two boundaries`(partBytes: Int64) {
        let grid = SegmentGrid(partBytes: partBytes)
        for part in Int64(0)..<5 {
            let start = part * partBytes
            #expect(grid.isBoundary(start))
            #expect(grid.boundary(atOrBefore: start) == start)
            #expect(grid.boundary(atOrAfter: start) == start)
            guard partBytes > 1 else { continue }
            for offset in [start + 1, start + partBytes - 1] {
                #expect(!grid.isBoundary(offset))
                #expect(grid.boundary(atOrBefore: offset) == start)
                #expect(grid.boundary(atOrAfter: offset) == start + partBytes)
            }
        }
    }

    @Test func `a part may be longer than every file`() {
        let grid = SegmentGrid(partBytes: .max)
        #expect(grid.boundary(atOrBefore: .max - 1) == 0)
        #expect(grid.boundary(atOrAfter: 1) == .max)
        #expect(SegmentGrid(partBytes: 1 << 62).boundary(atOrAfter: .max) == .max)
    }

    @Test func `only whole parts count, and the last one may be shorter`() {
        let grid = SegmentGrid(partBytes: 100)
        func whole(_ start: Int64, _ end: Int64, of total: Int64?) -> [ByteRange] {
            grid.wholeParts(of: RangeSet(ByteRange(start, end)), total: total).ranges
        }
        #expect(whole(0, 99, of: 1000).isEmpty)
        #expect(whole(0, 100, of: 1000) == [ByteRange(0, 100)])
        #expect(whole(1, 200, of: 1000) == [ByteRange(100, 200)])
        #expect(whole(1, 199, of: 1000).isEmpty)
        #expect(whole(150, 450, of: 1000) == [ByteRange(200, 400)])
        #expect(whole(150, 450, of: 450) == [ByteRange(200, 450)])
        #expect(whole(410, 450, of: 450).isEmpty)
        #expect(whole(150, 450, of: nil) == [ByteRange(200, 400)])
        let parts = RangeSet([ByteRange(0, 150), ByteRange(200, 300)])
        #expect(
            grid.wholeParts(of: parts, total: 300).ranges
                == [ByteRange(0, 100), ByteRange(200, 300)]
        )
    }
}

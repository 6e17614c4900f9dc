import PawlCore
import PawlFleet
import PawlTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct UploadGridTests {
    private static let mebibyte: Int64 = 1 << 20

    /// The totals at which something changes, and those next to them.
    private static var totals: [Int64] {
        var random = TestSeed.generator("totals of grids")
        let edges: [Int64] = [
            1, 8 << 20, 16 << 20, 5_000 * 8 << 20, 5_000 * 9 << 20, 5 << 30, 1 << 40, 5 << 40,
        ]
        let chosen = (0..<500).map { _ in
            Int64.random(in: 0...5 << Int64.random(in: 10...40, using: &random), using: &random)
        }
        return (edges.flatMap { [$0 - 1, $0, $0 + 1] } + chosen)
            .filter { $0 <= UploadGrid.largestObject }
    }

    @Test func `equal parts but the last one cover each file exactly`() throws {
        for total in Self.totals {
            let grid = try #require(UploadGrid(total: total))
            let count = try #require(grid.count)
            #expect(count <= UploadGrid.mostParts)
            #expect(grid.partBytes >= 8 << 20 && grid.partBytes <= 5 << 30)
            #expect(grid.partBytes % Self.mebibyte == 0)
            for part in [0, 1, count / 2, count - 2] where part >= 0 && part < count - 1 {
                #expect(grid.bytes(of: part).count == grid.partBytes)
                #expect(grid.bytes(of: part).end == grid.bytes(of: part + 1).start)
            }
            guard count > 0 else { continue }
            let last = grid.bytes(of: count - 1)
            #expect(last.end == total && !last.isEmpty)
            #expect(grid.bytes(of: count).isEmpty)
            #expect(grid.part(at: last.start) == count - 1)
            #expect(grid.part(at: last.end - 1) == count - 1)
        }
    }

    @Test func `the largest object has 4,998 parts`() throws {
        let grid = try #require(UploadGrid(total: 5 << 40))
        #expect(grid.partBytes == 1_049 * Self.mebibyte)
        #expect(grid.count == 4_998)
        #expect(UploadGrid(total: 5 << 40 + 1) == nil)
        #expect(UploadGrid(total: -1) == nil)
    }

    @Test func `a file of up to 8 MiB needs no upload`() throws {
        #expect(try #require(UploadGrid(total: 0)).needsNoUpload)
        #expect(try #require(UploadGrid(total: 8 << 20)).needsNoUpload)
        #expect(try !#require(UploadGrid(total: 8 << 20 + 1)).needsNoUpload)
        #expect(try !#require(UploadGrid(total: nil)).needsNoUpload)
    }

    @Test func `without a length the parts grow, and reach the largest object`() throws {
        let grid = try #require(UploadGrid(total: nil))
        #expect(grid.count == nil)
        var end: Int64 = 0
        var parts = 0
        while end < UploadGrid.largestObject {
            let bytes = grid.bytes(of: parts)
            #expect(bytes.start == end && !bytes.isEmpty && bytes.count <= 5 << 30)
            #expect(grid.part(at: bytes.start) == parts && grid.part(at: bytes.end - 1) == parts)
            end = bytes.end
            parts += 1
        }
        #expect(grid.bytes(of: 0).count == 16 << 20)
        #expect(grid.bytes(of: 500).count == 32 << 20)
        #expect(parts == 4_782 && parts <= UploadGrid.mostParts)
    }

    @Test func `a recorded grid is read again`() throws {
        let grid = try #require(UploadGrid(total: 100 << 20))
        #expect(UploadGrid(total: 100 << 20, partBytes: grid.partBytes) == grid)
        #expect(UploadGrid(total: 100 << 20, partBytes: 0) == nil)
        #expect(UploadGrid(total: 100 << 20, partBytes: 1) == nil)
        // The offsets of later parts would be too large.
        #expect(UploadGrid(total: 100 << 20, partBytes: .max) == nil)
        #expect(UploadGrid(total: UploadGrid.largestObject + 1, partBytes: 5 << 30) == nil)
    }
}

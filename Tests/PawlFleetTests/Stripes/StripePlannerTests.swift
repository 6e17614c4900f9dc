import PawlCore
import PawlFleet
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StripePlannerTests {
    private let planner = StripePlanner(threshold: 64 << 20, begunParts: 2)

    private func representation(_ tag: String?, total: Int64?) -> Representation {
        var seen = Representation(total: total)
        seen.entityTag = tag.flatMap { EntityTag(lenient: $0) }
        return seen
    }

    @Test(arguments: [4 << 30 + 1, 5 << 30, 1 << 40, 5 << 40] as [Int64])
    func `stripes divide the parts of a large file evenly`(total: Int64) throws {
        let grid = try #require(UploadGrid(total: total))
        let stripes = StripePlanner().stripes(of: grid)
        #expect((4...StripePlanner.mostStripes).contains(stripes.count))
        #expect(stripes.flatMap(\.parts) == Array(0..<(try #require(grid.count))))
        let sizes = stripes.map(\.parts.count)
        #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
        #expect(stripes.allSatisfy { $0.node == nil && $0.attempt == 0 })
    }

    @Test func `a file up to the threshold is one stripe`() throws {
        let grid = try #require(UploadGrid(total: 4 << 30))
        #expect(StripePlanner().stripes(of: grid).map(\.parts) == [0..<512])
        #expect(StripePlanner().stripes(of: try #require(UploadGrid(total: 0))).isEmpty)
        #expect(StripePlanner().stripes(of: try #require(UploadGrid(total: nil))).isEmpty)
    }

    @Test func `only a file with a strong validator is divided`() {
        let strong = representation("\"a\"", total: 65 << 20)
        #expect(planner.divides(strong, acceptsRanges: true))
        #expect(!planner.divides(strong, acceptsRanges: false))
        #expect(!planner.divides(representation("W/\"a\"", total: 65 << 20), acceptsRanges: true))
        #expect(!planner.divides(representation(nil, total: 65 << 20), acceptsRanges: true))
        #expect(!planner.divides(representation("\"a\"", total: 64 << 20), acceptsRanges: true))
        #expect(!planner.divides(representation("\"a\"", total: nil), acceptsRanges: true))
        var encoded = strong
        encoded.contentEncoding = "gzip"
        #expect(!planner.divides(encoded, acceptsRanges: true))
    }

    @Test func `only bytes that are proven to be of the same representation contribute`() {
        let pinned = representation("\"a\"", total: 100)
        #expect(planner.mayContribute(representation("\"a\"", total: 100), to: pinned))
        #expect(!planner.mayContribute(representation("\"b\"", total: 100), to: pinned))
        #expect(!planner.mayContribute(representation("\"a\"", total: 101), to: pinned))
        #expect(!planner.mayContribute(representation("W/\"a\"", total: 100), to: pinned))
        #expect(!planner.mayContribute(representation(nil, total: 100), to: pinned))
    }

    @Test func `the first free stripe with missing parts is taken`() {
        let stripes = [
            Stripe(parts: 0..<2), Stripe(parts: 2..<4, node: 1), Stripe(parts: 4..<6),
        ]
        let have = [true, true, false, false, false, true]
        #expect(planner.next(stripes, have: have, node: 2) == .take(2))
    }

    @Test func `a node relieves the owner with the most missing parts of half of them`() {
        let stripes = [
            Stripe(parts: 0..<10, node: 1), Stripe(parts: 10..<20, node: 2),
            Stripe(parts: 20..<40, node: 3),
        ]
        var have = [Bool](repeating: false, count: 40)
        for part in [0, 1, 2] + Array(20..<32) { have[part] = true }
        // The second has 10 missing parts, the others have 7 and 8.
        #expect(planner.next(stripes, have: have, node: 4) == .split(1, at: 15))
        let (first, second) = planner.split(stripes[1], at: 15, for: 4)
        #expect(first == Stripe(parts: 10..<15, node: 2))
        #expect(second == Stripe(parts: 15..<20, node: 4, attempt: 1))
        // A node does not relieve itself.
        #expect(planner.next(stripes, have: have, node: 2) == .split(2, at: 36))
    }

    @Test func `parts that may have begun are not taken from an owner`() {
        let stripes = [Stripe(parts: 0..<4, node: 1)]
        #expect(planner.next(stripes, have: [true, false, false, false], node: 2) == .nothing)
        let all = [Bool](repeating: false, count: 4)
        #expect(planner.next(stripes, have: all, node: 2) == .split(0, at: 2))
        #expect(planner.next(stripes, have: [true, true, true, true], node: 2) == .nothing)
    }

    @Test func `the next owner of a stripe uses other numbers`() {
        var stripe = Stripe(parts: 0..<4, node: 1)
        stripe.release()
        #expect(stripe == Stripe(parts: 0..<4, attempt: 1))
        stripe.release()
        #expect(stripe.attempt == 1)
    }
}

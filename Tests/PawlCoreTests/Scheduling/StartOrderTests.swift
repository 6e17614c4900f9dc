import PawlCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StartOrderTests {
    @Test func `positions are before and after all others`() {
        var order = StartOrder()
        #expect([order.takeLast(), order.takeLast(), order.takeFirst()] == [1, 2, -1])
        var loaded = StartOrder([-7, 3, 12])
        #expect([loaded.takeFirst(), loaded.takeLast(), loaded.takeFirst()] == [-8, 13, -9])
        var late = StartOrder([5, 9])
        #expect([late.takeFirst(), late.takeLast()] == [-1, 10])
    }

    @Test func `a move changes only the positions between`() {
        let downloads = [10, 20, 30, 40].map { StartOrder.Item($0 / 10, at: $0) }
        func moved(_ id: Int64, before other: Int64) -> [[Int64]] {
            StartOrder.moving(id, before: other, in: downloads).map { [$0.id, $0.position] }
        }
        #expect(moved(4, before: 1) == [[4, 10], [1, 20], [2, 30], [3, 40]])
        #expect(moved(1, before: 4) == [[2, 10], [3, 20], [1, 30]])
        #expect(moved(1, before: 2).isEmpty)
    }
}

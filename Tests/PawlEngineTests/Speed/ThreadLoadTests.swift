import PawlEngine
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ThreadLoadTests {
    @Test func `the busiest thread counts, from one observation to the next`() {
        var load = ThreadLoad()
        #expect(load.observe([.seconds(5), .seconds(1)]) == .zero)
        #expect(load.observe([.seconds(6), .seconds(4)]) == .seconds(3))
        #expect(load.observe([.seconds(8), .seconds(4)]) == .seconds(5))
    }

    @Test func `a thread that started since the last observation does not count yet`() {
        var load = ThreadLoad()
        #expect(load.observe([]) == .zero)
        #expect(load.observe([.seconds(2)]) == .zero)
        #expect(load.observe([.seconds(3)]) == .seconds(1))
    }
}

import PawlEngine
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ThreadLoadTests {
    @Test func `the busiest thread counts, from look to look`() {
        var load = ThreadLoad()
        #expect(load.observe([.seconds(5), .seconds(1)]) == .zero)
        #expect(load.observe([.seconds(6), .seconds(4)]) == .seconds(3))
        #expect(load.observe([.seconds(8), .seconds(4)]) == .seconds(5))
    }

    @Test func `a thread that began since the last look says nothing yet`() {
        var load = ThreadLoad()
        #expect(load.observe([]) == .zero)
        #expect(load.observe([.seconds(2)]) == .zero)
        #expect(load.observe([.seconds(3)]) == .seconds(1))
    }
}

import PawlCore
import PawlTransport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ShowingPaceTests {
    private func at(_ milliseconds: Int64) -> Moment {
        Moment(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func `a busy loop flushes two buffers every tenth of a second`() {
        var pace = ShowingPace()
        let shown = (0..<1000).filter { pace.isDue(borrowers: 2, at: at($0)) }
        #expect(shown == [100, 200, 300, 400, 500, 600, 700, 800, 900])
    }

    @Test func `the period restarts after a flush`() {
        var pace = ShowingPace()
        let first = pace.isDue(borrowers: 2, at: at(0))
        pace.allShown()
        let second = pace.isDue(borrowers: 2, at: at(150))
        let third = pace.isDue(borrowers: 2, at: at(250))
        #expect([first, second, third] == [false, false, true])
    }

    @Test func `a single transfer fills its buffer without reading the clock`() {
        var pace = ShowingPace()
        var looks = 0
        func now() -> Moment {
            looks += 1
            return at(1000)
        }
        let isDue = pace.isDue(borrowers: 1, at: now())
        #expect(!isDue)
        #expect(looks == 0)
    }
}

import PawlCLI
import PawlCore
import Testing

/// When `pawl top` draws its screen.
@Suite(.timeLimit(.minutes(5)))
struct TopClockTests {
    private func moment(_ milliseconds: Int64) -> Moment {
        Moment(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func `without a change, the screen is drawn twice per second`() {
        var clock = TopClock()
        let draws = stride(from: Int64(0), to: 2000, by: 40).filter { time in
            clock.takesTurn(at: moment(time))
        }
        #expect(draws == [0, 520, 1040, 1560])
    }

    @Test func `a change is drawn at once, and only once`() {
        var clock = TopClock()
        // The mutating calls are outside of the expectation, which cannot contain them.
        var draws = [clock.takesTurn(at: moment(0)), clock.takesTurn(at: moment(40))]
        clock.changed()
        clock.changed()
        draws += [clock.takesTurn(at: moment(80)), clock.takesTurn(at: moment(120))]
        #expect(draws == [true, false, true, false])
    }
}

import PawlDaemon
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConnectionClockTests {
    private let start = ContinuousClock.now
    private let limits: ConnectionLimits = {
        var limits = ConnectionLimits()
        (limits.head, limits.body) = (.seconds(10), .seconds(30))
        (limits.idle, limits.reading) = (.seconds(60), .seconds(20))
        return limits
    }()

    private func after(_ seconds: Int) -> ContinuousClock.Instant {
        start.advanced(by: .seconds(seconds))
    }

    @Test func `every part of a client's request has a deadline`() {
        var clock = ConnectionClock(limits, at: start)
        #expect(clock.deadline == after(10))
        clock.handle(.headReceived, at: after(1))
        #expect(clock.deadline == after(31))
        clock.handle(.bodyEnded, at: after(2))
        // The daemon's own work and a stream of events have no deadline.
        #expect(clock.deadline == nil)
        clock.handle(.responseEnded, at: after(100))
        #expect(clock.deadline == after(160))
        clock.handle(.headReceived, at: after(101))
        #expect(clock.deadline == after(131))
    }

    @Test func `a WebSocket has a deadline only while its client does not read`() {
        var clock = ConnectionClock(limits, at: start, awaitsHead: false)
        #expect(clock.deadline == nil)
        clock.handle(.becameFull, at: after(100))
        #expect(clock.deadline == after(120))
        clock.handle(.becameWritable, at: after(101))
        #expect(clock.deadline == nil)
    }

    @Test func `an unwanted body must end in time, too`() {
        var clock = ConnectionClock(limits, at: start)
        clock.handle(.headReceived, at: start)
        clock.handle(.responseEnded, at: after(1))
        #expect(clock.deadline == after(30))
        clock.handle(.bodyEnded, at: after(5))
        #expect(clock.deadline == after(65))
    }

    @Test func `pipelined requests wait for all answers`() {
        var clock = ConnectionClock(limits, at: start)
        for _ in 0..<2 {
            clock.handle(.headReceived, at: start)
            clock.handle(.bodyEnded, at: start)
        }
        clock.handle(.responseEnded, at: after(1))
        #expect(clock.deadline == nil)
        clock.handle(.responseEnded, at: after(2))
        #expect(clock.deadline == after(62))
    }

    @Test func `writing more does not extend a slow reader's deadline`() {
        var clock = ConnectionClock(limits, at: start)
        clock.handle(.headReceived, at: start)
        clock.handle(.bodyEnded, at: start)
        clock.handle(.becameFull, at: after(1))
        clock.handle(.becameFull, at: after(15))
        #expect(clock.deadline == after(21))
        clock.handle(.becameWritable, at: after(16))
        #expect(clock.deadline == nil)
        clock.handle(.becameFull, at: after(17))
        clock.handle(.responseEnded, at: after(18))
        #expect(clock.deadline == after(37))
    }
}

import PawlDaemon
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConnectionSeatsTests {
    private func seats(_ most: Int = 3, strangers: Int = 2) -> ConnectionSeats {
        var limits = ConnectionLimits()
        (limits.connections, limits.unknownConnections) = (most, strangers)
        return ConnectionSeats(limits)
    }

    /// A mutating call cannot stand within an expectation.
    private func enter(_ number: Int, _ seats: inout ConnectionSeats) -> ConnectionSeats.Entry {
        seats.enter(number)
    }

    @Test func `the oldest stranger makes room`() {
        var seats = seats()
        #expect(enter(1, &seats) == .taken)
        #expect(enter(2, &seats) == .taken)
        #expect(enter(3, &seats) == .takenFrom(1))
        // It leaves when it is closed.
        seats.leave(1)
        #expect(enter(4, &seats) == .takenFrom(2))
        seats.leave(3)
        #expect(enter(5, &seats) == .taken)
    }

    @Test func `who has shown a token keeps its place`() {
        var seats = seats()
        #expect(enter(1, &seats) == .taken)
        seats.recognize(1)
        for number in 2..<100 {
            let entry = enter(number, &seats)
            #expect(entry == (number < 4 ? .taken : .takenFrom(number - 2)))
        }
        // What was closed already is not known any more.
        seats.recognize(50)
        #expect(enter(100, &seats) == .takenFrom(98))
    }

    @Test func `there is an end to those who have shown a token, too`() {
        var seats = seats()
        for number in 1...3 {
            #expect(enter(number, &seats) == .taken)
            seats.recognize(number)
        }
        #expect(enter(4, &seats) == .full)
        seats.leave(2)
        #expect(enter(5, &seats) == .taken)
    }
}

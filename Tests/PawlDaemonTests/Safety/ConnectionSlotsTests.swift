import PawlCore
import PawlDaemon
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ConnectionSlotsTests {
    private func seats(_ most: Int = 3, strangers: Int = 2) -> ConnectionSlots {
        var limits = ConnectionLimits()
        (limits.connections, limits.unknownConnections) = (most, strangers)
        return ConnectionSlots(limits)
    }

    /// Calls the mutating method outside of an expectation, which cannot contain it.
    private func enter(_ number: Int, _ seats: inout ConnectionSlots) -> ConnectionSlots.Entry {
        seats.enter(number)
    }

    @Test func `the oldest unauthenticated connection makes room`() {
        var seats = seats()
        #expect(enter(1, &seats) == .taken)
        #expect(enter(2, &seats) == .taken)
        #expect(enter(3, &seats) == .takenFrom(1))
        // Its slot is free once it is closed.
        seats.leave(1)
        #expect(enter(4, &seats) == .takenFrom(2))
        seats.leave(3)
        #expect(enter(5, &seats) == .taken)
    }

    @Test func `the client with most unauthenticated connections makes room`() throws {
        var slots = seats(9, strangers: 3)
        let (flood, other) = (IPAddress("192.0.2.1"), IPAddress("192.0.2.2"))
        func enter(_ number: Int, _ address: IPAddress?) -> ConnectionSlots.Entry {
            slots.enter(number, from: address)
        }
        #expect(enter(1, other) == .taken)
        #expect(enter(2, flood) == .taken)
        #expect(enter(3, flood) == .taken)
        for number in 4..<50 { #expect(enter(number, flood) == .takenFrom(number - 2)) }
        // Of clients with equally many, the oldest connection.
        #expect(enter(50, other) == .takenFrom(1))
        #expect(enter(51, nil) == .takenFrom(48))
    }

    private func recognize(
        _ number: Int,
        _ seats: inout ConnectionSlots,
        as authority: Authority = .page
    ) -> Bool {
        seats.recognize(number, as: authority)
    }

    @Test func `an authenticated connection keeps its slot`() {
        var seats = seats()
        #expect(enter(1, &seats) == .taken)
        #expect(recognize(1, &seats))
        for number in 2..<100 {
            let entry = enter(number, &seats)
            #expect(entry == (number < 4 ? .taken : .takenFrom(number - 2)))
        }
        // A connection that was already closed is no longer known.
        #expect(recognize(50, &seats))
        #expect(enter(100, &seats) == .takenFrom(98))
    }

    @Test func `connections that listen have slots of their own`() {
        var limits = ConnectionLimits()
        (limits.connections, limits.unknownConnections, limits.listeners) = (3, 2, 1)
        var slots = ConnectionSlots(limits)
        func listen(_ number: Int) -> Int? { slots.listen(number) }
        #expect(enter(1, &slots) == .taken)
        #expect(listen(1) == nil)
        #expect(enter(2, &slots) == .taken)
        #expect(enter(3, &slots) == .taken)
        #expect(enter(4, &slots) == .takenFrom(2))
        #expect(listen(3) == 1)
        // One that listens can still be authenticated.
        #expect(recognize(3, &slots))
        #expect(listen(4) == nil)
        #expect(listen(3) == nil)
    }

    @Test func `authenticated connections are limited, too`() {
        var seats = seats()
        for number in 1...3 {
            #expect(enter(number, &seats) == .taken)
            #expect(recognize(number, &seats, as: .token("\(number)", .read)))
        }
        #expect(enter(4, &seats) == .full)
        seats.leave(2)
        #expect(enter(5, &seats) == .taken)
    }

    @Test func `one token takes only a share of the connections`() {
        var seats = seats(8)
        let reader = Authority.token("a", .read)
        for number in 1...3 {
            #expect(enter(number, &seats) == .taken)
            #expect(recognize(number, &seats, as: reader) == (number < 3))
            // Another request on the same connection changes nothing.
            #expect(recognize(number, &seats, as: reader) == (number < 3))
        }
        #expect(recognize(3, &seats, as: .token("b", .read)))
        seats.leave(1)
        #expect(enter(4, &seats) == .taken)
        #expect(recognize(4, &seats, as: reader))
    }

    @Test func `connections leave descriptors for the socket and for downloads`() {
        let limits = ConnectionLimits()
        #expect(limits.within(openFiles: 16_384).connections == 4096)
        let few = limits.within(openFiles: 256)
        #expect(few.connections + few.unknownConnections < 128)
        #expect(few.connectionsEach == 16)
        #expect(limits.within(openFiles: 1).connectionsEach == 1)
    }
}
